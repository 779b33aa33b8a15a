// SPDX-License-Identifier: MPL-2.0

package objects

import (
	"fmt"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// WantKept fails the test where a request is missing or was accepted too often, and where a
// person does not have the consent that is configured or that they chose later.
func WantKept(tb testing.TB, service *mocktest.Instance, list []*Object) {
	tb.Helper()
	accepted := map[string]int{}
	for _, q := range service.Queue() {
		accepted[fmt.Sprint(q.Operation, " ", q.Identity)]++
	}

	for _, o := range list {
		if o.Resource == Consent {
			o.wantConsent(tb, service)
			continue
		}

		what := fmt.Sprint(queued[o.Resource], " ", o.Person())
		limit := o.limit(service)
		if n := accepted[what]; n < 1 || n > limit {
			soak.Add(soak.Lost, max(0, 1-n))
			soak.Add(soak.Duplicated, max(0, n-limit))
			tb.Errorf("%s was accepted %d times; %d unknown outcomes, %d killed applies, %d changes", what, n, o.Unknown, o.Killed, o.changes)
		}

		delete(accepted, what)
	}

	for what := range accepted {
		tb.Errorf("nobody wished for %s", what)
	}
}

// limit returns how often a service may accept the object's request.
func (o *Object) limit(service *mocktest.Instance) int {
	// Terraform knows nothing of what was accepted in an apply that was killed.
	limit := 1 + o.Killed
	if queued[o.Resource] == mockserver.OpUpdateProfile {
		limit += o.Unknown + o.changes // the values of an update are absolute
	}
	if service.FulfilmentDelay > time.Minute {
		return limit
	}

	// Nothing shows that a request has arrived once it is carried out. After an unknown
	// outcome it is sent again, and an update after each lost answer.
	limit = 1 + o.Killed + o.Unknown + o.changes
	if queued[o.Resource] == mockserver.OpUpdateProfile {
		limit *= 2
	}

	return limit
}

func (o *Object) wantConsent(tb testing.TB, service *mocktest.Instance) {
	tb.Helper()
	want := [5]bool{true, true, o.Config["clause_3_consent"] == true, true, true}
	figure := soak.Lost
	if o.chosen {
		want, figure = [5]bool{}, soak.Overwritten
	}

	if held, _ := service.Consent(Scope, o.Person()); held.Clauses != want {
		soak.Add(figure, 1)
		tb.Errorf("the service holds %v of %s, want %v (chose later: %t)", held.Clauses, o.Person(), want, o.chosen)
	}
}
