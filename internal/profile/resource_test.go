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
	for label, row := range map[string]struct {
		before, held, after string
		sent                []string
		state               string // in place of after
	}{
		"of the configuration": {before, before, `{"a":1.0,"b":{"x":[1,2,3]},"c":null,"e":"new","d":true}`, []string{`{"b":{"x":[1,2,3]},"c":null,"e":"new"}`}, ""},
		"of the service":       {before, `{"a":1,"b":{"x":[1,2]},"c":"y","d":true,"e":4}`, before, []string{`{"c":"x"}`}, ""},
		"gone at the service":  {before, `{"b":{"x":[1,2]},"c":"x","d":true}`, before, []string{`{"a":1}`}, ""},
		"spelled by it":        {before, `{"a":1.0,"b":{"x":[1,2]},"c":"x","d":true}`, before, nil, ""},
		"no longer managed":    {before, before, `{"a":1,"b":{"x":[1,2]},"c":"x"}`, nil, ""},
		"a large number":       {values, values, strings.Replace(values, "993", "992", 1), []string{`{"big":9007199254740992}`}, ""},
		"a name":               {names, names, strings.Replace(names, "ünï", "uni", 1), []string{`{"uni":3}`}, ""},
		"spelling": {
			values, values, `{ "l": [1.0, "a", {"b": null}], "s":"\u00e9", "big":9007199254740993.0, "z":-0, "n":1e0, "d":true }`, nil, values,
		},
		"spelling of names": {names, names, strings.Replace(names, "ünï", `\u00fcnï`, 1), nil, names},
		"nothing":           {`{}`, `{"d":true}`, ` { } `, nil, `{}`},
	} {
		run(t, label, func(t *testing.T, o *object) {
			o.apply(config(row.before, nil))
			if row.before != `{}` {
				wantSent(t, o.service, row.before)
			}
			o.service.Reset()
			o.put(row.held)
			o.refresh(1)
			o.apply(config(row.after, nil))
			wantSent(t, o.service, row.sent...)
			o.wantEmptyPlan()
			o.want(true, cmp.Or(row.state, row.after))
			o.wantHeld("d", true)
		})
	}
}

func TestProfile_unusableInputIsRefusedAndNotRepeated(t *testing.T) {
	t.Parallel()
	run(t, "one by one", func(t *testing.T, o *object) {
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
	run(t, "one by one", func(t *testing.T, o *object) {
		const first, second = `{"email":"canary@example.com"}`, `{"email":"other@example.com","plan":"gold"}`
		plan, _ := o.MustPlan(name, nil, writeOnly(first, 1, nil))
		o.apply(writeOnly(first, 1, nil))
		if plan.Attributes["profile_wo"] != nil || o.state.Attributes["profile_wo"] != nil || strings.Contains(string(o.state.Private), "canary") {
			t.Errorf("plan %v, state %v, private %s", plan.Attributes, o.state.Attributes, o.state.Private)
		}
		o.config = writeOnly(second, 1, nil)
		o.wantEmptyPlan()
		plan, _ = o.MustPlan(name, o.state, writeOnly(second, 2, prototest.Attributes{"profile_wo": prototest.Unknown}))
		if plan.Attributes["fulfilled"] != prototest.Unknown {
			t.Errorf("with values that are not known yet, the plan is %v", plan.Attributes)
		}
		o.apply(writeOnly(second, 2, nil))
		wantSent(t, o.service, first, second)
		o.wantEmptyPlan()
	})
}

// An object leaves the state only where the service knows of no profile.
func TestProfile_failureKeepsTheObject(t *testing.T) {
	t.Parallel()
	run(t, "one by one", func(t *testing.T, o *object) {
		given := writeOnly(`{"email":"canary@example.com"}`, 1, clearing)
		const body = `{"error":{"message":"canary@example.com may not"}}`
		o.answer(mockserver.OpUpdateProfile, 1, 403, body)
		o.try(given)
		o.fails("Not permitted", "[redacted] may not", "In state now: nothing")
		if o.state != nil {
			t.Error("a failed create is in state")
		}

		o.apply(given)
		before := o.state
		wantKept := func() {
			t.Helper()
			o.fails("as it was before")
			if o.state == nil || !maps.Equal(before.Attributes, o.state.Attributes) {
				t.Errorf("in state is %v", o.state)
			}
		}
		for _, config := range []prototest.Attributes{writeOnly(`{"x":1}`, 2, clearing), nil} { // update and destroy
			o.answer(mockserver.OpUpdateProfile, 1, 403, body)
			o.try(config)
			wantKept()
		}
		for status, body := range map[int]string{403: `{}`, 404: "<p>nginx</p>"} {
			o.answer(mockserver.OpGetProfile, 1, status, body)
			o.state, o.diags = o.Refresh(name, before)
			wantKept()
		}
	})
}

// Members that the configuration does not name any more stay, also in a destroy.
func TestProfile_destroyClearsWhatIsManagedInTheEnd(t *testing.T) {
	t.Parallel()
	const both = `{"plan":"gold","tier":1}`
	for to, row := range map[string]struct{ from, to prototest.Attributes }{
		"in state":        {config(both, nil), config(gold, clearing)},
		"another version": {writeOnly(both, 1, nil), writeOnly(gold, 2, clearing)},
		"values in state": {writeOnly(both, 1, nil), config(gold, clearing)},
	} {
		run(t, to, func(t *testing.T, o *object) {
			o.apply(row.from)
			o.apply(row.to)
			o.wantEmptyPlan()
			o.service.Reset()
			o.apply(nil)
			wantSent(t, o.service, `{"plan":null}`)
		})
	}
}

// The update that clears a destroyed profile is one like any other.
func TestProfile_destroyRetainsOrClears(t *testing.T) {
	t.Parallel()
	pending, dropped := mockserver.Outcome{Fate: mockserver.Never}, mockserver.Outcome{Fate: mockserver.Vanished, After: 2 * time.Second}
	for label, row := range map[string]struct {
		config prototest.Attributes
		ends   mockserver.Outcome // of the update that clears
		says   string
		plan   any // at the service in the end
	}{
		"retain":            {config(gold, nil), done, "The profile stays at the service", "gold"},
		"clear":             {config(gold, clearing), done, "", nil},
		"clear, write-only": {writeOnly(gold, 1, clearing), done, "", nil},
		"never":             {config(gold, clearing), pending, "within the time that timeouts allows", "gold"},
		"not awaited":       {config(gold, clearing.With(notWaiting)), pending, "still pending", "gold"},
		"failed":            {config(gold, clearing), failed, "E_HOLD", "gold"},
		// Somebody else writes the member meanwhile, which is not the effect of ours.
		"dropped, write-only": {writeOnly(gold, 1, clearing), dropped, "its effect cannot be seen", "silver"},
	} {
		run(t, label, func(t *testing.T, o *object) {
			o.put(`{"theirs":"x"}`)
			o.apply(row.config)
			o.service.FulfilAll()
			o.service.Reset()
			outcome(row.ends)(o.service.Server)
			if row.ends == dropped {
				o.service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateProfile, Commit: true, Then: func() { o.put(`{"theirs":"x","plan":"silver"}`) }})
			}
			o.try(nil)
			if row.says == "" {
				o.says()
			}
			prototest.WantText(t, append(o.diags.Errors(), append(o.diags.Warnings(), "")...), row.says)
			if isFailed := row.ends == failed; (o.state != nil) != isFailed || (len(o.diags.Errors()) > 0) != isFailed {
				t.Errorf("%v %v, state %v", o.diags.Errors(), o.diags.Warnings(), o.state)
			}
			o.wantHeld("theirs", "x")
			o.wantHeld("plan", row.plan)
			if label == "retain" {
				wantSent(t, o.service)
			} else {
				wantSent(t, o.service, `{"plan":null}`)
			}
		})
	}
}

