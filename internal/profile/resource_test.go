// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestProfile_onlyConfiguredMembersAreManaged(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	service.PutProfile(scope, person, `{"theirs":"secret","plan":"free"}`)
	state, diags := p.Create(name, config(`{"plan":"gold","seats":9007199254740993}`, nil))
	p.NoErrors(diags)
	wantSent(t, service, `{"plan":"gold","seats":9007199254740993}`)
	if state.Attributes["fulfilled"] != true || strings.Contains(fmt.Sprint(state.Attributes["profile"]), "theirs") {
		t.Errorf("state %v", state.Attributes)
	}

	state = wantEmptyPlan(t, p, state, config(`{"plan":"gold","seats":9007199254740993}`, nil))
	if strings.Contains(fmt.Sprint(state.Attributes["profile"]), "theirs") {
		t.Errorf("state shows members that are not managed: %v", state.Attributes)
	}
}

func TestProfile_updateCarriesOnlyWhatDiffers(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	state := created(t, p, service, config(`{"a":1,"b":{"x":[1,2]},"c":"x","d":true}`, nil))
	state, diags := p.Update(name, state, config(`{"a":1.0,"b":{"x":[1,2,3]},"c":null,"e":"new","d":true}`, nil))
	p.NoErrors(diags)
	wantSent(t, service, `{"b":{"x":[1,2,3]},"c":null,"e":"new"}`)
	wantEmptyPlan(t, p, state, config(`{"a":1.0,"b":{"x":[1,2,3]},"c":null,"e":"new","d":true}`, nil))
}

func TestProfile_driftOfAManagedMemberIsRepairedAlone(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	cfg := config(`{"a":1,"b":2}`, nil)
	state := created(t, p, service, cfg)
	service.PutProfile(scope, person, `{"a":1,"b":3,"c":4}`)
	state, _ = p.MustRefresh(name, state)
	state, diags := p.Update(name, state, cfg)
	p.NoErrors(diags)
	wantSent(t, service, `{"b":2}`)
	service.PutProfile(scope, person, `{"b":2,"c":4}`)

	service.Reset()
	state, _ = p.MustRefresh(name, state)
	_, diags = p.Update(name, state, cfg)
	p.NoErrors(diags)
	wantSent(t, service, `{"a":1}`)
}

func TestProfile_spellingOfValuesIsNoChange(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	state := created(t, p, service, config(`{"n":1,"z":0,"big":9007199254740993,"s":"é","l":[1,"a",{"b":null}]}`, nil))
	state = wantEmptyPlan(t, p, state, config(`{ "l": [1.0, "a", {"b": null}], "s":"\u00e9", "big":9007199254740993.0, "z":-0, "n":1e0 }`, nil))
	plan, _ := p.Plan(name, state, config(`{"n":1,"z":0,"big":9007199254740992,"s":"é","l":[1,"a",{"b":null}]}`, nil))
	if !plan.Changes {
		t.Error("9007199254740992 is taken for 9007199254740993")
	}
}

func TestProfile_removedMemberIsNoLongerManaged(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	state := created(t, p, service, config(`{"a":1,"b":2}`, nil))
	plan, diags := p.Plan(name, state, config(`{"a":1}`, nil))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "no longer managed", "b")
	state, diags = p.Apply(t.Context(), name, state, plan)
	p.NoErrors(diags)
	wantSent(t, service)
	if held, _ := service.Profile(scope, person); len(held) != 2 {
		t.Errorf("the service holds %v", held)
	}

	wantEmptyPlan(t, p, state, config(`{"a":1}`, nil))
}

func TestProfile_exactNamesArrive(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	cfg := config(`{"a.b":1,"q\"uote":2,"ünï":3,"__proto__":4,"":5,"$set":6,"sp ace":7}`, nil)
	state := created(t, p, service, cfg)
	held, _ := service.Profile(scope, person)
	for _, member := range []string{"a.b", `q"uote`, "ünï", "__proto__", "", "$set", "sp ace"} {
		if _, ok := held[member]; !ok {
			t.Errorf("%q did not arrive", member)
		}
	}

	wantEmptyPlan(t, p, state, cfg)
}

