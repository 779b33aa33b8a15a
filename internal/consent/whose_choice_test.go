// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

const batchName = "analytics_consent_batch"

// kinds are the two objects that write the consent of the person, with the same values.
func kinds(t *testing.T) map[string]func(others prototest.Attributes) prototest.Attributes {
	t.Helper()
	path := filepath.Join(t.TempDir(), "people.csv")
	content := "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,agreement_time\n" +
		person + ",true,true,false,true,true," + early + "\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}

	return map[string]func(prototest.Attributes) prototest.Attributes{
		name: func(others prototest.Attributes) prototest.Attributes { return config(agreed.With(others)) },
		batchName: func(others prototest.Attributes) prototest.Attributes {
			return prototest.Attributes{"source": path}.With(others)
		},
	}
}

// silent makes the service answer an update with nothing.
func silent(s *mockserver.Server) {
	s.Change(func(r mockserver.Request, a *mockserver.Response) {
		if r.Operation == mockserver.OpUpdateConsent {
			a.Status, a.Body = http.StatusNoContent, nil
		}
	})
}

// eachKind runs a test with a single object and with a batch, in virtual time.
func eachKind(t *testing.T, test func(t *testing.T, p *prototest.Provider, service *mocktest.Instance, object string, config func(prototest.Attributes) prototest.Attributes), configure ...func(*mockserver.Server)) {
	t.Helper()
	for object, config := range kinds(t) {
		t.Run(object, func(t *testing.T) {
			t.Parallel()
			prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
				service.AllowViolations()
				test(t, p, service, object, config)
			}, configure...)
		})
	}
}

// tellTime tells the provider that the service sets the time of each update, where it does, for a batch,
// which remembers no row.
func tellTime(p *prototest.Provider, service *mocktest.Instance, object, label string) {
	if object == batchName && strings.HasPrefix(label, "dated") && label != "dated without" {
		p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"wire": prototest.Attributes{"lag": "0s", "consent": prototest.Attributes{"time_kept": "service"}}}))
	}
}

// withdraws is what is beside the record.
var withdraws = prototest.Attributes{"on_destroy": "withdraw"}

// TestConsent_ownWithdrawalIsNoChoice destroys and creates in one run, in both orders, at services
// that set the time of an update, or do so where none is sent, and that answer with nothing.
func TestConsent_ownWithdrawalIsNoChoice(t *testing.T) {
	t.Parallel()
	for label, configure := range map[string][]func(*mockserver.Server){
		"kept times": nil, "dated": {datesUpdates(time.Now, false)}, "dated without": {datesUpdates(time.Now, true)},
		"dated, silent": {datesUpdates(time.Now, false), silent}, "untimed": {showsConsent("agreement_time", nil)},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			eachKind(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance, object string, config func(prototest.Attributes) prototest.Attributes) {
				tellTime(p, service, object, label)
				state, _ := p.MustCreate(object, config(withdraws))
				p.NewRun()
				_, diags := p.DestroyUnplanned(t.Context(), object, state)
				p.NoErrors(diags)
				wantHeld(t, service, [5]bool{})
				state, _ = p.MustCreate(object, config(withdraws))
				wantHeld(t, service, configured)

				p.NewRun()
				p.MustCreate(object, config(withdraws))
				_, diags = p.DestroyUnplanned(t.Context(), object, state)
				prototest.WantText(t, diags.Warnings(), "Not withdrawn, another resource")
				wantHeld(t, service, configured)
			}, configure...)
		})
	}
}

