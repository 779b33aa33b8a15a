// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestAttempt_stalledAnswerSaysSoAndAfterHowLong(t *testing.T) {
	t.Parallel()

	for words, fault := range map[string]mockserver.Fault{
		"no answer within 30s": {Hang: true},
		"the answer stalled: it began and was not complete after 30s": {Cut: mockserver.CutStall, CutAt: 10},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
			fault.Operation, fault.Times = mockserver.OpGetConsent, -1
			service.Inject(fault)
			began := time.Now()
			_, err := c.GetConsent(t.Context(), scope, person)
			e := wantClass(t, err, transport.ClassTimeout)
			if !strings.Contains(e.Detail, words) || !strings.Contains(e.Detail, "request_timeout") {
				t.Errorf("the detail is %q", e.Detail)
			}

			if took := time.Since(began); took > 5*30*time.Second+time.Minute {
				t.Errorf("it took %v", took)
			}
		}, useSecretKey)
	}
}

func TestAttempt_stalledExportSaysSoAndAfterHowLong(t *testing.T) {
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

func TestAttempt_isLoggedUnlessTheLogIsOff(t *testing.T) {
	t.Parallel()

	for _, off := range []bool{false, true} {
		bubble(t, func(t *testing.T, _ *mocktest.Instance, c *client.Client) {
			ctx, logged := capturedLog(t)
			if _, err := c.GetConsent(ctx, scope, person); !transport.IsClass(err, transport.ClassNotFound) {
				t.Errorf("the error is %v", err)
			}
			if strings.Contains(logged(), "Request to the analytics service answered") == off {
				t.Errorf("LogIsOff is %t, and the log is %q", off, logged())
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.LogIsOff = off })
	}
}