func TestProfile_textThatIsNoObjectIsRefusedAndNotRepeated(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	for _, text := range []string{"", "canary", `{"canary":`, `["canary"]`, "null", `{"canary":1e400}`, `{"canary":1,"canary":2}`} {
		for attribute, cfg := range map[string]prototest.Attributes{"profile": config(text, nil), "profile_wo": writeOnly(text, 1, nil)} {
			errors := p.Validate(name, cfg).Errors()
			prototest.WantText(t, errors, "Invalid value", `AttributeName("`+attribute+`")`)
			if strings.Contains(strings.Join(errors, ""), "canary") {
				t.Errorf("%s: %q is repeated: %v", attribute, text, errors)
			}
		}
	}

	for label, cfg := range map[string]prototest.Attributes{
		"neither":         {"identity_id": person},
		"both":            config("{}", prototest.Attributes{"profile_wo": "{}", "profile_wo_version": 1}),
		"no version":      {"identity_id": person, "profile_wo": "{}"},
		"version alone":   config("{}", prototest.Attributes{"profile_wo_version": 1}),
		"on_destroy":      config("{}", prototest.Attributes{"on_destroy": "delete"}),
		"no time":         config("{}", prototest.Attributes{"timeouts": prototest.Attributes{"create": "0s"}}),
		"negative time":   config("{}", prototest.Attributes{"timeouts": prototest.Attributes{"create": "-5m"}}),
		"no duration":     config("{}", prototest.Attributes{"timeouts": prototest.Attributes{"update": "abc"}}),
		"more than a day": config("{}", prototest.Attributes{"timeouts": prototest.Attributes{"update": "9999h"}}),
	} {
		if errors := p.Validate(name, cfg).Errors(); len(errors) == 0 {
			t.Errorf("%s is accepted", label)
		}
	}

	if n := service.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestProfile_writeOnlyValuesAreSentByVersion(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	cfg := writeOnly(`{"email":"canary@example.com"}`, 1, nil)
	plan, diags := p.Plan(name, nil, cfg)
	p.NoErrors(diags)
	if plan.Attributes["profile_wo"] != nil {
		t.Error("the plan holds the write-only value")
	}

	state := created(t, p, service, cfg)
	if state.Attributes["profile_wo"] != nil || strings.Contains(string(state.Private), "canary") {
		t.Errorf("state %v, private %s", state.Attributes, state.Private)
	}

	state = wantEmptyPlan(t, p, state, writeOnly(`{"email":"other@example.com"}`, 1, nil))
	state, diags = p.Update(name, state, writeOnly(`{"email":"other@example.com","plan":"gold"}`, 2, nil))
	p.NoErrors(diags)
	wantSent(t, service, `{"email":"other@example.com","plan":"gold"}`)
	wantEmptyPlan(t, p, state, writeOnly(`{"email":"other@example.com","plan":"gold"}`, 2, nil))
}

func TestProfile_failureWithWriteOnlyValuesKeepsTheObject(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	fault := mockserver.Fault{Operation: mockserver.OpUpdateProfile, Status: 403, Body: []byte(`{"error":{"message":"canary@example.com may not"}}`)}
	service.Inject(fault)
	state, diags := p.Create(name, writeOnly(`{"email":"canary@example.com"}`, 1, nil))
	prototest.WantText(t, diags.Errors(), "Not permitted", "[redacted] may not", "In state now: nothing")
	if state != nil {
		t.Error("a failed create is in state")
	}

	cfg := writeOnly(`{"email":"canary@example.com"}`, 1, prototest.Attributes{"on_destroy": "clear"})
	state = created(t, p, service, cfg)
	service.Inject(fault)
	after, diags := p.Update(name, state, writeOnly(`{"email":"canary@example.com","x":1}`, 2, prototest.Attributes{"on_destroy": "clear"}))
	prototest.WantText(t, diags.Errors(), "Not permitted", "as it was before")
	if diff := cmp.Diff(state.Attributes, after.Attributes); diff != "" {
		t.Errorf("the state changed:\n%s", diff)
	}

	service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 403, Body: []byte("{}")})
	after, diags = p.Refresh(name, state)
	if after == nil || len(diags.Errors()) != 1 {
		t.Errorf("a failed refresh left %v, %v", after, diags.Errors())
	}

	p.NewRun()
	service.Inject(fault)
	after, diags = p.Destroy(name, state)
	if after == nil || len(diags.Errors()) != 1 {
		t.Errorf("a failed destroy left %v, %v", after, diags.Errors())
	}
}

