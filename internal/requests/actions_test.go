// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

const (
	deleteName        = "analytics_delete_data"
	requestAccessName = "analytics_request_data_access"
	clearName         = "analytics_clear_profile"
)

// What the actions say.
const (
	acceptedFirst = `The service accepted the deletion as request "request-1". It cannot be cancelled.`
	carriedOut    = "Carried out: no longer pending, and the profile is gone or empty. The consent of the person stands."
	cleared       = "The profile has no value for any of the members."
)

// everyAction are the actions that send a request, and what they say once it is accepted.
var everyAction = map[string]string{
	deleteName:        acceptedFirst,
	requestAccessName: strings.Replace(acceptedFirst, "deletion", "data access request", 1),
	clearName:         strings.Replace(acceptedFirst, "deletion", "update of the profile", 1),
}

// allActions returns the names of all actions.
func allActions() []string { return slices.Collect(maps.Keys(everyAction)) }

// invoke plans and invokes the action. What it shows must not hold anything of the person, nor
// the path of the file.
func (a *object) invoke(others prototest.Attributes) prototest.Invocation {
	a.t.Helper()
	invoked := a.Invoke(a.name, a.config.With(others))
	a.wantDiscreet(invoked)
	return invoked
}

func (a *object) wantDiscreet(invoked prototest.Invocation) {
	a.t.Helper()
	wantUnnamed(a.t, invoked.Texts())
	if a.path != "" {
		wantUnnamed(a.t, invoked.Texts(), a.path)
	}
}

// wantProgress fails the test if an action has shown other messages.
func wantProgress(t *testing.T, invoked prototest.Invocation, want ...string) {
	t.Helper()
	if !slices.Equal(invoked.Progress, want) {
		t.Errorf("the messages are\n%s\nwant\n%s", strings.Join(invoked.Progress, "\n"), strings.Join(want, "\n"))
	}
}

func TestActions_planAndLostIdentitySendNothing(t *testing.T) {
	t.Parallel()
	eachObject(t, allActions(), func(t *testing.T, a *object) {
		diags := a.PlanAction(a.name, a.config)
		a.NoErrors(diags)
		wantNoPerson(t, diags)
		if a.name == requestAccessName { // nothing of it is irreversible
			wantNoDiagnostics(t, diags)
			wantNoFile(t, a.path)
		} else {
			prototest.WantText(t, diags.Warnings(), "irreversible", "without modifying real infrastructure")
		}
		if a.name == deleteName {
			prototest.WantText(t, diags.Warnings(), "does not revoke consent")
		}

		// Terraform 1.16 passes a null for an ephemeral value under -invoke.
		lost := a.InvokePlanned(a.name, a.config.Without("identity_id"), nil)
		prototest.WantText(t, lost.Errors(), "The identity did not arrive", "Nothing was sent", "sensitive and not ephemeral")

		a.Reconfigure(prototest.Config(a.service).With(prototest.Attributes{"read_only": true}))
		prototest.WantText(t, a.PlanAction(a.name, a.config).Errors(), "read-only")
		a.Reconfigure(prototest.Config(a.service).Without("org_id", "project_id"))
		prototest.WantText(t, a.PlanAction(a.name, a.config).Errors(), "No usable scope")
		a.NoErrors(a.PlanAction(a.name, a.config.With(prototest.Attributes{"account_id": prototest.Unknown})))
		wantNothingSent(t, a.service)
	})
}

// An action says under which ID its request was accepted, and how that ended if it waits.
func TestActions_sayWhatHappensInOrder(t *testing.T) {
	t.Parallel()
	for name, waits := range map[string]bool{"waits": true, "does not wait": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachObject(t, allActions(), func(t *testing.T, a *object) {
				planned := a.PlanAction(a.name, a.config)
				invoked := a.invoke(prototest.Attributes{"wait_for_fulfilment": waits})
				a.NoErrors(invoked.Diagnostics)
				a.queued(1)
				if got := invoked.Warnings(); len(got) != len(planned.Warnings()) {
					t.Errorf("besides those of the plan, it warns: %q", got)
				}

				said := []string{everyAction[a.name]}
				switch {
				case !waits:
				case a.name == deleteName:
					said = append(said, carriedOut)
				case a.name == requestAccessName:
					said = append(said, written(t, a.path))
				case a.name == clearName:
					said = append(said, cleared)
				}
				wantProgress(t, invoked, said...)
			})
		})
	}
}

