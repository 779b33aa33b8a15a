// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// Members that are not configured are neither sent nor shown in state.
func TestProfile_onlyConfiguredMembersAreManaged(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		o.service.PutProfile(scope, person, `{"theirs":"secret","plan":"free"}`)
		wanted := config(`{"plan":"gold","seats":9007199254740993}`, nil)
		state, _ := o.MustCreate(name, wanted)
		wantSent(t, o.service, `{"plan":"gold","seats":9007199254740993}`)
		wantFulfilled(t, state, true, wanted["profile"])

		state = o.wantEmptyPlan(state, wanted)
		if strings.Contains(fmt.Sprint(state.Attributes["profile"]), "theirs") {
			t.Errorf("state shows members that are not managed: %v", state.Attributes)
		}
	})
}

func TestProfile_updateCarriesOnlyWhatDiffers(t *testing.T) {
	t.Parallel()
	const before = `{"a":1,"b":{"x":[1,2]},"c":"x","d":true}`
	for name, tc := range map[string]struct{ held, after, sent string }{
		"of the configuration": {before, `{"a":1.0,"b":{"x":[1,2,3]},"c":null,"e":"new","d":true}`, `{"b":{"x":[1,2,3]},"c":null,"e":"new"}`},
		"of the service":       {`{"a":1,"b":{"x":[1,2]},"c":"y","d":true,"e":4}`, before, `{"c":"x"}`},
		"gone at the service":  {`{"b":{"x":[1,2]},"c":"x","d":true}`, before, `{"a":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, o *object) {
				state := o.create(config(before, nil))
				o.service.PutProfile(scope, person, tc.held)

				state, _ = o.MustRefresh("analytics_profile", state)
				state, _ = o.mustUpdate(state, config(tc.after, nil))
				wantSent(t, o.service, tc.sent)
				o.wantEmptyPlan(state, config(tc.after, nil))
			})
		})
	}
}

func TestProfile_spellingOfValuesIsNoChange(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		state := o.create(config(`{"n":1,"z":0,"big":9007199254740993,"s":"é","l":[1,"a",{"b":null}]}`, nil))
		state = o.wantEmptyPlan(state, config(`{ "l": [1.0, "a", {"b": null}], "s":"\u00e9", "big":9007199254740993.0, "z":-0, "n":1e0 }`, nil))
		plan, _ := o.mustPlan(state, config(`{"n":1,"z":0,"big":9007199254740992,"s":"é","l":[1,"a",{"b":null}]}`, nil))
		if !plan.Changes {
			t.Error("9007199254740992 is taken for 9007199254740993")
		}
	})
}

func TestProfile_removedMemberIsNoLongerManaged(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		state := o.create(config(`{"a":1,"b":2}`, nil))
		state, diags := o.mustUpdate(state, config(`{"a":1}`, nil))
		prototest.WantText(t, diags.Warnings(), "no longer managed", "b")
		wantSent(t, o.service)
		if held, _ := o.service.Profile(scope, person); len(held) != 2 {
			t.Errorf("the service holds %v", held)
		}
		o.wantEmptyPlan(state, config(`{"a":1}`, nil))
	})
}

func TestProfile_exactNamesArrive(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		cfg := config(`{"a.b":1,"q\"uote":2,"ünï":3,"__proto__":4,"":5,"$set":6,"sp ace":7}`, nil)
		state := o.create(cfg)
		held, _ := o.service.Profile(scope, person)
		for _, member := range []string{"a.b", `q"uote`, "ünï", "__proto__", "", "$set", "sp ace"} {
			if _, ok := held[member]; !ok {
				t.Errorf("%q did not arrive", member)
			}
		}
		o.wantEmptyPlan(state, cfg)
	})
}

func TestProfile_textThatIsNoObjectIsRefusedAndNotRepeated(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		for _, text := range []string{"", "canary", `{"canary":`, `["canary"]`, "null", `{"canary":1e400}`, `{"canary":1,"canary":2}`} {
			for attribute, cfg := range map[string]prototest.Attributes{"profile": config(text, nil), "profile_wo": writeOnly(text, 1, nil)} {
				errors := o.Validate(name, cfg).Errors()
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
			if errors := o.Validate(name, cfg).Errors(); len(errors) == 0 {
				t.Errorf("%s is accepted", label)
			}
		}
		if n := o.service.Count(""); n != 0 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestProfile_writeOnlyValuesAreSentByVersion(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		cfg := writeOnly(`{"email":"canary@example.com"}`, 1, nil)
		if plan, _ := o.mustPlan(nil, cfg); plan.Attributes["profile_wo"] != nil {
			t.Error("the plan holds the write-only value")
		}
		state := o.create(cfg)
		if state.Attributes["profile_wo"] != nil || strings.Contains(string(state.Private), "canary") {
			t.Errorf("state %v, private %s", state.Attributes, state.Private)
		}

		state = o.wantEmptyPlan(state, writeOnly(`{"email":"other@example.com"}`, 1, nil))
		another := writeOnly(`{"email":"other@example.com","plan":"gold"}`, 2, nil)
		plan, _ := o.mustPlan(state, another.With(prototest.Attributes{"profile_wo": prototest.Unknown}))
		if plan.Attributes["fulfilled"] != prototest.Unknown {
			t.Errorf("with values that are not known yet, the plan is %v", plan.Attributes)
		}
		state, _ = o.mustUpdate(state, another)
		wantSent(t, o.service, `{"email":"other@example.com","plan":"gold"}`)
		o.wantEmptyPlan(state, another)
	})
}