// TestConsent_cachedAnswerIsNoReading has a cache that hides a later choice, and shows itself by an Age or
// by a Date before that of the login.
func TestConsent_cachedAnswerIsNoReading(t *testing.T) {
	t.Parallel()
	for header, value := range map[string]string{"Age": "45", "Date": "Fri, 31 Dec 1999 23:00:00 GMT"} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			eachKind(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance, object string, config func(prototest.Attributes) prototest.Attributes) {
				state, _ := p.MustCreate(object, config(withdraws))
				choice := choose(late)
				service.PutConsent(scope, person, choice)
				service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Header: http.Header{header: {value}}, Times: -1})

				p.NewRun()
				_, diags := p.Create(object, config(nil))
				prototest.WantText(t, diags.Errors(), "Answered from a cache", "exclude the paths of the service")
				_, diags = p.ReadData(name, prototest.Attributes{"identity_id": person})
				prototest.WantText(t, diags.Errors(), "Answered from a cache")
				p.NewRun()
				after, diags := p.DestroyUnplanned(t.Context(), object, state)
				prototest.WantText(t, diags.Errors(), "Answered from a cache")
				if after == nil {
					t.Error("the object is gone")
				}
				wantRecord(t, service, choice)
			})
		})
	}
}

// TestConsent_noneAboutSomebodyKnown has a service that says that there is no record, once or for
// ever. The lag is waited for once.
func TestConsent_noneAboutSomebodyKnown(t *testing.T) {
	t.Parallel()
	for label, tc := range map[string]struct {
		times int
		held  [5]bool
		says  string
		took  time.Duration
	}{
		"once":     {1, [5]bool{}, "", 30 * time.Second},
		"for ever": {-1, configured, "missing", 30 * time.Second},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			eachKind(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance, object string, config func(prototest.Attributes) prototest.Attributes) {
				p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"wire": prototest.Attributes{"lag": "30s"}}))
				state, _ := p.MustCreate(object, config(withdraws))
				p.NewRun()
				service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 404, Body: []byte(`{"error":{"code":"none"}}`), Times: tc.times})

				began := time.Now()
				_, diags := p.DestroyUnplanned(t.Context(), object, state)
				p.NoErrors(diags)
				if took := time.Since(began); took < tc.took || took > tc.took+time.Second {
					t.Errorf("it took %v", took)
				}
				prototest.WantText(t, append(diags.Warnings(), ""), tc.says)
				wantHeld(t, service, tc.held)
			})
		})
	}
}

// TestConsent_missingRecordLeavesTheState refreshes objects whose records are missing. They share one
// pause, and the warning is the same for each.
func TestConsent_missingRecordLeavesTheState(t *testing.T) {
	t.Parallel()
	prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
		p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"wire": prototest.Attributes{"lag": "30s"}}))
		var states []*prototest.State
		for _, identity := range []string{"a", "b", "c"} {
			state, _ := p.MustCreate(name, config(agreed).With(prototest.Attributes{"identity_id": identity}))
			states = append(states, state)
			service.DeleteConsent(scope, identity)
		}

		p.NewRun()
		began := time.Now()
		said := map[string]bool{}
		for _, state := range states {
			after, diags := p.Refresh(name, state)
			p.NoErrors(diags)
			if after != nil {
				t.Error("the object is still in state")
			}
			said[strings.Join(diags.Warnings(), "\n")] = true
		}
		if took := time.Since(began); len(said) != 1 || took > 31*time.Second {
			t.Errorf("after %v, %v is said", took, said)
		}
	})
}

// TestConsent_atAReplicaThatLags creates, plans, changes and destroys right after each other at a
// service whose reads show what it held ten seconds ago. Nothing is dropped from state, sent again or
// left standing.
func TestConsent_atAReplicaThatLags(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance, object string, config func(prototest.Attributes) prototest.Attributes) {
		p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"wire": prototest.Attributes{"lag": "10s"}}))
		state, _ := p.MustCreate(object, config(withdraws))

		p.NewRun()
		state, diags := p.Refresh(object, state)
		p.NoErrors(diags)
		if state == nil {
			t.Fatal("the object was dropped from state")
		}
		plan, diags := p.Plan(object, state, config(withdraws))
		p.NoErrors(diags)
		if plan.Changes || service.Count(mockserver.OpUpdateConsent) != 1 {
			t.Errorf("after the creation, the plan changes something: %v, and %d updates were sent", plan.Changes, service.Count(mockserver.OpUpdateConsent))
		}

		p.NewRun()
		_, diags = p.DestroyUnplanned(t.Context(), object, state)
		p.NoErrors(diags)
		wantHeld(t, service, [5]bool{})
	}, lagging(10*time.Second))
}

