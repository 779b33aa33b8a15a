// SPDX-License-Identifier: MPL-2.0

package tfkit_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
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
	diags    prototest.Diagnostics // of the latest command
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

// step carries out one random command, and checks that the object is where it was written, that
// its attributes and its identity say so, and that an apply has written nowhere else.
func (h *history) step() {
	h.t.Helper()
	commands := map[string]func(){
		"apply": func() {
			h.refresh()
			h.apply()
		},
		"apply -refresh":     h.apply,
		"refresh":            h.refresh,
		"import by ID":       func() { h.importAda(true) },
		"import by identity": func() { h.importAda(false) },
		"provider block":     h.reconfigure,
		"configuration":      func() { h.own = []string{"", "", "", "demo", "two", "account"}[h.random.IntN(6)] },
		"older CLI": func() {
			if h.state != nil {
				h.state = &prototest.State{Attributes: h.state.Attributes, Private: h.state.Private}
			}
		},
		"person removed": func() {
			for scope := range scopes {
				h.service.DeleteConsent(serviceScope(scope), ada)
				h.service.DeleteProfile(serviceScope(scope), ada)
			}
		},
	}
	names := slices.Sorted(maps.Keys(commands))
	name := names[h.random.IntN(len(names))]
	h.said = append(h.said, name)

	before := len(h.service.Requests())
	h.diags = nil
	commands[name]()
	for _, text := range h.diags.Errors() {
		if strings.Contains(text, "dentity Change") || strings.Contains(text, "Missing Resource Identity") {
			h.t.Error(text)
		}
	}

	for _, r := range h.service.Requests()[before:] {
		writes := r.Operation == mockserver.OpUpdateConsent || r.Operation == mockserver.OpUpdateProfile
		if writes && (r.Scope != serviceScope(h.where) || strings.HasPrefix(name, "import")) {
			h.t.Errorf("%s sent %s to %v, and the object is in %s", name, r.Operation, r.Scope, h.where)
		}
	}
	if h.state != nil && h.state.Identity != nil {
		wantIdentity(h.t, h.state, h.where)
	}
}

func (h *history) reconfigure() {
	h.provider = []string{"", "demo", "two", "account"}[h.random.IntN(4)]
	settings := prototest.Attributes{"org_id": nil, "project_id": nil}
	if h.provider != "" {
		settings = scopes[h.provider]
	}
	h.Reconfigure(prototest.Config(h.service).With(settings))
}

func (h *history) refresh() {
	if h.state == nil {
		return
	}
	state, diags := h.Refresh(h.name, h.state)
	h.diags = diags
	if len(diags.Errors()) == 0 {
		h.state = state
	}
}

func (h *history) apply() {
	h.NewRun()
	configured := h.config.With(scopes[h.own])
	plan, diags := h.Plan(h.name, h.state, configured)
	h.diags = append(h.diags, diags...)
	if len(diags.Errors()) > 0 {
		return
	}

	command := h.Update
	if h.state != nil && len(plan.Replace) > 0 {
		command = h.Replace
	}
	if h.state == nil || len(plan.Replace) > 0 {
		h.where = cmp.Or(h.own, h.provider)
	}
	h.state, diags = command(h.name, h.state, configured)
	h.diags = append(h.diags, diags...)
}

// importAda imports Ada after a "terraform state rm", from a scope that is named, or from that
// of the provider.
func (h *history) importAda(byID bool) {
	prefixes := map[string]string{"demo": "org-demo/web/", "two": "org-two/shop/", "account": "acct-7/"}
	named := []string{"", "", "", "demo", "two", "account"}[h.random.IntN(6)]
	where := cmp.Or(named, h.provider)
	if where == "" {
		return
	}

	putAda(h.service, where)
	h.where = where
	if byID {
		h.state, h.diags = h.Import(h.name, prefixes[named]+ada)
	} else {
		h.state, h.diags = h.ImportByIdentity(h.name, identityIn(named))
	}
	if h.state == nil || h.state.Attributes["on_destroy"] != "retain" {
		h.t.Errorf("the import from %s left %v, with %v", where, h.state, h.diags.Errors())
	}
}
