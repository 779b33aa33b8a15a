// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

var webScope = client.Scope{OrgID: "org-demo", ProjectID: "web"}

// keys is private state.
type keys map[string][]byte

func (k keys) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return k[key], nil }

func (k keys) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	k[key] = value
	return nil
}

func TestObjectIn_isTheSameForOnePrivateState(t *testing.T) {
	t.Parallel()
	ctx, private := t.Context(), keys{}

	created := ObjectIn(ctx, private, "analytics_consent")
	if again := ObjectIn(ctx, private, "analytics_consent"); *again != *created {
		t.Errorf("%v and %v", created, again)
	}
	if other := ObjectIn(ctx, keys{}, "analytics_consent"); *other == *created {
		t.Error("two objects are one")
	}
}

func TestWritten_aPersonIsOneInOneScope(t *testing.T) {
	t.Parallel()
	var w Written
	first := NewObject("analytics_consent")
	w.Keep(first, webScope, "jane")

	for label, p := range map[string]struct {
		scope    client.Scope
		identity string
	}{
		"another person":  {webScope, "john"},
		"another project": {client.Scope{OrgID: "org-demo", ProjectID: "shop"}, "jane"},
		"an account":      {client.Scope{AccountID: "org-demo"}, "jane"},
		"shifted parts":   {client.Scope{OrgID: "org-demow", ProjectID: "eb"}, "jane"},
		"joined parts":    {client.Scope{OrgID: "org-demo"}, "webjane"},
	} {
		if other, shared := w.Keep(NewObject("analytics_consent"), p.scope, p.identity); shared {
			t.Errorf("%s is taken for the same: %v", label, other)
		}
	}

	second := NewObject("analytics_consent_batch")
	for what, of := range map[string]func(*Object, client.Scope, string) (*Object, bool){"a write": w.Keep, "a withdrawal": w.Keeper} {
		if other, isOther := of(second, webScope, "jane"); !isOther || other != first {
			t.Errorf("%s by the second object gets %v %v", what, other, isOther)
		}
		if _, isOther := of(first, webScope, "jane"); isOther {
			t.Errorf("%s by the first object meets another one", what)
		}
	}
}

func TestWritten_remembersWhatTheLastWriteHasLeft(t *testing.T) {
	t.Parallel()
	var w Written
	prior := client.Choice{Manual: true}
	if got := w.Left(webScope, "jane", &prior); got != &prior {
		t.Errorf("before any write: %v", got)
	}

	for _, choice := range []client.Choice{
		{Clauses: [5]bool{true, false, true, false, true}, Manual: true},
		{Clauses: [5]bool{false, true, false, true, false}},
		{},
	} {
		w.Leave(choice, webScope, "jane")
		if got := w.Left(webScope, "jane", &prior); *got != choice {
			t.Errorf("%v instead of %v", *got, choice)
		}
	}

	if got := w.Left(webScope, "john", nil); got != nil {
		t.Errorf("another person has %v", got)
	}
}
