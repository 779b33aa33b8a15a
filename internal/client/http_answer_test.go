// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestAnswer_206IsNoSuccessOfAChange(t *testing.T) {
	t.Parallel()

	for operation, call := range changes() {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(
				mockserver.Fault{Operation: operation, Status: 206, Body: []byte(`{"id":"1"}`), Times: -1},
				mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 403, Times: -1})

			err := call(t.Context(), c)

			if !transport.IsClass(err, transport.ClassPayload, transport.ClassUnknownOutcome) {
				t.Errorf("%s: the error is %v", operation, err)
			}

			wantCount(t, service, operation, 1)
		}, useSecretKey)
	}
}

func TestAnswer_JSONUnderAnotherNameIsRead(t *testing.T) {
	t.Parallel()

	for _, declared := range []string{"text/html", "text/plain; charset=utf-8", "application/octet-stream"} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 200, Body: []byte(wholeConsent), Header: http.Header{"Content-Type": {declared}}})
			ctx, logged := capturedLog(t)
			_, err := c.GetConsent(ctx, scope, person)
			noError(t, err)

			if got := logged(); !strings.Contains(got, `"@level":"info"`) || !strings.Contains(got, strings.Split(declared, ";")[0]) {
				t.Errorf("%s: the log is %s", declared, got)
			}
		}, useSecretKey)
	}
}