func TestProfile_destroyRetainsOrClears(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	service.PutProfile(scope, person, `{"theirs":1}`)
	state := created(t, p, service, config(`{"a":1,"b":2}`, nil))
	_, diags := p.Destroy(name, state)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "The profile stays at the service", "clear")
	wantSent(t, service)

	state = created(t, p, service, config(`{"a":1,"b":2}`, prototest.Attributes{"on_destroy": "clear"}))
	_, diags = p.Destroy(name, state)
	p.NoErrors(diags)
	wantSent(t, service, `{"a":null,"b":null}`)

	state = created(t, p, service, writeOnly(`{"a":1}`, 1, prototest.Attributes{"on_destroy": "clear"}))
	_, diags = p.Destroy(name, state)
	p.NoErrors(diags)
	wantSent(t, service, `{"a":null}`)
	if held, _ := service.Profile(scope, person); len(held) != 1 {
		t.Errorf("the service holds %v", held)
	}
}

func TestProfile_importTakesTheWholeProfile(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	service.PutProfile(scope, person, `{"a":1,"b":"x"}`)
	state, diags := p.Import(name, "org-demo/web/jane.doe%40example.com")
	p.NoErrors(diags)
	wantEmptyPlan(t, p, state, config(`{"b":"x","a":1.0}`, nil))
	plan, diags := p.Plan(name, state, config(`{"a":1}`, nil))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "no longer managed", "b")
	if !plan.Changes {
		t.Error("a smaller configuration changes nothing")
	}
	if state, _ := p.Import(name, "nobody"); state != nil {
		t.Error("somebody unknown was imported")
	}

	wantSent(t, service)
}

func TestProfile_removedOnlyByAProven404(t *testing.T) {
	t.Parallel()

	for label, tc := range map[string]struct {
		fault   mockserver.Fault
		removed bool
	}{
		"404 JSON": {mockserver.Fault{Status: 404, Body: []byte(`{"error":{"code":"x"}}`)}, true},
		"404 page": {mockserver.Fault{Status: 404, Body: []byte("<p>nginx</p>")}, false},
		"403":      {mockserver.Fault{Status: 403, Body: []byte(`{}`)}, false},
		"portal":   {mockserver.Fault{Status: 200, Body: []byte("<p>Sign in</p>")}, false},
	} {
		p, service := start(t)
		state := created(t, p, service, config(`{"a":1}`, nil))
		tc.fault.Operation = mockserver.OpGetProfile
		service.Inject(tc.fault)
		after, diags := p.Refresh(name, state)
		if (after == nil) != tc.removed || (len(diags.Errors()) == 0) != tc.removed {
			t.Errorf("%s: removed %v, errors %v", label, after == nil, diags.Errors())
		}
	}
}

func TestProfile_conflictsWithAPendingDeletion(t *testing.T) {
	t.Parallel()

	p, service := start(t, func(s *mockserver.Server) { s.FulfilmentDelay = time.Hour })
	id := service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: mockserver.OpDeleteAllData})
	state, diags := p.Create(name, config(`{"a":1}`, nil))
	prototest.WantText(t, diags.Errors(), "onflicting pending request "+id, "nothing was sent")
	if state != nil || service.Count(mockserver.OpUpdateProfile) != 0 {
		t.Error("something was sent or saved")
	}
}

func TestProfileDataSource_readsExactly(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	service.PutProfile(scope, person, `{"b":9007199254740993,"a":1.0}`)
	read, diags := p.ReadData(name, prototest.Attributes{"identity_id": person})
	p.NoErrors(diags)
	if read["profile"] != `{"a":1.0,"b":9007199254740993}` || read["json"] == "" {
		t.Errorf("read %v", read)
	}

	_, diags = p.ReadData(name, prototest.Attributes{"identity_id": "nobody"})
	prototest.WantText(t, diags.Errors(), "Not found")
}
