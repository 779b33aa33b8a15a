// SPDX-License-Identifier: MPL-2.0

package tfkit_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// history is an object under random commands of a user.
type history struct {
	identifiedObject

	t        *testing.T
	random   *rand.Rand
	provider string // the scope in the provider block; empty for none
	own      string // the scope in the configuration of the object; empty for none
	state    *prototest.State
	where    string // the scope that the object was written to or imported from
	said     []string
}

// TestIdentity_isNeverRecomputed holds that no sequence of changed provider blocks, changed
// configurations, refreshes, applies, imports and CLIs that forget identities moves an
// object without a replacement, or changes a stored identity. The framework's error about a
// changed identity would show both.
func TestIdentity_isNeverRecomputed(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(12, 5000) {
		seed := soak.Seed(i)
		prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
			random := rand.New(rand.NewPCG(seed, 14))
			name := []string{consentType, profileType}[random.IntN(2)]
			o := identifiedObject{p, service, name, identified[name]}
			h := &history{identifiedObject: o, t: t, random: random, provider: "demo"}

			for range 25 {
				h.step()
			}
			if t.Failed() {
				t.Logf("seed %d: %s after %s", seed, o.name, strings.Join(h.said, ", "))
			}
		})
	}
}

// step carries out one random command and checks what it left.
func (h *history) step() {
	h.t.Helper()
	commands := map[string]func() prototest.Diagnostics{
		"apply":              h.refreshAndApply,
		"apply -refresh":     h.apply,
		"refresh":            h.refresh,
		"older CLI":          h.forget,
		"provider block":     h.reconfigure,
		"configuration":      h.configure,
		"import by ID":       h.importByID,
		"import by identity": h.importByIdentity,
		"person removed":     h.remove,
	}
	names := slices.Sorted(maps.Keys(commands))
	name := names[h.random.IntN(len(names))]
	h.said = append(h.said, name)

	diags := commands[name]()
	for _, text := range diags.Errors() {
		if strings.Contains(text, "dentity Change") || strings.Contains(text, "Missing Resource Identity") {
			h.t.Error(text)
		}
	}
	h.check()
}

// check holds that the object is where it was written, that its identity says so, and that
// nothing of Ada is anywhere else.
func (h *history) check() {
	h.t.Helper()
	if h.state == nil {
		return
	}

	if h.state.Identity != nil {
		wantIdentity(h.t, h.state, h.where)
	}
	if diff := cmp.Diff(scopes[h.where], prototest.Attributes{"org_id": h.state.Attributes["org_id"], "project_id": h.state.Attributes["project_id"], "account_id": h.state.Attributes["account_id"]}); diff != "" {
		h.t.Errorf("the scope in state (-want +got):\n%s", diff)
	}
}

func (h *history) configured() prototest.Attributes { return h.config.With(scopes[h.own]) }

// effective returns the scope that a new object is written to; empty if there is none.
func (h *history) effective() string {
	if h.own != "" {
		return h.own
	}
	return h.provider
}

func (h *history) pick() string { return []string{"demo", "two", "account"}[h.random.IntN(3)] }

func (h *history) reconfigure() prototest.Diagnostics {
	h.provider = ""
	settings := prototest.Attributes{"org_id": nil, "project_id": nil}
	if h.random.IntN(5) > 0 {
		h.provider = h.pick()
		settings = scopes[h.provider]
	}
	h.Reconfigure(prototest.Config(h.service).With(settings))

	return nil
}

func (h *history) configure() prototest.Diagnostics {
	h.own = ""
	if h.random.IntN(2) > 0 {
		h.own = h.pick()
	}
	return nil
}

func (h *history) refresh() prototest.Diagnostics {
	if h.state == nil {
		return nil
	}
	state, diags := h.Refresh(h.name, h.state)
	if len(diags.Errors()) == 0 {
		h.state = state
	}

	return diags
}

func (h *history) apply() prototest.Diagnostics {
	h.NewRun()
	plan, diags := h.Plan(h.name, h.state, h.configured())
	if len(diags.Errors()) > 0 {
		return diags
	}

	before := len(h.service.Requests())
	command := h.Update
	if h.state != nil && len(plan.Replace) > 0 {
		command = h.Replace
	}
	if h.state == nil || len(plan.Replace) > 0 {
		h.where = h.effective()
	}
	h.state, diags = command(h.name, h.state, h.configured())
	h.wantWrittenHere(h.service.Requests()[before:])

	return diags
}

func (h *history) refreshAndApply() prototest.Diagnostics {
	return append(h.refresh(), h.apply()...)
}

func (h *history) forget() prototest.Diagnostics {
	if h.state != nil {
		h.state = h.state.WithoutIdentity()
	}
	return nil
}

func (h *history) remove() prototest.Diagnostics {
	for scope := range scopes {
		removeAda(h.service, scope)
	}
	return nil
}

// importByID imports Ada after a "terraform state rm".
func (h *history) importByID() prototest.Diagnostics {
	prefixes := map[string]string{"demo": "org-demo/web/", "two": "org-two/shop/", "account": "acct-7/"}
	where, named := h.imported()
	if where == "" {
		return nil
	}

	state, diags := h.Import(h.name, prefixes[named]+ada)
	h.state, h.where = state, where

	return diags
}

func (h *history) importByIdentity() prototest.Diagnostics {
	where, named := h.imported()
	if where == "" {
		return nil
	}

	state, diags := h.ImportByIdentity(h.name, identityIn(named))
	h.state, h.where = state, where

	return diags
}

// imported returns the scope that an import takes Ada from, and the one that it names:
// empty for that of the provider.
func (h *history) imported() (where, named string) {
	where = h.provider
	if h.random.IntN(2) > 0 {
		named = h.pick()
		where = named
	}
	if where != "" {
		putAda(h.service, where)
	}

	return where, named
}

// wantWrittenHere fails the test if an apply has written anything in another scope.
func (h *history) wantWrittenHere(requests []mockserver.Request) {
	h.t.Helper()
	for _, r := range requests {
		writes := r.Operation == mockserver.OpUpdateConsent || r.Operation == mockserver.OpUpdateProfile
		if writes && r.Scope != serviceScope(h.where) {
			h.t.Errorf("%s was sent to %v, and the object is in %s", r.Operation, r.Scope, h.where)
		}
	}
}
