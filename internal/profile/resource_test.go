// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"cmp"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// Neither the spelling of a value nor the name of a member changes on its way, and another spelling
// does not count as a difference.
func TestProfile_updateCarriesOnlyWhatDiffers(t *testing.T) {
	t.Parallel()
	const (
		before = `{"a":1,"b":{"x":[1,2]},"c":"x","d":true}`
		values = `{"big":9007199254740993,"d":true,"l":[1,"a",{"b":null}],"n":1,"s":"é","z":0}`
		names  = `{"":5,"$set":6,"__proto__":4,"a.b":1,"d":true,"q\"uote":2,"sp ace":7,"ünï":3}`
	)
	for label, tc := range map[string]struct {
		before, held, after string
		sent                []string
		state               string // in place of after
	}{
		"of the configuration": {
			before, before, `{"a":1.0,"b":{"x":[1,2,3]},"c":null,"e":"new","d":true}`,
			[]string{`{"b":{"x":[1,2,3]},"c":null,"e":"new"}`},
			"",
		},
		"of the service":      {before, `{"a":1,"b":{"x":[1,2]},"c":"y","d":true,"e":4}`, before, []string{`{"c":"x"}`}, ""},
		"gone at the service": {before, `{"b":{"x":[1,2]},"c":"x","d":true}`, before, []string{`{"a":1}`}, ""},
		"spelled by it":       {before, `{"a":1.0,"b":{"x":[1,2]},"c":"x","d":true}`, before, nil, ""},
		"no longer managed":   {before, before, `{"a":1,"b":{"x":[1,2]},"c":"x"}`, nil, ""},
		"a large number":      {values, values, strings.Replace(values, "993", "992", 1), []string{`{"big":9007199254740992}`}, ""},
		"a name":              {names, names, strings.Replace(names, "ünï", "uni", 1), []string{`{"uni":3}`}, ""},
		"spelling": {
			values, values, `{ "l": [1.0, "a", {"b": null}], "s":"\u00e9", "big":9007199254740993.0, "z":-0, "n":1e0, "d":true }`, nil, values,
		},
		"spelling of names": {names, names, strings.Replace(names, "ünï", `\u00fcnï`, 1), nil, names},
		"nothing":           {`{}`, `{"d":true}`, ` { } `, nil, `{}`},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, o *object) {
				state, _ := o.MustCreate(name, config(tc.before, nil))
				if tc.before != `{}` {
					wantSent(t, o.service, tc.before)
				}
				o.service.Reset()
				o.service.PutProfile(scope, person, tc.held)

				state, _ = o.MustRefresh(name, state)
				state, _ = o.MustUpdate(name, state, config(tc.after, nil))
				wantSent(t, o.service, tc.sent...)
				wantFulfilled(t, o.wantEmptyPlan(state, config(tc.after, nil)), true, cmp.Or(tc.state, tc.after))
				o.wantHeld("d", true)
			})
		})
	}
}

func TestProfile_unusableInputIsRefusedAndNotRepeated(t *testing.T) {
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
			"neither":       {"identity_id": person},
			"both":          config("{}", prototest.Attributes{"profile_wo": "{}", "profile_wo_version": 1}),
			"no version":    {"identity_id": person, "profile_wo": "{}"},
			"version alone": config("{}", prototest.Attributes{"profile_wo_version": 1}),
			"on_destroy":    config("{}", prototest.Attributes{"on_destroy": "delete"}),
			"no time":       config("{}", prototest.Attributes{"timeouts": prototest.Attributes{"create": "0s"}}),
			"too much time": config("{}", prototest.Attributes{"timeouts": prototest.Attributes{"update": "9999h"}}),
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
		if plan, _ := o.MustPlan(name, nil, cfg); plan.Attributes["profile_wo"] != nil {
			t.Error("the plan holds the write-only value")
		}
		state := o.create(cfg)
		if state.Attributes["profile_wo"] != nil || strings.Contains(string(state.Private), "canary") {
			t.Errorf("state %v, private %s", state.Attributes, state.Private)
		}

		state = o.wantEmptyPlan(state, writeOnly(`{"email":"other@example.com"}`, 1, nil))
		another := writeOnly(`{"email":"other@example.com","plan":"gold"}`, 2, nil)
		plan, _ := o.MustPlan(name, state, another.With(prototest.Attributes{"profile_wo": prototest.Unknown}))
		if plan.Attributes["fulfilled"] != prototest.Unknown {
			t.Errorf("with values that are not known yet, the plan is %v", plan.Attributes)
		}
		state, _ = o.MustUpdate(name, state, another)
		wantSent(t, o.service, `{"email":"other@example.com","plan":"gold"}`)
		o.wantEmptyPlan(state, another)
	})
}

// An object leaves the state only where the service knows of no profile.
func TestProfile_failureKeepsTheObject(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		given := writeOnly(`{"email":"canary@example.com"}`, 1, clearing)
		body := []byte(`{"error":{"message":"canary@example.com may not"}}`)
		refused := mockserver.Fault{Operation: mockserver.OpUpdateProfile, Status: 403, Body: body}
		o.service.Inject(refused)
		state, diags := o.Create(name, given)
		prototest.WantText(t, diags.Errors(), "Not permitted", "[redacted] may not", "In state now: nothing")
		if state != nil {
			t.Error("a failed create is in state")
		}

		before := o.create(given)
		refresh := func() (*prototest.State, prototest.Diagnostics) { return o.Refresh(name, before) }
		for command, tc := range map[string]struct {
			fault mockserver.Fault
			do    func() (*prototest.State, prototest.Diagnostics)
		}{
			"refresh, refused":  {mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 403, Body: []byte(`{}`)}, refresh},
			"refresh, 404 page": {mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 404, Body: []byte("<p>nginx</p>")}, refresh},
			"update": {refused, func() (*prototest.State, prototest.Diagnostics) {
				return o.Update(name, before, writeOnly(`{"x":1}`, 2, clearing))
			}},
			"destroy": {refused, func() (*prototest.State, prototest.Diagnostics) { return o.Destroy(name, before) }},
		} {
			o.NewRun()
			o.service.Inject(tc.fault)
			after, diags := tc.do()
			prototest.WantText(t, diags.Errors(), "as it was before")
			if after == nil || !maps.Equal(before.Attributes, after.Attributes) {
				t.Errorf("after a failed %s, in state is %v", command, after)
			}
		}
	})
}

