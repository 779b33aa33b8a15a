// SPDX-License-Identifier: MPL-2.0

// Package objects applies objects of the provider again and again, each about a person of
// its own, while a test disturbs the service or the way to it. At the end it compares what
// the service has accepted and holds with what was configured.
package objects

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

// The resources that an object can be of.
const (
	Consent    = "analytics_consent"
	Profile    = "analytics_profile"
	Deletion   = "analytics_data_deletion"
	DataAccess = "analytics_data_access_request"
)

// queued are the operations that the service carries out later, by resource.
var queued = map[string]string{
	Profile:    mockserver.OpUpdateProfile,
	Deletion:   mockserver.OpDeleteAllData,
	DataAccess: mockserver.OpGetAllData,
}

// AgreedAt is for agreement_time where people choose later.
const (
	AgreedAt = "2026-01-01T00:00:00Z"
	choseAt  = "2026-02-01T00:00:00Z"
)

// Scope is the scope of all objects.
var Scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

// Object is an object of a configuration.
type Object struct {
	Resource string
	Config   prototest.Attributes
	State    *prototest.State
	// Unknown is how many outcomes were reported as unknown.
	Unknown int
	// Killed is how many applies were killed after they had begun to write.
	Killed int
	// Unproven reports that the latest refresh that could read the service warned that nothing shows
	// whether the request was carried out, or that another operator's request took its place and failed.
	// The plan is empty then, and no apply changes it.
	Unproven bool

	changes  int // of the configuration
	chosen   bool
	operated int // requests of another operator about the person
}

// New returns an object of a resource about a person. Data of the person go into a file in
// the folder.
func New(resource, person, folder string) *Object {
	o := &Object{Resource: resource, Config: prototest.Attributes{"identity_id": person}}
	switch resource {
	case Consent:
		for clause := range 5 {
			o.Config[fmt.Sprintf("clause_%d_consent", clause+1)] = true
		}

	case Profile:
		o.Config["profile"] = `{"plan":"gold"}`

	case DataAccess:
		o.Config["output_path"] = filepath.Join(folder, person+".json")
	}

	return o
}

// Random returns two to six objects of random resources.
func Random(random *rand.Rand, folder string) []*Object {
	resources := []string{Profile, Deletion, DataAccess, Consent}
	var list []*Object
	for i := range 2 + random.IntN(5) {
		list = append(list, New(resources[random.IntN(len(resources))], fmt.Sprintf("user-%d", i), folder))
	}

	return list
}

// Person returns the identity of the person.
func (o *Object) Person() string { return fmt.Sprint(o.Config["identity_id"]) }

// Change changes the configuration of a consent or of a profile.
func (o *Object) Change() {
	o.changes++
	switch o.Resource {
	case Consent:
		o.Config["clause_3_consent"] = o.changes%2 == 0
	case Profile:
		o.Config["profile"] = fmt.Sprintf(`{"plan":"plan %d"}`, o.changes)
	}
}

// Operate sends a request about the person as another operator would: of any kind, also of that of the
// object. It returns the identifier of the request. An update is of a member that no object manages.
func (o *Object) Operate(service *mocktest.Instance, random *rand.Rand) (id string) {
	o.operated++
	kinds := []string{mockserver.OpUpdateProfile, mockserver.OpDeleteAllData, mockserver.OpGetAllData}
	return service.Enqueue(mockserver.QueuedRequest{
		Scope: Scope, Identity: o.Person(), Operation: kinds[random.IntN(len(kinds))], Body: map[string]any{"note": "theirs"},
	})
}

// Chooses notes that the person of a consent is about to refuse everything, later than they
// agreed at AgreedAt, and returns the function that does it.
func (o *Object) Chooses(service *mocktest.Instance) func() {
	o.chosen = true
	person := o.Person()
	return func() { service.PutConsent(Scope, person, mockserver.ConsentRecord{AgreementTime: choseAt}) }
}

