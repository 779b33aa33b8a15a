// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Terraform's rule that a sensitive value stays sensitive has no test: in this protocol the
// schema alone says what is sensitive, so that no response of a provider can lose it.

// places are all that hold objects.
var places = []string{"", "single", "block"}

// The uses of the driver.
func create(p *Provider)           { p.MustCreate(thing, config()) }
func refresh(p *Provider)          { p.MustRefresh(thing, created(p)) }
func update(p *Provider)           { p.Update(thing, created(p), config().With(Attributes{"name": "another"})) }
func destroy(p *Provider)          { p.Destroy(thing, created(p)) }
func importByID(p *Provider)       { p.Import(thing, "by ID") }
func importByIdentity(p *Provider) { p.ImportByIdentity(thing, Attributes{"id": "1"}) }
func move(p *Provider)             { p.Move(Source{Type: "other_thing", Attributes: []byte("{}")}, thing) }
func readData(p *Provider)         { p.ReadData(thing, withoutSecrets()) }
func open(p *Provider)             { p.Open(thing, withoutSecrets()) }
func list(p *Provider)             { p.List(thing, ListRequest{}) }

// uses are those that lead to a response with values, by the call.
var uses = map[string]func(*Provider){
	"plan": create, "apply": create, "read": refresh, "upgrade": refresh, "import": importByID, "move": move, "data": readData, "open": open,
}

func created(p *Provider) *State {
	state, _ := p.MustCreate(thing, config())
	return state
}

func withoutSecrets() Attributes {
	values := config()
	replace(values, nil, nil)
	return values
}

func TestProvider_acceptsACorrectServer(t *testing.T) {
	t.Parallel()
	for _, use := range []func(*Provider){
		create, refresh, update, destroy, importByID, importByIdentity, move, readData, open, list,
		func(p *Provider) { p.WantEmptyPlan(thing, created(p), config()) },
	} {
		if reasons := refusals(t, &server{}, use); len(reasons) > 0 {
			t.Error(reasons)
		}
	}
}

// TestPlan_mayKeepWhatIsConfigured has plans that keep a value of the prior state where another
// one is configured, or none.
func TestPlan_mayKeepWhatIsConfigured(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]string{
		"": "name is neither", "single": "", // an attribute may be as it was, as a whole
		"block": "block.name is neither",
	} {
		for configured, want := range map[any]string{"AS CONFIGURED": "", nil: want} {
			keeps := &server{}
			reasons := refusals(t, keeps, func(p *Provider) {
				state := created(p)
				keeps.call, keeps.change = "plan", func(planned Attributes) { at(place, planned)["name"] = "as configured" }
				changed := config()
				at(place, changed)["name"] = configured
				p.Plan(thing, state, changed)
			})

			if text := strings.Join(reasons, "\n"); !strings.Contains(text, want) || (want == "") != (text == "") {
				t.Errorf("%q, %v: the reasons are %q, want %q", place, configured, reasons, want)
			}
		}
	}
}

// breach is a rule that a server breaks.
type breach struct {
	server *server
	use    func(*Provider)
	want   string // in the first reason
}

// on returns a server that changes one kind of response.
func on[R any](change func(*R)) *server {
	return &server{respond: func(response any) {
		if r, ok := response.(*R); ok {
			change(r)
		}
	}}
}

func (b breach) check(t *testing.T, name string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		if reasons := refusals(t, b.server, b.use); len(reasons) == 0 || !strings.Contains(reasons[0], b.want) {
			t.Errorf("the reasons are %q, want %q", reasons, b.want)
		}
	})
}