// written returns what the action says once it has written the person's data to a file.
func written(t *testing.T, path string) string {
	t.Helper()
	content := wantData(t, path)
	sum := sha256.Sum256(content)
	return "Written: " + strconv.Itoa(len(content)) + " bytes, SHA-256 " + hex.EncodeToString(sum[:]) + "."
}

// beside makes the service hold requests of somebody else about the person.
func beside(operation string, ids ...string) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		never(s)
		for _, id := range ids {
			s.Enqueue(mockserver.QueuedRequest{ID: id, Scope: scope, Identity: person, Operation: operation})
		}
	}
}

// An action ends with a warning while its request is pending, and with an error if that came to
// nothing. One that has no file to show ends with an error in any case.
func TestActions_endsThatAreNotTheUsualOne(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		configure func(*mockserver.Server)
		refusal   mockserver.Fault // of the request
		fails     bool
		says      []string
		queued    int
		actions   []string
	}{
		"time is over": {
			configure: never, says: []string{"Accepted and still pending", `"request-1"`, "the request stands and must not be repeated"},
			queued: 1, actions: []string{deleteName, clearName},
		},
		"time is over, without a file": {
			configure: never, says: []string{"Accepted and still pending", `"request-1"`, "There is no file."}, queued: 1, actions: []string{requestAccessName},
		},
		"failed later": {
			configure: outcome(mockserver.Outcome{Fate: mockserver.Failed, After: -1, Code: "E_HOLD"}),
			fails:     true, says: []string{"request-1", "E_HOLD"}, queued: 1, actions: allActions(),
		},
		"dropped": {
			configure: outcome(mockserver.Outcome{Fate: mockserver.Vanished, After: 1200 * time.Millisecond}),
			fails:     true, says: []string{"is gone, and its effect cannot be seen", `"request-1"`}, queued: 1,
			actions: []string{deleteName, clearName}, // the other has no effect to see
		},
		"refused": {
			configure: never, refusal: mockserver.Fault{Status: 422, Body: []byte(`{"error":{"code":"E_LEGAL_HOLD"}}`)},
			fails: true, says: []string{"E_LEGAL_HOLD", "another apply invokes neither it nor the actions after it"}, actions: allActions(),
		},
		"conflicting request": {
			configure: beside(mockserver.OpDeleteAllData, "theirs"),
			fails:     true, says: []string{"Conflicting pending request theirs", "run again once the other request is carried out"},
			actions: []string{requestAccessName, clearName},
		},
		"data access is pending": {
			configure: beside(mockserver.OpGetAllData, "theirs"),
			fails:     true, says: []string{"Conflicting pending request theirs", "nothing was sent"}, actions: []string{deleteName},
		},
		"never listed": {
			configure: func(s *mockserver.Server) { outcome(mockserver.Outcome{After: -1})(s); s.DeleteProfile(scope, person) },
			says:      []string{"nothing shows what became of it", `"request-1"`}, queued: 1, actions: []string{deleteName, requestAccessName},
		},
		"never given": {
			configure: func(s *mockserver.Server) { s.DataRetention = 1 },
			says:      []string{"The service gave no data", "asked 1 times", "Invoking the action again", "wire.all_data.at"}, queued: 2, actions: []string{requestAccessName},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachObject(t, tc.actions, func(t *testing.T, a *object) {
				tc.configure(a.service.Server)
				if refusal := tc.refusal; refusal.Status != 0 {
					refusal.Operation = a.operation
					a.service.Inject(refusal)
				}

				invoked := a.invoke(prototest.Attributes{"timeouts": prototest.Attributes{"invoke": "6s"}})
				a.queued(tc.queued)
				texts, others := invoked.Warnings(), invoked.Errors()
				if tc.fails || a.path != "" {
					texts, others = others, nil
				}
				prototest.WantText(t, texts, tc.says...)
				wantUnnamed(t, texts, "triggers") // which no action has
				if len(others) > 0 {
					t.Errorf("the errors are %q", others)
				}
				if a.path != "" {
					wantNoFile(t, a.path)
				}
			})
		})
	}
}