func TestProfile_failureWithWriteOnlyValuesKeepsTheObject(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		fault := mockserver.Fault{Operation: mockserver.OpUpdateProfile, Status: 403, Body: []byte(`{"error":{"message":"canary@example.com may not"}}`)}
		clearing := prototest.Attributes{"on_destroy": "clear"}
		o.service.Inject(fault)
		state, diags := o.Create(name, writeOnly(`{"email":"canary@example.com"}`, 1, nil))
		prototest.WantText(t, diags.Errors(), "Not permitted", "[redacted] may not", "In state now: nothing")
		if state != nil {
			t.Error("a failed create is in state")
		}

		state = o.create(writeOnly(`{"email":"canary@example.com"}`, 1, clearing))
		o.service.Inject(fault)
		after, diags := o.Update(name, state, writeOnly(`{"email":"canary@example.com","x":1}`, 2, clearing))
		prototest.WantText(t, diags.Errors(), "Not permitted", "as it was before")
		if diff := cmp.Diff(state.Attributes, after.Attributes); diff != "" {
			t.Errorf("the state changed:\n%s", diff)
		}

		o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 403, Body: []byte("{}")})
		after, diags = o.Refresh(name, state)
		if after == nil || len(diags.Errors()) != 1 {
			t.Errorf("a failed refresh left %v, %v", after, diags.Errors())
		}

		o.NewRun()
		o.service.Inject(fault)
		after, diags = o.Destroy(name, state)
		if after == nil || len(diags.Errors()) != 1 {
			t.Errorf("a failed destroy left %v, %v", after, diags.Errors())
		}
	})
}

func TestProfile_destroyRetainsOrClears(t *testing.T) {
	t.Parallel()
	clearing := prototest.Attributes{"on_destroy": "clear"}
	for name, tc := range map[string]struct {
		config prototest.Attributes
		sent   []string
		says   string
	}{
		"retain":            {config(`{"a":1,"b":2}`, nil), nil, "The profile stays at the service"},
		"clear":             {config(`{"a":1,"b":2}`, clearing), []string{`{"a":null,"b":null}`}, ""},
		"clear, write-only": {writeOnly(`{"a":1}`, 1, clearing), []string{`{"a":null}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, o *object) {
				o.service.PutProfile(scope, person, `{"theirs":1}`)
				state := o.create(tc.config.With(prototest.Attributes{"on_destroy": "retain"}))
				state, _ = o.mustUpdate(state, tc.config)

				_, diags := o.Destroy("analytics_profile", state)
				o.NoErrors(diags)
				prototest.WantText(t, append(diags.Warnings(), ""), tc.says)
				wantSent(t, o.service, tc.sent...)

				o.service.FulfilAll()
				if held, _ := o.service.Profile(scope, person); held["theirs"] == nil || tc.says == "" && len(held) != 1 {
					t.Errorf("the service holds %v", held)
				}
			})
		})
	}
}

func TestProfile_importTakesTheWholeProfile(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		o.service.PutProfile(scope, person, `{"a":1,"b":"x"}`)
		state, diags := o.Import(name, "org-demo/web/jane.doe%40example.com")
		o.NoErrors(diags)
		o.wantEmptyPlan(state, config(`{"b":"x","a":1.0}`, nil))
		plan, diags := o.mustPlan(state, config(`{"a":1}`, nil))
		prototest.WantText(t, diags.Warnings(), "no longer managed", "b")
		if !plan.Changes {
			t.Error("a smaller configuration changes nothing")
		}
		if state, _ := o.Import(name, "nobody"); state != nil {
			t.Error("somebody unknown was imported")
		}
		wantSent(t, o.service)
	})
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
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, o *object) {
				state := o.create(config(`{"a":1}`, nil))
				tc.fault.Operation = mockserver.OpGetProfile
				o.service.Inject(tc.fault)

				after, diags := o.Refresh(name, state)
				if (after == nil) != tc.removed || (len(diags.Errors()) == 0) != tc.removed {
					t.Errorf("removed %v, errors %v", after == nil, diags.Errors())
				}
			})
		})
	}
}

// The data source and the ephemeral resource read the same, and change nothing.
func TestProfileDataSource_readsExactly(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		o.service.PutProfile(scope, person, `{"b":9007199254740993,"a":1.0}`)
		for kind, read := range map[string]func(string, prototest.Attributes) (prototest.Attributes, prototest.Diagnostics){"data": o.ReadData, "ephemeral": o.Open} {
			o.service.Reset()
			got, diags := read(name, prototest.Attributes{"identity_id": person})
			o.NoErrors(diags)
			if got["profile"] != `{"a":1.0,"b":9007199254740993}` {
				t.Errorf("%s: read %v", kind, got)
			}
			if o.service.Count(mockserver.OpGetProfile) != 1 || o.service.Count(mockserver.OpUpdateProfile) != 0 {
				t.Errorf("%s: more was asked than the profile once", kind)
			}

			_, diags = read(name, prototest.Attributes{"identity_id": "nobody"})
			prototest.WantText(t, diags.Errors(), "Not found", "HTTP status: 404")
		}
	})
}