// Apply refreshes, plans, and applies what is to be changed. The end of ctx interrupts the
// apply alone.
func (o *Object) Apply(ctx context.Context, p *prototest.Provider) prototest.Diagnostics {
	var diags prototest.Diagnostics
	o.State, diags, _ = o.planAndApply(ctx, p)

	for _, text := range diags.Errors() {
		if strings.Contains(text, "Outcome unknown") {
			o.Unknown++
		}
	}

	return diags
}

// Kill is Apply in a process that is killed, so that its state is lost.
func (o *Object) Kill(ctx context.Context, p *prototest.Provider) {
	if _, _, wrote := o.planAndApply(ctx, p); wrote {
		o.Killed++
	}
}

// planAndApply returns the state after an apply, and whether there was anything to apply.
//
//nolint:contextcheck // the end of ctx interrupts the apply alone
func (o *Object) planAndApply(ctx context.Context, p *prototest.Provider) (*prototest.State, prototest.Diagnostics, bool) {
	prior := o.State
	if prior != nil {
		refreshed, diags := o.refresh(p)
		if len(diags.Errors()) > 0 {
			return prior, diags, false
		}
		prior = refreshed
	}

	plan, diags := p.Plan(o.Resource, prior, o.Config)
	if len(diags.Errors()) > 0 || !plan.Changes {
		return prior, diags, false
	}

	state, diags := p.Apply(ctx, o.Resource, prior, plan)

	return state, diags, true
}

func (o *Object) refresh(p *prototest.Provider) (*prototest.State, prototest.Diagnostics) {
	state, diags := p.Refresh(o.Resource, o.State)
	warns := func(summary string) bool {
		return slices.ContainsFunc(diags.Warnings(), func(text string) bool { return strings.HasPrefix(text, summary) })
	}
	if len(diags.Errors()) == 0 && !warns("The request could not be checked") {
		endings := []string{"Accepted, and nothing shows what became of it", "The data are not asked for again"}
		if o.operated > 0 { // the effect is undone, or a request that is found in the place of a lost one fails
			endings = append(endings, "The request is gone, and its effect cannot be seen", "The service failed the request")
		}
		o.Unproven = slices.ContainsFunc(endings, warns)
	}

	return state, diags
}

// Open says what an object still waits for or changes; empty if there is nothing.
func Open(p *prototest.Provider, list []*Object) string {
	for _, o := range list {
		if o.State == nil {
			return o.Resource + " is not in state"
		}

		state, diags := o.refresh(p)
		p.NoErrors(diags)
		plan, diags := p.Plan(o.Resource, state, o.Config)
		if plan.Changes {
			return fmt.Sprintf("%s with %v has a change to %v %v", o.Resource, o.State.Attributes, plan.Attributes, diags.Errors())
		}
		if !o.Settled() {
			return fmt.Sprintf("%s is not fulfilled: %v", o.Resource, o.State.Attributes)
		}
	}

	return ""
}

// Settled reports whether the state has the object, and says that nothing of it is pending
// or that nothing will show any more what became of it.
func (o *Object) Settled() bool {
	return o.State != nil && (queued[o.Resource] == "" || o.State.Attributes["fulfilled"] == true || o.Unproven)
}

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
		isOperated := func(o *Object) bool { return o.operated > 0 && strings.HasSuffix(what, " "+o.Person()) }
		if !slices.ContainsFunc(list, isOperated) {
			tb.Errorf("nobody wished for %s", what)
		}
	}
}

// limit returns how often a service may accept the object's request.
func (o *Object) limit(service *mocktest.Instance) int {
	// Terraform knows nothing of what was accepted in an apply that was killed. Another operator's request
	// is one of its own, and may end that of the object or undo what it did.
	limit := 1 + o.Killed + 2*o.operated
	if queued[o.Resource] == mockserver.OpUpdateProfile {
		limit += o.Unknown + o.changes // the values of an update are absolute
	}
	if service.FulfilmentDelay > time.Minute {
		return limit
	}

	// Nothing shows that a request has arrived once it is carried out. After an unknown
	// outcome it is sent again, and an update after each lost answer.
	limit = 1 + o.Killed + 2*o.operated + o.Unknown + o.changes
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