func TestValues_areRefused(t *testing.T) {
	t.Parallel()
	for _, rule := range []struct {
		calls  []string
		values map[string]Attributes // that break the rule
		want   string
	}{
		{[]string{"plan", "data", "open"}, map[string]Attributes{
			"a configured value is replaced":                {"name": "another"},
			"a computed one that is configured is replaced": {"kind": "another"},
			"a configured value is removed":                 {"name": nil},
			"a configured value is unknown":                 {"name": Unknown},
			"a value that cannot be computed is there":      {"note": "another"},
			"a value that cannot be computed is unknown":    {"note": Unknown},
		}, "neither as configured nor as it was"},
		{[]string{"apply"}, map[string]Attributes{
			"a planned value is replaced": {"name": "another"},
			"a planned value is removed":  {"name": nil},
			"a value is added":            {"note": "another"},
		}, "is not as planned"},
		{[]string{"plan", "apply", "read", "upgrade", "import", "move"}, map[string]Attributes{
			"a write-only attribute has a value": {"secret": "a secret"},
		}, "secret is write-only and has a value"},
		{[]string{"apply", "read", "upgrade", "import", "move", "data", "open"}, map[string]Attributes{
			"a value is unknown": {"made": Unknown},
		}, "is still unknown"},
	} {
		for _, call := range rule.calls {
			for name, values := range rule.values {
				for _, place := range places {
					if place != "" && (call == "import" || call == "move") {
						continue // they fill in the whole object alone
					}
					change := func(v Attributes) { maps.Copy(at(place, v), values) }
					breach{&server{call: call, change: change}, uses[call], rule.want}.check(t, call+", "+place+": "+name)
				}
			}
		}
	}

	for _, place := range places[1:] {
		for _, whole := range []struct {
			call string
			v    any
			want string
		}{{"plan", Unknown, " is neither as configured"}, {"plan", nil, " is neither as configured"}, {"apply", nil, " is not as planned"}} {
			change := func(v Attributes) { v[place] = whole.v }
			breach{&server{call: whole.call, change: change}, create, place + whole.want}.check(t, fmt.Sprintf("%s, %s: %v", whole.call, place, whole.v))
		}
	}
}

// TestExistence_isRefused has plans and applies that lose an object, or keep one that is to be
// destroyed.
func TestExistence_isRefused(t *testing.T) {
	t.Parallel()
	pack, unpack := (&server{t: t}).pack, (&server{t: t}).unpack
	lose := func(state **tfprotov6.DynamicValue) { *state = pack(nil) }
	keep := func(state **tfprotov6.DynamicValue) {
		if unpack(*state) == nil {
			*state = pack(Attributes{"name": "kept"})
		}
	}

	for name, tc := range map[string]struct {
		change         func(state **tfprotov6.DynamicValue)
		use            func(*Provider)
		planned, after string
	}{
		"no object":            {lose, create, "an object is configured true, and the result has one false", "planned to exist true, exists false"},
		"an object to destroy": {keep, destroy, "an object is configured false, and the result has one true", "planned to exist false, exists true"},
	} {
		plan := on(func(resp *tfprotov6.PlanResourceChangeResponse) { tc.change(&resp.PlannedState) })
		breach{plan, tc.use, tc.planned}.check(t, "plan: "+name)
		apply := on(func(resp *tfprotov6.ApplyResourceChangeResponse) { tc.change(&resp.NewState) })
		breach{apply, tc.use, tc.after}.check(t, "apply: "+name)
	}

	for use, read := range map[string]func(*Provider){"read": readData, "open": open} {
		nothing := &server{respond: func(resp any) {
			switch resp := resp.(type) {
			case *tfprotov6.ReadDataSourceResponse:
				resp.State = pack(nil)
			case *tfprotov6.OpenEphemeralResourceResponse:
				resp.Result = pack(nil)
			}
		}}
		breach{nothing, read, "an object is configured true, and the result has one false"}.check(t, use+": no object")
	}
}

func TestIdentity_isRefused(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]struct {
		identity *tfprotov6.ResourceIdentityData
		want     string
	}{
		"missing": {nil, "has no identity"},
		"empty":   {identity(nil), "has no identity"},
		"unknown": {identity(tftypes.UnknownValue), "it has unknown values"},
		"changed": {identity("2"), "the identity has changed"},
	} {
		apply := on(func(resp *tfprotov6.ApplyResourceChangeResponse) { resp.NewIdentity = to.identity })
		readAs := func(resp *tfprotov6.ReadResourceResponse) { resp.NewIdentity = to.identity }
		plan := on(func(resp *tfprotov6.PlanResourceChangeResponse) { resp.PlannedIdentity = to.identity })
		breach{on(readAs), refresh, to.want}.check(t, name+" after a read")

		for use, change := range map[string]*server{"a plan": plan, "an update": apply} {
			later := &server{}
			breach{later, func(p *Provider) {
				state := created(p)
				later.respond = change.respond
				p.Update(thing, state, config().With(Attributes{"name": "another"}))
			}, to.want}.check(t, name+" after "+use)
		}
		if name == "changed" {
			continue // from nothing, when the object is created, imported or moved
		}

		breach{apply, create, to.want}.check(t, name+" after a creation")
		breach{on(readAs), importByID, to.want}.check(t, name+" after an import")
	}

	moved := on(func(resp *tfprotov6.MoveResourceStateResponse) { resp.TargetIdentity = identity(tftypes.UnknownValue) })
	breach{moved, move, "it has unknown values"}.check(t, "unknown after a move")
	listed := on(func(result *tfprotov6.ListResourceResult) { result.Identity = nil })
	breach{listed, list, "it has no identity"}.check(t, "missing in a list")
	imported := on(func(resp *tfprotov6.ImportResourceStateResponse) { resp.ImportedResources[0].Identity = nil })
	breach{imported, importByIdentity, "import by identity: it has none"}.check(t, "missing in an import by identity")
}