// TestConsent_refusalInASuccessIsNoWrite has an update that is refused inside a 200.
func TestConsent_refusalInASuccessIsNoWrite(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance, object string, config func(prototest.Attributes) prototest.Attributes) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 200, Body: []byte(`{"status":"denied"}`)})
		state, diags := p.Create(object, config(nil))
		if len(diags.Errors()) != 1 || state != nil {
			t.Errorf("in state is %v after %v", state, diags)
		}
		if plan, _ := p.Plan(object, state, config(nil)); !plan.Changes {
			t.Error("the next plan is empty")
		}
	})
}

// TestConsent_withdrawnByWhomThePlanDoesNotSee withdraws a person whom another object keeps, which
// -target hides. The next plan does not blame the person alone.
func TestConsent_withdrawnByWhomThePlanDoesNotSee(t *testing.T) {
	t.Parallel()
	for label, configure := range map[string]func(*mockserver.Server){
		"dated":   datesUpdates(time.Now, false),
		"untimed": showsConsent("agreement_time", nil),
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, _ *mocktest.Instance) {
				one, _ := p.MustCreate(name, config(withdrawing))
				p.NewRun()
				other, _ := p.MustCreate(name, config(withdrawing))
				p.NewRun()
				_, diags := p.DestroyUnplanned(t.Context(), name, one)
				p.NoErrors(diags)

				p.NewRun()
				_, diags = wantEmptyPlan(t, p, other, config(withdrawing))
				prototest.WantText(t, diags.Warnings(), "an earlier withdrawal", "keep_later_choice = false")
			}, configure)
		})
	}
}

// TestConsent_updatedObjectKeepsThePerson destroys an object after an update of another one of the person, in
// an apply, which plans the update once more.
func TestConsent_updatedObjectKeepsThePerson(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	former := created(t, p, service, withdrawing)
	other := created(t, p, service, withdrawing.With(withoutAddress))
	end, _ := p.Plan(name, former, nil)

	p.NewRun()
	change, _ := p.Plan(name, other, config(withdrawing))
	_, diags := p.Apply(t.Context(), name, other, change)
	wantWarning(t, diags, "")
	_, diags = p.Apply(t.Context(), name, former, end)
	wantWarning(t, diags, "Not withdrawn, another resource writes it")
	wantHeld(t, service, configured)
}

// TestConsent_identitiesThatDifferByCase plans two of them, by two objects and in a batch.
func TestConsent_identitiesThatDifferByCase(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	_, diags := p.Plan(name, nil, config(agreed))
	wantWarning(t, diags, "")
	_, diags = p.Plan(name, nil, config(agreed.With(prototest.Attributes{"identity_id": strings.ToUpper(person)})))
	wantWarning(t, diags, "Two identities differ by case only")

	p.NewRun()
	rows := "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent\n"
	for _, identity := range []string{"ann", "bob", "Ann"} {
		rows += identity + ",true,true,false,true,true\n"
	}
	path := filepath.Join(t.TempDir(), "people.csv")
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	_, diags = p.Plan(batchName, nil, prototest.Attributes{"source": path, "compare_at_plan": false})
	wantWarning(t, diags, "Two identities differ by case only")
	prototest.WantText(t, diags.Warnings(), "line 4.")
}

