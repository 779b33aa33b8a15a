// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// The resources that an instance can be of, beside consentName.
const (
	profileName    = "analytics_profile"
	deletionName   = "analytics_data_deletion"
	dataAccessName = "analytics_data_access_request"
)

// queued are the operations that the service carries out later, by resource.
var queued = map[string]string{
	profileName:    mockserver.OpUpdateProfile,
	deletionName:   mockserver.OpDeleteAllData,
	dataAccessName: mockserver.OpGetAllData,
}

// agreedAt is for agreement_time where people choose later.
const (
	agreedAt = "2026-01-01T00:00:00Z"
	choseAt  = "2026-02-01T00:00:00Z"
)

// instance is an instance of a resource about a person of its own. It is applied again and again while a
// test disturbs the service or the way to it. At the end, what the service has accepted and holds is
// compared with what was configured.
type instance struct {
	resource string
	config   prototest.Attributes
	state    *prototest.State
	unknown  int // outcomes that were reported as unknown
	killed   int // applies that were killed after they had begun to write
	// unproven reports that the latest refresh that could read the service warned that nothing shows
	// whether the request was carried out, or that another operator's request took its place and failed.
	// The plan is empty then, and no apply changes it.
	unproven bool

	changes  int // of the configuration
	chosen   bool
	operated int // requests of another operator about the person
}

// newInstance returns an object of a resource about a person. Data of the person go into a file in
// the folder.
func newInstance(resource, person, folder string) *instance {
	i := &instance{resource: resource, config: prototest.Attributes{"identity_id": person}}
	switch resource {
	case consentName:
		for clause := range 5 {
			i.config[fmt.Sprintf("clause_%d_consent", clause+1)] = true
		}

	case profileName:
		i.config["profile"] = `{"plan":"gold"}`

	case dataAccessName:
		i.config["output_path"] = filepath.Join(folder, person+".json")
	}

	return i
}

// randomInstances returns two to six objects of random resources.
func randomInstances(random *rand.Rand, folder string) []*instance {
	resources := []string{profileName, deletionName, dataAccessName, consentName}
	var list []*instance
	for i := range 2 + random.IntN(5) {
		list = append(list, newInstance(resources[random.IntN(len(resources))], fmt.Sprintf("user-%d", i), folder))
	}

	return list
}

// person returns the identity of the person.
func (i *instance) person() string { return fmt.Sprint(i.config["identity_id"]) }

// change changes the configuration of a consent or of a profile.
func (i *instance) change() {
	i.changes++
	switch i.resource {
	case consentName:
		i.config["clause_3_consent"] = i.changes%2 == 0
	case profileName:
		i.config["profile"] = fmt.Sprintf(`{"plan":"plan %d"}`, i.changes)
	}
}

// operate sends a request about the person as another operator would: of any kind, also of that of the
// object. It returns the identifier of the request. An update is of a member that no object manages.
func (i *instance) operate(service *mocktest.Instance, random *rand.Rand) (id string) {
	i.operated++
	kinds := []string{mockserver.OpUpdateProfile, mockserver.OpDeleteAllData, mockserver.OpGetAllData}
	return service.Enqueue(mockserver.QueuedRequest{
		Scope: demoScope, Identity: i.person(), Operation: kinds[random.IntN(len(kinds))], Body: map[string]any{"note": "theirs"},
	})
}

// chooses notes that the person of a consent is about to refuse everything, later than they
// agreed at AgreedAt, and returns the function that does it.
func (i *instance) chooses(service *mocktest.Instance) func() {
	i.chosen = true
	person := i.person()
	return func() { service.PutConsent(demoScope, person, mockserver.ConsentRecord{AgreementTime: choseAt}) }
}

// apply refreshes, plans, and applies what is to be changed. The end of ctx interrupts the
// apply alone.
func (i *instance) apply(ctx context.Context, p *prototest.Provider) prototest.Diagnostics {
	var diags prototest.Diagnostics
	i.state, diags, _ = i.planAndApply(ctx, p)

	for _, text := range diags.Errors() {
		if strings.Contains(text, "Outcome unknown") {
			i.unknown++
		}
	}

	return diags
}

// kill is Apply in a process that is killed, so that its state is lost.
func (i *instance) kill(ctx context.Context, p *prototest.Provider) {
	if _, _, wrote := i.planAndApply(ctx, p); wrote {
		i.killed++
	}
}

