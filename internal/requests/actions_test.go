// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

const (
	acceptedFirst = `The service accepted the deletion as request "request-1". It cannot be cancelled.`
	carriedOut    = "Carried out: no longer pending, and the profile is gone or empty. The consent of the person stands."
)

// accepted returns what the action says once its first request is accepted.
func (o *object) accepted() string {
	if o.name == requestAccessName {
		return strings.Replace(acceptedFirst, "deletion", "data access request", 1)
	}
	return acceptedFirst
}

// invoke plans and invokes the action in a run of its own. What it shows must not hold anything of the person, nor
// the path of the file.
func (o *object) invoke(others prototest.Attributes) (progress []string) {
	o.t.Helper()
	o.NewRun()
	invoked := o.Invoke(o.name, o.config.With(others))
	o.diags = invoked.Diagnostics
	wantUnnamed(o.t, slices.Concat(invoked.Errors(), invoked.Warnings(), invoked.Progress), strings.Fields(o.path)...)

	return invoked.Progress
}

func wantProgress(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the messages are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestActions_planAndLostIdentitySendNothing(t *testing.T) {
	t.Parallel()
	bothActions.each(t, func(t *testing.T, o *object) {
		o.diags = o.PlanAction(o.name, o.config)
		o.NoErrors(o.diags)
		o.isDiscreet()
		if o.name == deleteName {
			o.says("irreversible", "does not revoke consent", "without modifying real infrastructure")
		} else {
			o.says()
		}

		// Terraform 1.16 passes a null for an ephemeral value under -invoke.
		lost := o.InvokePlanned(o.name, o.config.Without("identity_id"), nil)
		prototest.WantText(t, lost.Errors(), "The identity did not arrive", "Nothing was sent", "sensitive and not ephemeral")

		o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"read_only": true}))
		prototest.WantText(t, o.PlanAction(o.name, o.config).Errors(), "read-only")
		wantNothingSent(t, o.service)
	})
}

// An action says under which ID its request was accepted, and how that ended if it waits. A later invocation fetches
// the data that an earlier one did not wait for.
func TestActions_sayWhatHappensInOrder(t *testing.T) {
	t.Parallel()
	bothActions.each(t, func(t *testing.T, o *object) {
		wantProgress(t, o.invoke(atOnce), o.accepted())
		o.service.FulfilAll()
		putData(o.service)
		o.withWire(dataAt("/profile"))
		said := o.invoke(nil)
		o.NoErrors(o.diags)
		if o.name == deleteName {
			wantProgress(t, said, strings.Replace(acceptedFirst, "-1", "-2", 1), carriedOut)
			o.queued(2)
			return
		}
		content := wantData(t, o.path)
		wantProgress(t, said, fmt.Sprintf("Written: %d bytes, SHA-256 %x.", len(content), sha256.Sum256(content)))
		o.queued(1)
	})
}

// An action ends with a warning while its request is pending, and with an error if that came to
// nothing. One that has no file to show ends with an error in any case.
func TestActions_endsThatAreNotTheUsualOne(t *testing.T) {
	t.Parallel()
	type row struct {
		ends   mockserver.Outcome // of every request
		theirs string             // operation of a request of somebody else that is pending
		says   []string
		queued int
		names  names
	}
	pending, fails := mockserver.Outcome{Fate: mockserver.Never}, mockserver.Outcome{Fate: mockserver.Failed, After: -1, Code: "E_HOLD"}
	rows(t, map[string]row{
		"time is over":           {pending, "", []string{"Accepted and still pending", `"request-1"`, "the request stands and must not be repeated"}, 1, names{deleteName}},
		"time is over, no file":  {pending, "", []string{"Accepted and still pending", `"request-1"`, "There is no file."}, 1, names{requestAccessName}},
		"failed":                 {fails, "", []string{"request-1", "E_HOLD"}, 1, bothActions},
		"dropped":                {mockserver.Outcome{Fate: mockserver.Vanished, After: 1200 * time.Millisecond}, "", []string{"is gone, and its effect cannot be seen", `"request-1"`}, 1, names{deleteName}},
		"deletion is pending":    {pending, mockserver.OpDeleteAllData, []string{`Conflicting pending request "theirs-[redacted]"`, "wire.pending.statuses", "run again once the other request is carried out"}, 0, names{requestAccessName}},
		"data access is pending": {pending, mockserver.OpGetAllData, []string{`Conflicting pending request "theirs-[redacted]"`, "nothing was sent"}, 0, names{deleteName}},
		"never listed":           {mockserver.Outcome{After: -1}, "", []string{"nothing shows what became of it", `"request-1"`}, 1, bothActions},
		"unknown":                {mockserver.Outcome{After: 2 * time.Second, Status: "closed"}, "", []string{"The pending list does not tell", "wire.pending.statuses", "may send another one"}, 1, names{requestAccessName}},
		"never given":            {mockserver.Outcome{KeepListed: true}, "", []string{"The service gave no data", "asked 1 times", "Invoking the action again", "wire.all_data.at"}, 2, names{requestAccessName}},
	}, func(t *testing.T, name string, row row) {
		row.names.each(t, func(_ *testing.T, o *object) {
			if row.theirs != "" {
				o.service.Enqueue(mockserver.QueuedRequest{ID: "theirs-" + person, Scope: scope, Identity: person, Operation: row.theirs})
			}
			if name == "never listed" {
				o.service.DeleteProfile(scope, person)
			}
			o.service.DataRetention = 1
			o.invoke(prototest.Attributes{"timeouts": prototest.Attributes{"invoke": "6s"}})
			o.queued(row.queued)
			if o.path != "" {
				o.wantNoFile()
			}
			isWarning := o.path == "" && slices.Contains([]string{"time is over", "never listed"}, name)
			if isWarning {
				o.NoErrors(o.diags)
				o.says(row.says...)
			} else {
				o.fails(row.says...)
			}
			o.isDiscreet("triggers") // which no action has
		}, outcome(row.ends))
	})
}

