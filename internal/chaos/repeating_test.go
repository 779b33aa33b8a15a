// SPDX-License-Identifier: MPL-2.0

//go:build chaos

package chaos

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest/objects"
)

// repeating are directives of a Caddy that sends a request again, whatever its method,
// where no answer has come. It keeps the body of a request for that.
const repeating = `
	reverse_proxy %s {
		request_buffers 1MiB
		lb_try_duration 2s
		lb_try_interval 20ms
		lb_retry_match {
			method GET POST PUT PATCH DELETE
		}
	}`

// TestChaos_proxyThatRepeatsRequests checks what is promised where Caddy repeats a request
// whose answer it has lost: the service has the request twice, and the provider has sent it
// once. The object follows one of the two to its end, and another apply sends nothing.
func TestChaos_proxyThatRepeatsRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ resource, operation, method, path string }{
		{objects.Deletion, mockserver.OpDeleteAllData, http.MethodDelete, "/all-data"},
		{objects.Profile, mockserver.OpUpdateProfile, http.MethodPatch, "/profile"},
		{objects.Consent, mockserver.OpUpdateConsent, http.MethodPatch, "/consent"},
	} {
		t.Run(c.resource, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t, func(s *mockserver.Server) {
				s.FulfilmentDelay = 300 * time.Millisecond
			})
			service.Inject(mockserver.Fault{Operation: c.operation, Cut: mockserver.CutAfterCommit})
			w := scenario{caddy: repeating}.open(t, service)
			o := objects.New(c.resource, "user-1001", t.TempDir())

			p := prototest.MustStart(t, w.config(service))
			p.NoErrors(o.Apply(t.Context(), p))
			p = prototest.MustStart(t, w.config(service))
			if open := objects.Open(p, []*objects.Object{o}); open != "" {
				t.Error(open)
			}
			p.NoErrors(o.Apply(t.Context(), p))

			if n := service.Count(c.operation); n != 2 {
				t.Errorf("the service has received %d requests, and Caddy was to make two of one", n)
			}
			sent := slices.DeleteFunc(w.front.received(), func(a access) bool {
				path, _, _ := strings.Cut(a.Request.URI, "?")
				return a.Request.Method != c.method || !strings.HasSuffix(path, c.path)
			})
			if len(sent) != 1 {
				t.Errorf("the provider has sent %d requests", len(sent))
			}
		})
	}
}