// The outcome of a request whose answer is lost, and whose list cannot be read, is not known.
// The next invocation takes over what is pending, or sends what is absolute once more.
func TestActions_unknownOutcomeSaysWhatToDo(t *testing.T) {
	t.Parallel()
	eachObject(t, allActions(), func(t *testing.T, a *object) {
		for range 2 {
			a.service.Inject(mockserver.Fault{Operation: a.operation, Cut: mockserver.CutAfterCommit})
		}
		a.service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 403, Body: []byte(`{"error":{}}`)})
		invoked := a.invoke(nil)
		wantProgress(t, invoked)
		if a.name == clearName {
			prototest.WantText(t, invoked.Errors(), "Outcome unknown", "run again: the provider reads what the profile has first")
			return
		}
		prototest.WantText(t, invoked.Errors(), "Outcome unknown", "look at analytics_pending_requests before you run again")

		a.NewRun()
		again := a.invoke(atOnce)
		if len(again.Progress) != 1 || !strings.Contains(again.Progress[0], `is pending already, as request "request-1"; no other is sent.`) {
			t.Errorf("the messages are %q", again.Progress)
		}
		a.queued(1)
	}, never)
}

// An interrupt comes as soon as an action has said under which ID its request was accepted. The
// package's TestMain finds what is left running.
func TestActions_interruptComesAfterTheID(t *testing.T) {
	t.Parallel()
	eachObject(t, allActions(), func(t *testing.T, a *object) {
		stopped := make(chan struct{})
		invoked := a.InvokePlanned(a.name, a.config, func() {
			go func() {
				defer close(stopped)
				a.Stop() // which waits for the end of the action
			}()
		})
		<-stopped

		wantProgress(t, invoked, everyAction[a.name])
		if a.path == "" {
			a.NoErrors(invoked.Diagnostics)
			prototest.WantText(t, invoked.Warnings(), "Interrupted while waiting", `"request-1"`)
		} else {
			prototest.WantText(t, invoked.Errors(), "Interrupted while waiting", "There is no file")
			wantNoFile(t, a.path)
		}
		a.queued(1)
	}, never)
}

// An action that is triggered beside a resource, or by two of them, is one deletion of its
// person with them, in every order. Another run is another key, also after an object of the
// person was destroyed, which the run remembers.
func TestDeleteData_sentOnceBesideAResource(t *testing.T) {
	t.Parallel()
	for order, queued := range map[string]int{
		"resource, action": 1, "action, resource": 1, "action, action": 1,
		"resource, another run, action, another run, action": 3,
	} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			eachObject(t, []string{deleteName}, func(_ *testing.T, a *object) {
				var state *prototest.State
				for step := range strings.SplitSeq(order, ", ") {
					switch step {
					case "resource":
						state, _ = a.MustCreate(deletionName, config(nil))
					case "action":
						a.NoErrors(a.invoke(nil).Diagnostics)
					case "another run":
						a.NewRun()
						a.Destroy(deletionName, state)
					}
					putData(a.service)
				}

				a.queued(queued)
			})
		})
	}
}

func TestRequestDataAccess_notAwaitedIsFetchedByALaterInvocation(t *testing.T) {
	t.Parallel()
	eachObject(t, []string{requestAccessName}, func(t *testing.T, a *object) {
		a.NoErrors(a.invoke(atOnce).Diagnostics)
		wantNoFile(t, a.path)

		a.service.FulfilAll()
		withWire(a.Provider, a.service, profileInData)
		invoked := a.invoke(atOnce)
		a.NoErrors(invoked.Diagnostics)
		wantProgress(t, invoked, written(t, a.path))
		a.queued(1)
	}, never)
}
