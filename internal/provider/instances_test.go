// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// The resources that an instance can be of, beside consentName.
const (
	profileName    = "analytics_profile"
	deletionName   = "analytics_data_deletion"
	dataAccessName = "analytics_data_access_request"
)

// queued are the operations that the service carries out later, by resource.
var queued = map[string]string{
	profileName: mockserver.OpUpdateProfile, deletionName: mockserver.OpDeleteAllData, dataAccessName: mockserver.OpGetAllData,
}

// People agree at agreedAt, and choose later, at choseAt.
const (
	agreedAt = "2026-01-01T00:00:00Z"
	choseAt  = "2026-02-01T00:00:00Z"
)

// instance is an object about a person of its own. It is applied again and again while a test disturbs the
// service or the way to it. At the end, what the service has accepted and holds is compared with what was
// configured.
type instance struct {
	resource, person string
	config           prototest.Attributes
	state            *prototest.State

	unknown  int  // outcomes that were reported as unknown
	killed   int  // applies that were killed after they had begun to write
	changes  int  // of the configuration
	operated int  // requests of another operator about the person
	chosen   bool // the person has refused everything, later than they agreed
	// unproven reports that the latest refresh that could read the service warned that nothing shows
	// whether the request was carried out, or that another operator's request took its place and failed.
	// The plan is empty then, and no apply changes it.
	unproven bool
}

// newInstance returns an object about a person. Data of the person go into a file in the folder, also in place of one
// that no state knows.
func newInstance(resource, person, folder string) *instance {
	config := map[string]prototest.Attributes{
		consentName:    consentOf(person).With(prototest.Attributes{"agreement_time": agreedAt}).Without("keep_later_choice"),
		deletionName:   {},
		profileName:    {"profile": `{"plan":"gold"}`},
		dataAccessName: {"output_path": filepath.Join(folder, person+".json"), "overwrite": true},
	}[resource]

	return &instance{resource: resource, person: person, config: config.With(prototest.Attributes{"identity_id": person})}
}

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
		Scope: demoScope, Identity: i.person, Operation: kinds[random.IntN(len(kinds))], Body: map[string]any{"note": "theirs"},
	})
}

// choose notes that the person is about to refuse everything, and returns the function that does it.
func (i *instance) choose(service *mocktest.Instance) func() {
	i.chosen = true
	return func() { service.PutConsent(demoScope, i.person, mockserver.ConsentRecord{AgreementTime: choseAt}) }
}

// apply refreshes, plans, and applies what is to be changed. The end of ctx interrupts the apply alone. The
// state of a process that is killed is lost.
//
//nolint:contextcheck // the end of ctx interrupts the apply alone
func (i *instance) apply(ctx context.Context, p *prototest.Provider, isKilled bool) prototest.Diagnostics {
	prior, diags := i.refresh(p)
	if len(diags.Errors()) > 0 {
		return diags
	}

	plan, diags := p.Plan(i.resource, prior, i.config)
	if len(diags.Errors()) == 0 && plan.Changes {
		prior, diags = p.Apply(ctx, i.resource, prior, plan)
		if isKilled {
			i.killed++
		}
	}
	if isKilled {
		return nil
	}

	i.state = prior
	i.unknown += strings.Count(strings.Join(diags.Errors(), ""), "Outcome unknown")

	return diags
}

// refresh reads the object, if the state has it.
func (i *instance) refresh(p *prototest.Provider) (*prototest.State, prototest.Diagnostics) {
	if i.state == nil {
		return nil, nil
	}

	state, diags := p.Refresh(i.resource, i.state)
	warns := func(summary string) bool {
		return slices.ContainsFunc(diags.Warnings(), func(text string) bool { return strings.Contains(text, summary) })
	}
	if len(diags.Errors()) == 0 && !warns("The request could not be checked") {
		endings := []string{"Accepted, and nothing shows what became of it", "The service gave no data"}
		if i.operated > 0 { // the effect is undone, a request that is found in the place of a lost one fails, or several may be the lost one
			endings = append(endings, "The request is gone, and its effect cannot be seen", "The service failed the request", "contradict each other")
		}
		i.unproven = slices.ContainsFunc(endings, warns)
	}

	return state, diags
}

// isSettled reports whether the state has the object, and nothing of it is pending, or will ever show what
// became of it.
func (i *instance) isSettled() bool {
	if i.state == nil {
		return false
	}
	return queued[i.resource] == "" || i.unproven || i.state.Attributes["fulfilled"] == true
}

