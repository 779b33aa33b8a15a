package tfkit

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

var webScope = client.Scope{OrgID: "org-demo", ProjectID: "web"}

func TestWritten_objects(t *testing.T) {
	t.Parallel()
	var w Written

	a, b := w.Object("analytics_consent", ""), w.Object("analytics_consent", "")
	if a == b {
		t.Error("two calls without a name return one object")
	}

	named := w.Object("analytics_consent_batch", `source "a.csv"`)
	if again := w.Object("analytics_consent_batch", `source "a.csv"`); again != named {
		t.Error("two calls with one name return two objects")
	}
	if other := w.Object("analytics_consent_batch", `source "b.csv"`); other == named {
		t.Error("two names are one object")
	}
}

func TestWritten_aPersonIsOneInOneScope(t *testing.T) {
	t.Parallel()
	var w Written
	first := w.Object("analytics_consent", "")
	w.Write(first, webScope, "jane")

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
		if other, shared := w.Write(w.Object("analytics_consent", ""), p.scope, p.identity); shared {
			t.Errorf("%s is taken for the same: %v", label, other)
		}
	}

	if other, shared := w.Write(w.Object("analytics_consent", ""), webScope, "jane"); !shared || other != first {
		t.Errorf("the second write gives %v %v", other, shared)
	}
	if _, shared := w.Write(first, webScope, "jane"); shared {
		t.Error("an object shares a person with itself")
	}
}

func TestWritten_withdrawals(t *testing.T) {
	t.Parallel()
	var w Written
	old, renamed := w.Object("analytics_consent", ""), w.Object("analytics_consent", "")

	if _, superseded := w.Withdraw(old, webScope, "jane"); superseded || !w.Withdrawn(webScope, "jane") {
		t.Error("a withdrawal that nobody opposes is not one")
	}

	// The new object claims the person while the withdrawal waits, so that it is asked again.
	w.Write(renamed, webScope, "jane")
	if other, superseded := w.Withdraw(old, webScope, "jane"); !superseded || other != renamed {
		t.Errorf("the withdrawal goes on: %v %v", other, superseded)
	}
	if w.Withdrawn(webScope, "jane") {
		t.Error("a withdrawal that was not sent is remembered")
	}
	if _, superseded := w.Withdraw(renamed, webScope, "jane"); superseded {
		t.Error("an object is superseded by itself")
	}
}

// TestWritten_property checks that a withdrawal after a write is never sent, in any order of
// writes and withdrawals.
func TestWritten_property(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(200, 20_000) {
		seed := soak.Seed(i)
		soak.Add(soak.Tried, 1)
		r := rand.New(rand.NewPCG(seed, 3))
		var w Written
		var turns [3]sync.Mutex // the lock of a person
		var last [3]string
		var writes [3]bool

		var wg sync.WaitGroup
		for range 12 {
			i, isWrite := r.IntN(3), r.IntN(2) == 0
			writes[i] = writes[i] || isWrite
			wg.Go(func() {
				by, person := w.Object("analytics_consent", ""), fmt.Sprint("person-", i)
				if isWrite {
					w.Write(by, webScope, person)
				}

				turns[i].Lock()
				defer turns[i].Unlock()
				if isWrite {
					last[i] = "write"
				} else if _, superseded := w.Withdraw(by, webScope, person); !superseded {
					last[i] = "withdrawal"
				}
			})
		}

		wg.Wait()

		for i := range last {
			if writes[i] && last[i] != "write" {
				soak.Add(soak.Lost, 1)
				t.Errorf("seed %d: person %d ends with a %s", seed, i, last[i])
			}
		}
	}
}