// A state that was written by hand does not count as imported, so that members of others stay out of it.
func TestProfile_stateWithoutFulfilledDoesNotCountAsImported(t *testing.T) {
	t.Parallel()
	for label, given := range map[string]prototest.Attributes{"profile": config(gold, nil), "profile_wo": writeOnly(gold, 1, nil)} {
		run(t, label, func(_ *testing.T, o *object) {
			o.put(held)
			o.apply(given)
			o.state.Attributes["fulfilled"] = nil
			o.refresh(1)
			o.want(true, given["profile"])
		})
	}
}

func TestProfile_importTakesTheWholeProfile(t *testing.T) {
	t.Parallel()
	run(t, "one by one", func(t *testing.T, o *object) {
		o.put(`{"a":1,"b":"x"}`)
		o.state, o.diags = o.Import(name, "org-demo/web/jane.doe%40example.com", nil)
		o.NoErrors(o.diags)
		o.config = config(`{"b":"x","a":1.0}`, nil)
		o.wantEmptyPlan()

		// It has no update to wait for.
		plan, _ := o.MustPlan(name, o.state, config("", prototest.Attributes{"profile": prototest.Unknown}))
		o.state, o.diags = o.Apply(t.Context(), name, o.state, plan.Resolve(prototest.Attributes{"profile": `{"a":1}`}))
		o.NoErrors(o.diags)
		o.want(true, `{"a":1}`)
		o.put(`{"a":2}`)
		o.refresh(1)
		o.want(true, `{"a":2}`)

		o.service.DeleteProfile(scope, person)
		o.state, o.diags = o.Refresh(name, o.state)
		o.NoErrors(o.diags)
		if unknown, _ := o.Import(name, person, nil); o.state != nil || unknown != nil {
			t.Errorf("in state is %v, and imported was %v", o.state, unknown)
		}
		wantSent(t, o.service)
	})
}

// The data source and the ephemeral resource read the same, and change nothing.
func TestProfileDataSource_readsExactly(t *testing.T) {
	t.Parallel()
	run(t, "one by one", func(t *testing.T, o *object) {
		o.put(`{"b":9007199254740993,"a":1.0}`)
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
