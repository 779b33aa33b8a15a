// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"fmt"
	"runtime"
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

// schema has the same attributes in every place.
func schema() *tfprotov6.Schema {
	attributes := []*tfprotov6.SchemaAttribute{
		{Name: "name", Type: tftypes.String, Optional: true},
		{Name: "note", Type: tftypes.String, Optional: true},
		{Name: "kind", Type: tftypes.String, Optional: true, Computed: true},
		{Name: "size", Type: tftypes.String, Optional: true, Computed: true},
		{Name: "made", Type: tftypes.String, Computed: true},
		{Name: "secret", Type: tftypes.String, Optional: true, WriteOnly: true},
	}
	single := &tfprotov6.SchemaObject{Nesting: tfprotov6.SchemaObjectNestingModeSingle, Attributes: attributes}
	block := &tfprotov6.SchemaNestedBlock{
		TypeName: "block", Nesting: tfprotov6.SchemaNestedBlockNestingModeSingle, Block: &tfprotov6.SchemaBlock{Attributes: attributes},
	}

	return &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{
		Attributes: append(attributes[:6:6], &tfprotov6.SchemaAttribute{Name: "single", Optional: true, NestedType: single}),
		BlockTypes: []*tfprotov6.SchemaNestedBlock{block},
	}}
}

// everywhere returns an object with the same one in every place.
func everywhere(object Attributes) Attributes {
	return object.With(Attributes{"single": object, "block": object})
}

// What is configured, planned for it, and held once that is applied.
var (
	configured = everywhere(Attributes{"name": "as configured", "kind": "as configured", "secret": "a secret"})
	planned    = everywhere(Attributes{"name": "as configured", "kind": "as configured", "size": Unknown, "made": Unknown})
	applied    = everywhere(Attributes{"name": "as configured", "kind": "as configured", "size": "made", "made": "made"})
)

// at returns an object with other values in one place.
func at(place string, object, values Attributes) Attributes {
	if nested, ok := object[place].(Attributes); ok {
		values = Attributes{place: nested.With(values)}
	}
	return object.With(values)
}

// value returns an object of the schema; that of nil does not exist.
func value(tb testing.TB, object Attributes) tftypes.Value {
	tb.Helper()
	if object == nil {
		return tftypes.NewValue(schema().ValueType(), nil)
	}
	return toValue(tb, schema().ValueType(), object)
}

// recorder is a test that notes why it fails.
type recorder struct {
	testing.TB

	reasons []string
}

func (*recorder) Helper() {}

func (r *recorder) Error(args ...any) { r.reasons = append(r.reasons, fmt.Sprint(args...)) }

func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }

func (r *recorder) Fatal(args ...any) {
	r.Error(args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }

// wantRefusal fails the test unless what it does fails a test, with this first reason; for none if
// the reason is empty.
func wantRefusal(t *testing.T, name, reason string, do func(testing.TB)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()

		r, done := &recorder{TB: t}, make(chan struct{})

		go func() {
			defer close(done)
			do(r)
		}()
		<-done

		if first := strings.Join(r.reasons[:min(1, len(r.reasons))], ""); !strings.Contains(first, reason) || (reason == "") != (first == "") {
			t.Errorf("the reasons are %q, want %q", r.reasons, reason)
		}
	})
}

func TestRules_ofPlans(t *testing.T) {
	t.Parallel()
	hold := func(name, reason string, prior, config, plan Attributes) {
		wantRefusal(t, name, reason, func(tb testing.TB) {
			tb.Helper()
			checkPlan(tb, schema(), change{value(tb, prior), value(tb, config), value(tb, plan)})
		})
	}

	const neither = " is neither as configured nor as it was"
	hold("as configured", "", nil, configured, planned)
	hold("no object", "an object is configured true, and the result has one false", nil, configured, nil)
	hold("an object to destroy", "an object is configured false, and the result has one true", applied, nil, applied)
	without := applied.With(Attributes{"name": nil})
	hold("a configured value is missing as it was", "name"+neither, without, configured, without)
	for _, place := range places {
		for name, tc := range map[string]struct {
			values Attributes // of the plan
			reason string
		}{
			"a configured value is replaced":                {Attributes{"name": "another"}, "name" + neither},
			"a computed one that is configured is replaced": {Attributes{"kind": "another"}, "kind" + neither},
			"a value that cannot be computed is there":      {Attributes{"note": "another"}, "note" + neither},
			"a write-only attribute has a value":            {Attributes{"secret": "a secret"}, "secret is write-only and has a value"},
		} {
			hold(place+": "+name, tc.reason, nil, configured, at(place, planned, tc.values))
		}
		if place != "" {
			hold(place+": no object", place+neither, nil, configured, planned.With(Attributes{place: nil}))
			hold(place+": an unknown object", place+neither, nil, configured, planned.With(Attributes{place: Unknown}))
		}

		hold(place+": a value is as it was", "", applied, at(place, configured, Attributes{"name": "AS CONFIGURED"}), applied)
		removed := at(place, configured, Attributes{"name": nil})
		hold(place+": a removed value is as it was", map[string]string{
			"": "name" + neither, "single": "", // an attribute may be as it was, as a whole
			"block": "block.name" + neither,
		}[place], applied, removed, applied)
	}
}

func TestRules_ofResults(t *testing.T) {
	t.Parallel()
	hold := func(name, reason string, plan, after Attributes) {
		wantRefusal(t, name, reason, func(tb testing.TB) {
			tb.Helper()
			checkKnown(tb, value(tb, after))
			checkApplied(tb, value(tb, plan), value(tb, after))
		})
	}

	hold("as planned", "", planned, applied)
	hold("no object", "planned to exist true, exists false", planned, nil)
	hold("an object to destroy", "planned to exist false, exists true", nil, applied)
	for _, place := range places {
		for name, tc := range map[string]struct {
			values Attributes // of the result
			reason string
		}{
			"a planned value is replaced": {Attributes{"name": "another"}, "is not as planned"},
			"a planned value is removed":  {Attributes{"name": nil}, "is not as planned"},
			"a value is added":            {Attributes{"note": "another"}, "is not as planned"},
			"a value is unknown":          {Attributes{"made": Unknown}, "is still unknown"},
		} {
			hold(place+": "+name, tc.reason, planned, at(place, applied, tc.values))
		}
		if place != "" {
			hold(place+": no object", place+" is not as planned", planned, applied.With(Attributes{place: nil}))
		}
	}
}

func TestProposed_keepsWhatIsComputed(t *testing.T) {
	t.Parallel()
	changed := everywhere(Attributes{"name": "another", "secret": "a secret"})
	got := proposed(fieldsOf(schema().Block), value(t, applied), value(t, changed))

	want := everywhere(Attributes{"name": "another", "kind": "as configured", "size": "made", "made": "made", "secret": "a secret"})
	if diff := cmp.Diff(fromValue(t, value(t, want)), fromValue(t, got)); diff != "" {
		t.Errorf("unexpected proposal (-want +got):\n%s", diff)
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