// TestConsent_twoObjectsOfOnePersonAreWarnedOf plans and applies one object without a warning,
// and then another one of the same person. A plan that destroys one of them and leaves the other
// one as it is, is refused: consentbatch.TestConsentBatch_isNotWithdrawnWhileAnotherObjectKeepsIt.
func TestConsent_twoObjectsOfOnePersonAreWarnedOf(t *testing.T) {
	t.Parallel()
	const shared = "Two resources manage the consent of one person"
	p, service := start(t, nil)
	one, diags := p.MustCreate(name, config(withdrawing))
	wantWarning(t, diags, "")
	two, diags := p.MustCreate(name, config(withdrawing))
	wantWarning(t, diags, shared)
	plan := func(object *prototest.State, config prototest.Attributes) prototest.Diagnostics {
		_, diags := p.Plan(name, object, config)
		return diags
	}

	p.NewRun()
	one, _ = p.MustRefresh(name, one)
	wantWarning(t, plan(one, config(withdrawing)), "")
	diags = plan(two, config(withdrawing))
	wantWarning(t, diags, shared)
	prototest.WantText(t, diags.Warnings(), `on_destroy = "retain"`, "analytics_consent", "org-demo")

	// While a choice stands, an update sends nothing, so it does not write after a withdrawal.
	p.NewRun()
	service.PutConsent(scope, person, choose(late))
	two, _ = p.MustRefresh(name, two)
	p.NoErrors(plan(one, nil))
	errors := plan(two, config(withdrawing).With(version(1))).Errors()
	prototest.WantText(t, errors, "Another resource keeps the consent to be withdrawn", "org-demo")

	// The same person elsewhere is another one.
	service.PutConsent(mockserver.Scope{AccountID: "acct-7"}, person, refusal())
	_, diags = p.Import(name, "acct-7/"+person)
	wantWarning(t, diags, "")
}

// TestConsent_withoutATimeNothingIsOverwritten updates and destroys an object without an
// agreement_time after a choice that no plan has seen, as with -refresh=false.
func TestConsent_withoutATimeNothingIsOverwritten(t *testing.T) {
	t.Parallel()
	for label, others := range map[string]prototest.Attributes{"changed": {"clause_3_consent": true}, "given a time": {"agreement_time": early, "clause_3_consent": true}} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			state := created(t, p, service, withdrawing.With(withoutIt))
			record := choose(late)
			service.PutConsent(scope, person, record)

			after, diags := p.Update(name, state, config(withdrawing.With(withoutIt).With(others)))
			p.NoErrors(diags)
			prototest.WantText(t, diags.Warnings(), "stands")
			wantRecord(t, service, record)
			_, diags = p.DestroyUnplanned(t.Context(), name, after)
			prototest.WantText(t, diags.Warnings(), "stands")
			wantRecord(t, service, record)
		})
	}
}

// TestConsent_refusalInPlaceOfANullStands has a service that drops a clause of our record, and a person who
// refuses that clause then, without a time.
func TestConsent_refusalInPlaceOfANullStands(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, withdrawing.With(withoutIt))
	service.PutConsent(scope, person, untimedWithNull)
	state, _ = p.MustRefresh(name, state)
	record := own(func(r *mockserver.ConsentRecord) { r.Clauses[1], r.AgreementTime = false, nil })
	service.PutConsent(scope, person, record)

	p.NewRun()
	state, _ = p.MustRefresh(name, state)
	after, diags := p.Update(name, state, config(withdrawing.With(withoutIt)))
	wantWarning(t, diags, untimedStands)
	wantRecord(t, service, record)
	_, diags = p.DestroyUnplanned(t.Context(), name, after)
	wantWarning(t, diags, untimedStands)
	wantRecord(t, service, record)
}

// TestConsent_seededAgain seeds, destroys and seeds again. The second one writes, or names the way out,
// which works.
func TestConsent_seededAgain(t *testing.T) {
	t.Parallel()
	for label, configure := range map[string]func(*mockserver.Server){
		"kept": func(*mockserver.Server) {}, "dated": datesUpdates(time.Now, false), "dated without": datesUpdates(time.Now, true),
		"untimed": showsConsent("agreement_time", nil),
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			eachKind(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance, object string, config func(prototest.Attributes) prototest.Attributes) {
				tellTime(p, service, object, label)
				state, _ := p.MustCreate(object, config(withdraws))
				p.NewRun()
				_, diags := p.DestroyUnplanned(t.Context(), object, state)
				p.NoErrors(diags)
				wantHeld(t, service, [5]bool{})

				p.NewRun()
				state, diags = p.Create(object, config(withdraws))
				p.NoErrors(diags)
				if record, _ := service.Consent(scope, person); record.Clauses != configured {
					prototest.WantText(t, diags.Warnings(), "an earlier withdrawal", "keep_later_choice = false")
					p.NewRun()
					state, _ = p.MustRefresh(object, state)
					state, diags = p.Update(object, state, config(withdraws.With(overrules)))
					p.NoErrors(diags)
				}
				wantHeld(t, service, configured)
				if object == name {
					p.NewRun()
					state, _ = p.MustRefresh(object, state)
					state, _ = p.Update(object, state, config(withdraws))
					wantEmptyPlan(t, p, state, config(withdraws))
				}
			}, configure)
		})
	}
}