// course is a series of applies of objects, each in a process of its own. At first, something disturbs the service or
// the way to it.
type course struct {
	t       *testing.T
	service *mocktest.Instance
	objects []*instance
	config  prototest.Attributes // of each process
	options []provider.Option
	pause   time.Duration // after each apply
	beside  func()        // what happens during the next apply; nil for nothing

	applies, failed int
	said            strings.Builder // errors and warnings
}

func (c *course) start() *prototest.Provider { return prototest.MustStart(c.t, c.config, c.options...) }

// apply applies all objects at once. The end of ctx interrupts that; a process that is killed then loses its state.
func (c *course) apply(ctx context.Context, p *prototest.Provider, isKilled bool) {
	diags := make([]prototest.Diagnostics, len(c.objects))
	var wg sync.WaitGroup
	for n, i := range c.objects {
		wg.Go(func() { diags[n] = i.apply(ctx, p, isKilled) })
	}
	if c.beside != nil {
		c.beside()
		c.beside = nil
	}
	wg.Wait()
	<-time.After(c.pause)

	all := slices.Concat(diags...)
	c.applies++
	c.failed += min(1, len(all.Errors()))
	_, _ = fmt.Fprintln(&c.said, all.Errors(), all.Warnings())
}

// wantSettled fails the test if so many applies without a disturbance leave something to do.
func (c *course) wantSettled(limit int) {
	c.t.Helper()

	open := c.open()
	for n := 0; open != "" && n < limit; n++ {
		c.apply(c.t.Context(), c.start(), false)
		open = c.open()
	}
	if open != "" {
		c.t.Errorf("after %d applies without a disturbance, %s", limit, open)
	}
}

// open says what an object still waits for or changes; empty if there is nothing.
func (c *course) open() string {
	p := c.start()
	for _, i := range c.objects {
		state, diags := i.refresh(p)
		p.NoErrors(diags)
		plan, diags := p.Plan(i.resource, state, i.config)
		if plan.Changes || !i.isSettled() {
			return fmt.Sprintf("%s with %+v has a change to %v, or is not fulfilled %v", i.resource, i.state, plan.Attributes, diags.Errors())
		}
	}

	return ""
}

// wantKept fails the test where a request is missing or was accepted too often, and where a
// person does not have the consent that is configured or that they chose later.
func wantKept(tb testing.TB, service *mocktest.Instance, list []*instance) {
	tb.Helper()
	accepted := map[string]int{}
	for _, q := range service.Queue() {
		accepted[q.Operation+" "+q.Identity]++
	}

	for _, i := range list {
		if i.resource == consentName {
			want := [5]bool{true, true, i.config["clause_3_consent"] == true, true, true}
			if i.chosen {
				want = [5]bool{}
			}
			if held, _ := service.Consent(demoScope, i.person); held.Clauses != want {
				tb.Errorf("the service holds %v of %s, want %v (chose later: %t)", held.Clauses, i.person, want, i.chosen)
			}
			continue
		}

		what := queued[i.resource] + " " + i.person
		if n := accepted[what]; n < 1 || n > i.limit(service) {
			tb.Errorf("%s was accepted %d times; %d unknown outcomes, %d killed applies, %d changes", what, n, i.unknown, i.killed, i.changes)
		}
		delete(accepted, what)
	}

	for what := range accepted {
		_, person, _ := strings.Cut(what, " ")
		if !slices.ContainsFunc(list, func(i *instance) bool { return i.person == person && i.operated > 0 }) {
			tb.Errorf("nobody wished for %s", what)
		}
	}
}

// limit returns how often a service may accept the object's request. Terraform knows nothing of what was
// accepted in an apply that was killed. Another operator's request is one of its own, and may end that of the
// object or undo what it did. The values of an update are absolute. Nothing shows that a request has arrived
// once it is carried out: after an unknown outcome it is sent again, and an update after each lost answer.
func (i *instance) limit(service *mocktest.Instance) int {
	limit := 1 + i.killed + 2*i.operated
	isUpdate, isShort := i.resource == profileName, service.FulfilmentDelay < time.Minute
	switch {
	case isUpdate && isShort:
		limit = 2 * (limit + i.unknown + i.changes)
	case isUpdate, isShort:
		limit += i.unknown + i.changes
	default:
		limit += min(i.unknown, i.late(service))
	}

	return limit
}

// late returns how many requests like that of the object came when the one before was carried out: no apply in between
// was able to look for that.
func (i *instance) late(service *mocktest.Instance) (n int) {
	var before time.Time
	for _, q := range service.Queue() {
		if q.Operation != queued[i.resource] || q.Identity != i.person {
			continue
		}
		if !before.IsZero() && q.At.Sub(before) >= service.FulfilmentDelay {
			n++
		}
		before = q.At
	}

	return n
}
