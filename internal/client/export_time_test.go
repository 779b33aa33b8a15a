// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

func TestStream_steadyExportMayTakeAnyTime(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t, func(s *mockserver.Server) {
			s.Wrap = func(http.Handler) http.Handler { return http.HandlerFunc(trickle) }
		})

		c := connect(t, service, useSecretKey)
		began := time.Now()
		got, err := export(t.Context(), t, c, &received{})
		noError(t, err)

		if took := time.Since(began); got.Counts.Of(records.Event) != 20 || took < 20*25*time.Second {
			t.Errorf("%v in %v", got, took)
		}
	})
}

// trickle sends a record of 40 kB every 25 seconds: slowly, but with pauses below
// request_timeout.
func trickle(w http.ResponseWriter, _ *http.Request) {
	for range 20 {
		_, _ = io.WriteString(w, `{"type":"event","pad":"`+strings.Repeat("x", 40_000)+`"}`+"\n")
		_ = http.NewResponseController(w).Flush()
		<-time.After(25 * time.Second) // in virtual time
	}
}

func TestStream_exportWithoutEndEndsAfterADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t, func(s *mockserver.Server) {
			s.Wrap = func(http.Handler) http.Handler { return drip(20 * time.Second) }
		})
		c := connect(t, service, useSecretKey)

		began := time.Now()
		_, err := export(t.Context(), t, c, &received{})
		e := wantClass(t, err, transport.ClassTimeout)
		if took := time.Since(began); took != 24*time.Hour || !strings.Contains(e.Detail, "24h") {
			t.Errorf("after %v: %q", took, e.Detail)
		}
	})
}

// drip returns a handler that sends one byte of an endless day in each interval.
func drip(interval time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `[`)
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, ` `)
			_ = http.NewResponseController(w).Flush()

			select {
			case <-time.After(interval): // in virtual time
			case <-r.Context().Done():
			}
		}
	})
}

func TestStream_slowReceiverIsNotTheServicesFault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t)
		service.ExportRecords = 2000
		c := connect(t, service, useSecretKey)
		_, err := export(t.Context(), t, c, &slow{})
		noError(t, err)
	})
}

// slow is a sink that takes a second per record.
type slow struct{ received }

func (s *slow) Record(records.Kind, jsontext.Value) error {
	<-time.After(time.Second) // in virtual time
	return nil
}

func TestStream_stalledExportSaysSoAndAfterHowLong(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.ExportRecords = 100
		service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutStall, CutAt: 100, Times: -1})
		_, err := export(t.Context(), t, c, &received{})
		e := wantClass(t, err, transport.ClassTimeout)
		if !strings.Contains(e.Detail, "the answer stalled: nothing more of it came for 30s") {
			t.Errorf("the detail is %q", e.Detail)
		}
	}, useSecretKey)
}
