// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// repeats makes the service receive each deletion twice, as from a proxy that has lost the
// first answer and sends the request again by itself.
func repeats(s *mockserver.Server) {
	validated := s.Wrap
	s.Wrap = func(operations http.Handler) http.Handler {
		service := validated(operations)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				service.ServeHTTP(httptest.NewRecorder(), r.Clone(r.Context()))
			}
			service.ServeHTTP(w, r)
		})
	}
}

// TestDataDeletion_ofAProxyThatRepeatsItIsOneObject checks that the provider adds nothing to
// what the proxy repeats: it follows one of the two, and sends no further one.
func TestDataDeletion_ofAProxyThatRepeatsItIsOneObject(t *testing.T) {
	t.Parallel()

	for name, answer := range map[string]func(*mockserver.Server){
		"with an id":    func(*mockserver.Server) {},
		"without an id": mocktest.AnswerQueueing(http.StatusAccepted, `{}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t, never, repeats, answer)
			state, _ := p.MustCreate(deletionName, config(atOnce))
			wantQueued(t, service, mockserver.OpDeleteAllData, 2)
			wantAttributes(t, state, prototest.Attributes{"fulfilled": false})

			p = nextRun(t, service)
			state, _ = p.MustRefresh(deletionName, state)
			p.WantEmptyPlan(deletionName, state, config(atOnce))

			service.FulfilAll()
			p = nextRun(t, service)
			state, _ = p.MustRefresh(deletionName, state)
			wantAttributes(t, state, prototest.Attributes{"fulfilled": true})
			p.WantEmptyPlan(deletionName, state, config(atOnce))
			wantQueued(t, service, mockserver.OpDeleteAllData, 2)
		})
	}
}