// Members that the configuration does not name any more stay, also in a destroy.
func TestProfile_destroyClearsWhatIsManagedInTheEnd(t *testing.T) {
	t.Parallel()
	const both = `{"plan":"gold","tier":1}`
	for to, c := range map[string]struct{ from, to prototest.Attributes }{
		"in state":        {config(both, nil), config(gold, clearing)},
		"another version": {writeOnly(both, 1, nil), writeOnly(gold, 2, clearing)},
		"values in state": {writeOnly(both, 1, nil), config(gold, clearing)},
	} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, o *object) {
				state, _ := o.MustUpdate(name, o.create(c.from), c.to)
				o.WantEmptyPlan(name, state, c.to)
				o.service.Reset()
				_, diags := o.Destroy(name, state)
				o.NoErrors(diags)
				wantSent(t, o.service, `{"plan":null}`)
			})
		})
	}
}

// The update that clears a destroyed profile is one like any other.
func TestProfile_destroyRetainsOrClears(t *testing.T) {
	t.Parallel()
	for label, c := range map[string]struct {
		config  prototest.Attributes
		ends    mockserver.Outcome
		says    string
		sent    string
		fails   bool
		cleared bool
	}{
		"retain":            {config(gold, nil), mockserver.Outcome{}, "The profile stays at the service", "", false, false},
		"clear":             {config(gold, clearing), mockserver.Outcome{}, "", `{"plan":null}`, false, true},
		"clear, write-only": {writeOnly(gold, 1, clearing), mockserver.Outcome{}, "", `{"plan":null}`, false, true},
		"never":             {config(gold, clearing), mockserver.Outcome{Fate: mockserver.Never}, "within the time that timeouts allows", `{"plan":null}`, false, false},
		"not awaited":       {config(gold, clearing.With(notWaiting)), mockserver.Outcome{Fate: mockserver.Never}, "still pending", `{"plan":null}`, false, false},
		"failed":            {config(gold, clearing), mockserver.Outcome{Fate: mockserver.Failed, Code: "E42"}, "E42", `{"plan":null}`, true, false},
		// Somebody else writes the member meanwhile, which is not the effect of ours.
		"dropped, write-only": {writeOnly(gold, 1, clearing), mockserver.Outcome{Fate: mockserver.Vanished, After: 2 * time.Second}, "its effect cannot be seen", `{"plan":null}`, false, false},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, o *object) {
				o.service.PutProfile(scope, person, `{"theirs":1}`)
				state := o.create(c.config)
				o.service.FulfilAll()
				outcome(c.ends)(o.service.Server)
				if c.ends.Fate == mockserver.Vanished {
					o.service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateProfile, Commit: true, Then: func() {
						o.service.PutProfile(scope, person, `{"theirs":1,"plan":"silver"}`)
					}})
				}

				state, diags := o.Destroy(name, state)
				prototest.WantText(t, append(diags.Errors(), append(diags.Warnings(), "")...), c.says)
				if len(diags) > 0 && c.says == "" || (state != nil) != c.fails || (len(diags.Errors()) > 0) != c.fails {
					t.Errorf("%v %v, state %v", diags.Errors(), diags.Warnings(), state)
				}
				if held, _ := o.service.Profile(scope, person); held["theirs"] == nil || (held["plan"] == nil) != c.cleared {
					t.Errorf("the service holds %v", held)
				}
				wantSent(t, o.service, c.sent)
			})
		})
	}
}

// A state that was written by hand does not count as imported, so that members of others stay out of it.
func TestProfile_stateWithoutFulfilledDoesNotCountAsImported(t *testing.T) {
	t.Parallel()
	for _, given := range []prototest.Attributes{config(gold, nil), writeOnly(gold, 1, nil)} {
		bubble(t, func(t *testing.T, o *object) {
			o.service.PutProfile(scope, person, held)
			state := o.create(given)
			state.Attributes["fulfilled"] = nil
			state, _ = o.MustRefresh(name, state)
			wantFulfilled(t, state, true, given["profile"])
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

		// It has no update to wait for.
		plan, _ := o.MustPlan(name, state, config("", prototest.Attributes{"profile": prototest.Unknown}))
		plan = plan.Resolve(prototest.Attributes{"profile": `{"a":1}`})
		state, diags = o.Apply(t.Context(), name, state, plan)
		o.NoErrors(diags)
		wantFulfilled(t, state, true, `{"a":1}`)
		o.service.PutProfile(scope, person, `{"a":2}`)
		state, _ = o.MustRefresh(name, state)
		wantFulfilled(t, state, true, `{"a":2}`)

		o.service.DeleteProfile(scope, person)
		state, diags = o.Refresh(name, state)
		o.NoErrors(diags)
		if unknown, _ := o.Import(name, person); state != nil || unknown != nil {
			t.Errorf("in state is %v, and imported was %v", state, unknown)
		}
		wantSent(t, o.service)
	})
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