func TestImport_isRefused(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]struct {
		imports func(*tfprotov6.ImportResourceStateResponse)
		want    string
	}{
		"no object": {func(r *tfprotov6.ImportResourceStateResponse) { r.ImportedResources = nil }, "it has 0 objects"},
		"two resources": {func(r *tfprotov6.ImportResourceStateResponse) {
			r.ImportedResources = append(r.ImportedResources, r.ImportedResources...)
		}, "it has 2 objects"},
		"no type": {func(r *tfprotov6.ImportResourceStateResponse) { r.ImportedResources[0].TypeName = "" }, `an object of "" for "test_thing"`},
		"an object that does not exist": {func(r *tfprotov6.ImportResourceStateResponse) {
			r.ImportedResources[0].State = (&server{t: t}).pack(nil)
		}, "or none"},
	} {
		breach{on(b.imports), importByID, b.want}.check(t, name)
	}
}

func TestProvider_carriesPrivateState(t *testing.T) {
	t.Parallel()
	s := &server{}
	reasons := refusals(t, s, func(p *Provider) {
		state, _ := p.MustRefresh(thing, created(p))
		p.Update(thing, state, config().With(Attributes{"name": "another"}))
		importByID(p)
		state, _ = p.Move(Source{Type: "other_thing", Attributes: []byte("{}")}, thing)
		p.MustRefresh(thing, state)
	})
	if len(reasons) > 0 {
		t.Error(reasons)
	}

	want := []string{"", "planned", "applied", "read", "planned", "imported", "moved"}
	if diff := cmp.Diff(want, s.private); diff != "" {
		t.Errorf("plans, applies and reads have received (-want +got):\n%s", diff)
	}
}

func TestProvider_upgradesWhatIsStored(t *testing.T) {
	t.Parallel()
	s := &server{call: "upgrade", change: func(after Attributes) { after["made"] = "upgraded" }}
	reasons := refusals(t, s, func(p *Provider) {
		stored := created(p)
		if plan, _ := p.Plan(thing, stored, config()); plan.Attributes["made"] != "upgraded" {
			t.Errorf("the plan begins with %v", plan.Attributes["made"])
		}
		if state, _ := p.MustRefresh(thing, stored); state.Attributes["made"] != "upgraded" {
			t.Errorf("the refresh begins with %v", state.Attributes["made"])
		}
	})
	if len(reasons) > 0 || s.upgraded != 2 {
		t.Errorf("%d objects were upgraded: %v", s.upgraded, reasons)
	}
}

func TestProposed_keepsWhatIsComputed(t *testing.T) {
	t.Parallel()
	s := &server{}
	reasons := refusals(t, s, func(p *Provider) {
		state := created(p)
		changed := config()
		for _, place := range places {
			at(place, changed)["name"] = "another"
		}
		p.Plan(thing, state, changed)
	})
	if len(reasons) > 0 {
		t.Fatal(reasons)
	}

	for _, place := range places {
		want := Attributes{"name": "another", "kind": "as configured", "note": nil, "size": "made", "made": "made", "secret": "a secret"}
		if diff := cmp.Diff(want, at(place, s.proposed).Without(places[1:]...)); diff != "" {
			t.Errorf("%q is proposed (-want +got):\n%s", place, diff)
		}
	}
}

// TestFieldsOf_refusesWhatTheDriverDoesNotKnow has schemas whose collections of objects can be
// configured.
func TestFieldsOf_refusesWhatTheDriverDoesNotKnow(t *testing.T) {
	t.Parallel()
	objects := &tfprotov6.SchemaObject{Nesting: tfprotov6.SchemaObjectNestingModeSet}
	for name, block := range map[string]*tfprotov6.SchemaBlock{
		"things": {Attributes: []*tfprotov6.SchemaAttribute{{Name: "things", Optional: true, NestedType: objects}}},
		"blocks": {BlockTypes: []*tfprotov6.SchemaNestedBlock{{TypeName: "blocks", Nesting: tfprotov6.SchemaNestedBlockNestingModeList}}},
	} {
		func() {
			defer func() {
				if reason, _ := recover().(string); !strings.HasSuffix(reason, name) {
					t.Errorf("%s: %q", name, reason)
				}
			}()
			fieldsOf(block)
		}()
	}
}