// The outcome of a request whose answer is lost, and whose list cannot be read, is not known. The next invocation takes
// over what is pending.
func TestActions_failuresSayWhatToDo(t *testing.T) {
	t.Parallel()
	bothActions.each(t, func(t *testing.T, o *object) {
		o.answer(o.operation, 1, 422, `{"error":{"code":"E_LEGAL_HOLD"}}`)
		o.service.Inject(mockserver.Fault{Operation: o.operation, Cut: mockserver.CutAfterCommit},
			mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 2, Status: 403, Body: []byte(`{"error":{}}`)})
		for _, says := range []string{"E_LEGAL_HOLD: another apply invokes neither it nor the actions after it", "Outcome unknown: look at analytics_pending_requests before you run again"} {
			wantProgress(t, o.invoke(nil))
			o.fails(strings.Split(says, ": ")...)
		}
		said := o.invoke(atOnce)
		if len(said) != 1 || !strings.Contains(said[0], `is pending already, as request "request-1"; no other is sent.`) {
			t.Errorf("the messages are %q", said)
		}
		o.queued(1)
	}, never)
}

// An interrupt comes as soon as an action has said under which ID its request was accepted. The
// package's TestMain finds what is left running.
func TestActions_interruptComesAfterTheID(t *testing.T) {
	t.Parallel()
	bothActions.each(t, func(t *testing.T, o *object) {
		stopped := make(chan struct{})
		invoked := o.InvokePlanned(o.name, o.config, func() {
			go func() {
				defer close(stopped)
				o.Stop() // which waits for the end of the action
			}()
		})
		<-stopped

		wantProgress(t, invoked.Progress, o.accepted())
		if o.path == "" {
			o.NoErrors(invoked.Diagnostics)
			prototest.WantText(t, invoked.Warnings(), "Interrupted while waiting", `"request-1"`)
		} else {
			prototest.WantText(t, invoked.Errors(), "Interrupted while waiting", "There is no file")
			o.wantNoFile()
		}
		o.queued(1)
	}, never)
}

// An action that is triggered beside a resource, or by two of them, is one deletion of its person with them, in every
// order. Another run is another key, also after an object of the person was destroyed, which the run remembers.
func TestDeleteData_sentOnceBesideAResource(t *testing.T) {
	t.Parallel()
	rows(t, map[string]int{
		"resource, action": 1, "action, resource": 1, "action, action": 1,
		"resource, another run, action, another run, action": 3,
	}, func(t *testing.T, order string, queued int) {
		names{deleteName}.each(t, func(_ *testing.T, o *object) {
			for step := range strings.SplitSeq(order, ", ") {
				switch step {
				case "resource":
					o.state, _ = o.MustUpdate(deletionName, nil, o.config)
				case "action":
					o.NoErrors(o.Invoke(deleteName, o.config).Diagnostics)
				case "another run":
					o.NewRun()
					o.Update(deletionName, o.state, nil)
				}
				putData(o.service)
			}
			o.queued(queued)
		})
	})
}