// TestConsent_noHashOfAnAddressThatIsWrittenOnly has a service that shows another address than was sent, and
// then a later choice with an address.
func TestConsent_noHashOfAnAddressThatIsWrittenOnly(t *testing.T) {
	t.Parallel()
	prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
		wanted := config(agreed).With(version(1))
		state, _ := p.MustCreate(name, wanted)
		if text := noteIn(t, state); !strings.Contains(text, "shown") || strings.Contains(text, `"a":`) {
			t.Errorf("after the write, the note is %s", text)
		}
		state, _ = wantEmptyPlan(t, p, state, wanted)

		record := choose(late)
		record.UserIPv6 = new("2001:db8::7")
		service.PutConsent(scope, person, record)
		state, _ = p.MustRefresh(name, state)
		if text := noteIn(t, state); !strings.Contains(text, "theirs") || strings.Contains(text, `"a":`) {
			t.Errorf("after a choice, the note is %s", text)
		}
	}, showsConsent("user_ipv6", "2001:db8::"))
}

// TestConsent_settlesWhateverTheServiceShows creates and changes an object at services that show
// something else than they were sent. Then a later choice stands, and without one a destroy withdraws.
func TestConsent_settlesWhateverTheServiceShows(t *testing.T) {
	t.Parallel()
	fraction := prototest.Attributes{"agreement_time": "2026-01-31T12:00:30.5Z"}
	for label, configure := range map[string][]func(*mockserver.Server){
		"minutes": {mocktest.KeepsTimes(time.Minute)}, "days": {mocktest.KeepsTimes(24 * time.Hour)}, "seconds": {mocktest.KeepsTimes(time.Second)},
		"anonymised": {showsConsent("user_ipv6", "2001:db8::")}, "hashed": {showsConsent("user_ipv6", "5e884898da28")},
		"dropped": {showsConsent("user_ipv6", nil)}, "fixed": {showsConsent("manual", false)},
		"dated": {datesUpdates(time.Now, false)}, "untimed": {showsConsent("agreement_time", nil)},
		"minutes, silent": {mocktest.KeepsTimes(time.Minute), silent}, "dated, silent": {datesUpdates(time.Now, false), silent},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
				first := config(withdrawing.With(fraction))
				second := first.With(prototest.Attributes{"clause_3_consent": true})
				state, _ := p.MustCreate(name, first)
				for _, wanted := range []prototest.Attributes{first, second, second} {
					p.NewRun()
					state, _ = p.MustRefresh(name, state)
					var diags prototest.Diagnostics
					state, diags = p.Update(name, state, wanted)
					p.NoErrors(diags)
					wantWarning(t, diags, "")
					wantEmptyPlan(t, p, state, wanted)
				}
				wantHeld(t, service, [5]bool{true, true, true, true, true})

				record, _ := service.Consent(scope, person)
				service.PutConsent(scope, person, choose("2026-12-31T12:00:00Z"))
				p.NewRun()
				_, diags := wantEmptyPlan(t, p, state, second)
				prototest.WantText(t, diags.Warnings(), "stands")

				service.PutConsent(scope, person, record)
				p.NewRun()
				_, diags = p.DestroyUnplanned(t.Context(), name, state)
				p.NoErrors(diags)
				wantHeld(t, service, [5]bool{})
			}, configure...)
		})
	}
}