// planAndApply returns the state after an apply, and whether there was anything to apply.
//
//nolint:contextcheck // the end of ctx interrupts the apply alone
func (i *instance) planAndApply(ctx context.Context, p *prototest.Provider) (*prototest.State, prototest.Diagnostics, bool) {
	prior := i.state
	if prior != nil {
		refreshed, diags := i.refresh(p)
		if len(diags.Errors()) > 0 {
			return prior, diags, false
		}
		prior = refreshed
	}

	plan, diags := p.Plan(i.resource, prior, i.config)
	if len(diags.Errors()) > 0 || !plan.Changes {
		return prior, diags, false
	}

	state, diags := p.Apply(ctx, i.resource, prior, plan)

	return state, diags, true
}

func (i *instance) refresh(p *prototest.Provider) (*prototest.State, prototest.Diagnostics) {
	state, diags := p.Refresh(i.resource, i.state)
	warns := func(summary string) bool {
		return slices.ContainsFunc(diags.Warnings(), func(text string) bool { return strings.HasPrefix(text, summary) })
	}
	if len(diags.Errors()) == 0 && !warns("The request could not be checked") {
		endings := []string{"Accepted, and nothing shows what became of it", "The service gave no data"}
		if i.operated > 0 { // the effect is undone, or a request that is found in the place of a lost one fails
			endings = append(endings, "The request is gone, and its effect cannot be seen", "The service failed the request")
		}
		i.unproven = slices.ContainsFunc(endings, warns)
	}

	return state, diags
}

// openIn says what an object still waits for or changes; empty if there is nothing.
func openIn(p *prototest.Provider, list []*instance) string {
	for _, i := range list {
		if i.state == nil {
			return i.resource + " is not in state"
		}

		state, diags := i.refresh(p)
		p.NoErrors(diags)
		plan, diags := p.Plan(i.resource, state, i.config)
		if plan.Changes {
			return fmt.Sprintf("%s with %v has a change to %v %v", i.resource, i.state.Attributes, plan.Attributes, diags.Errors())
		}
		if !i.settled() {
			return fmt.Sprintf("%s is not fulfilled: %v", i.resource, i.state.Attributes)
		}
	}

	return ""
}

// settled reports whether the state has the object, and says that nothing of it is pending
// or that nothing will show any more what became of it.
func (i *instance) settled() bool {
	return i.state != nil && (queued[i.resource] == "" || i.state.Attributes["fulfilled"] == true || i.unproven)
}

// wantKept fails the test where a request is missing or was accepted too often, and where a
// person does not have the consent that is configured or that they chose later.
func wantKept(tb testing.TB, service *mocktest.Instance, list []*instance) {
	tb.Helper()
	accepted := map[string]int{}
	for _, q := range service.Queue() {
		accepted[fmt.Sprint(q.Operation, " ", q.Identity)]++
	}

	for _, i := range list {
		if i.resource == consentName {
			i.wantConsent(tb, service)
			continue
		}

		what := fmt.Sprint(queued[i.resource], " ", i.person())
		limit := i.limit(service)
		if n := accepted[what]; n < 1 || n > limit {
			soak.Add(soak.Lost, max(0, 1-n))
			soak.Add(soak.Duplicated, max(0, n-limit))
			tb.Errorf("%s was accepted %d times; %d unknown outcomes, %d killed applies, %d changes", what, n, i.unknown, i.killed, i.changes)
		}

		delete(accepted, what)
	}

	for what := range accepted {
		isOperated := func(i *instance) bool { return i.operated > 0 && strings.HasSuffix(what, " "+i.person()) }
		if !slices.ContainsFunc(list, isOperated) {
			tb.Errorf("nobody wished for %s", what)
		}
	}
}

// limit returns how often a service may accept the object's request.
func (i *instance) limit(service *mocktest.Instance) int {
	// Terraform knows nothing of what was accepted in an apply that was killed. Another operator's request
	// is one of its own, and may end that of the object or undo what it did.
	limit := 1 + i.killed + 2*i.operated
	if queued[i.resource] == mockserver.OpUpdateProfile {
		limit += i.unknown + i.changes // the values of an update are absolute
	}
	if service.FulfilmentDelay > time.Minute {
		return limit
	}

	// Nothing shows that a request has arrived once it is carried out. After an unknown
	// outcome it is sent again, and an update after each lost answer.
	limit = 1 + i.killed + 2*i.operated + i.unknown + i.changes
	if queued[i.resource] == mockserver.OpUpdateProfile {
		limit *= 2
	}

	return limit
}

func (i *instance) wantConsent(tb testing.TB, service *mocktest.Instance) {
	tb.Helper()
	want := [5]bool{true, true, i.config["clause_3_consent"] == true, true, true}
	figure := soak.Lost
	if i.chosen {
		want, figure = [5]bool{}, soak.Overwritten
	}

	if held, _ := service.Consent(demoScope, i.person()); held.Clauses != want {
		soak.Add(figure, 1)
		tb.Errorf("the service holds %v of %s, want %v (chose later: %t)", held.Clauses, i.person(), want, i.chosen)
	}
}
