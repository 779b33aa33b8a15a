// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestBody_waitsForItsReader has a reader that pauses for longer than request_timeout.
func TestBody_waitsForItsReader(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		sent := bytes.Repeat([]byte("x"), 1<<20)
		service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Status: http.StatusOK, Body: sent})
		op := Operation{Name: "Export records", Method: http.MethodGet, Kind: Exports, Streams: true}
		got, err := s.Do(t.Context(), Request{Op: op, To: pathOf(Operation{Path: "/export"}), Query: "utcDate=2026-03-01"})
		noError(t, err)
		defer got.Body.Close()

		<-time.After(time.Hour)
		begin := make([]byte, 1)
		_, err = got.Body.Read(begin)
		noError(t, err)
		<-time.After(time.Hour)
		rest, err := io.ReadAll(got.Body)
		noError(t, err)
		if len(begin)+len(rest) != len(sent) {
			t.Errorf("it has %d bytes", len(begin)+len(rest))
		}
	}, useSecretKey)
}
