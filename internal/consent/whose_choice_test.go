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

// kind is an object of one of the two kinds that write the consent of the person, with the same values.
type kind struct {
	*testing.T
	*prototest.Provider

	service *mocktest.Instance
	name    string
	source  string // of a batch
}

// newFile returns the path of a CSV with these rows.
func newFile(t *testing.T, rows ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "people.csv")
	header := "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,agreement_time"
	if err := os.WriteFile(path, []byte(strings.Join(append([]string{header}, rows...), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}

	return path
}

// config returns the configuration of the object, which withdraws.
func (k kind) config(others prototest.Attributes) prototest.Attributes {
	if k.name == batchName {
		return prototest.Attributes{"source": k.source, "on_destroy": "withdraw"}.With(others)
	}
	return config(withdrawing.With(others))
}

// wire tells the provider a setting.
func (k kind) wire(settings prototest.Attributes) {
	k.Reconfigure(prototest.Config(k.service).With(prototest.Attributes{"wire": settings}))
}

// wantHeld fails the test if the service holds other clauses.
func (k kind) wantHeld(want [5]bool) {
	k.Helper()
	wantHeld(k.T, k.service, want)
}

// destroyed destroys an object in a run of its own, which no plan has seen, and returns what it says.
func destroyed(t *testing.T, p *prototest.Provider, object string, state *prototest.State) prototest.Diagnostics {
	t.Helper()
	p.NewRun()
	_, diags := p.DestroyUnplanned(t.Context(), object, state)
	p.NoErrors(diags)

	return diags
}

// eachKind runs a test with a single object and with a batch at some of the services, in virtual time. A
// batch remembers no row, so it is told of a service that dates each update.
func eachKind(t *testing.T, at []string, test func(k kind)) {
	t.Helper()
	source := newFile(t, person+",true,true,false,true,true,"+early)
	for _, service := range at {
		for _, object := range []string{name, batchName} {
			t.Run(service+", "+object, func(t *testing.T) {
				t.Parallel()
				prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, s *mocktest.Instance) {
					s.AllowViolations()
					k := kind{t, p, s, object, source}
					if object == batchName && strings.HasPrefix(service, "dates updates") {
						k.wire(prototest.Attributes{"lag": "0s", "consent": prototest.Attributes{"time_kept": "service"}})
					}
					test(k)
				}, services[service]...)
			})
		}
	}
}

// TestConsent_ownWithdrawalIsNoChoice destroys and creates in one run, in both orders. Then it destroys what the
// other object keeps, as with -target, whose plan does not blame the person alone. It creates again in the next
// run, which writes, or names the way out. That works.
func TestConsent_ownWithdrawalIsNoChoice(t *testing.T) {
	t.Parallel()
	at := []string{"exact", "dates updates", "dates updates, silent", "dates what has no time", "keeps no times"}
	eachKind(t, at, func(k kind) {
		state, _ := k.MustUpdate(k.name, nil, k.config(nil))
		destroyed(k.T, k.Provider, k.name, state)
		k.wantHeld([5]bool{})
		state, _ = k.MustUpdate(k.name, nil, k.config(nil))
		k.wantHeld(configured)

		k.NewRun()
		other, _ := k.MustUpdate(k.name, nil, k.config(nil))
		_, diags := k.DestroyUnplanned(k.Context(), k.name, state)
		prototest.WantText(k.T, diags.Warnings(), "Not withdrawn, another resource")
		k.wantHeld(configured)

		destroyed(k.T, k.Provider, k.name, state)
		k.wantHeld([5]bool{})
		k.NewRun()
		other, _ = k.MustRefresh(k.name, other)
		if plan, diags := k.MustPlan(k.name, other, k.config(nil)); !plan.Changes {
			prototest.WantText(k.T, diags.Warnings(), "an earlier withdrawal", "keep_later_choice = false")
		}

		k.NewRun()
		state, diags = k.MustUpdate(k.name, nil, k.config(nil))
		if record, _ := k.service.Consent(scope, person); record.Clauses != configured {
			prototest.WantText(k.T, diags.Warnings(), "an earlier withdrawal", "keep_later_choice = false")
			k.NewRun()
			state, _ = k.MustRefresh(k.name, state)
			state, _ = k.MustUpdate(k.name, state, k.config(overrules))
		}
		k.wantHeld(configured)
		if k.name == name {
			k.NewRun()
			state, _ = k.MustRefresh(name, state)
			state, _ = k.MustUpdate(name, state, k.config(nil))
			wantEmptyPlan(k.T, k.Provider, state, k.config(nil))
		}
	})
}

// TestConsent_cachedAnswerIsNoReading has a cache that hides a later choice, and shows itself by an Age or
// by a Date before that of the login.
func TestConsent_cachedAnswerIsNoReading(t *testing.T) {
	t.Parallel()
	for header, value := range map[string]string{"Age": "45", "Date": "Fri, 31 Dec 1999 23:00:00 GMT"} {
		eachKind(t, []string{"exact"}, func(k kind) {
			state, _ := k.MustUpdate(k.name, nil, k.config(nil))
			choice := choose(late)
			k.service.PutConsent(scope, person, choice)
			k.service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Header: http.Header{header: {value}}, Times: -1})

			k.NewRun()
			_, created := k.Update(k.name, nil, k.config(nil))
			_, read := k.ReadData(name, prototest.Attributes{"identity_id": person})
			k.NewRun()
			after, destroyed := k.DestroyUnplanned(k.Context(), k.name, state)
			for _, diags := range []prototest.Diagnostics{created, read, destroyed} {
				prototest.WantText(k.T, diags.Errors(), "Answered from a cache", "exclude the paths of the service")
			}
			if after == nil {
				k.Error("the object is gone")
			}
			wantRecord(k.T, k.service, choice)
		})
	}
}

// TestConsent_noneAboutSomebodyKnown has a service that says once that there is no record, as a replica does that
// lags, and then for ever. Once, a refresh keeps the state. Each run waits for the lag once.
func TestConsent_noneAboutSomebodyKnown(t *testing.T) {
	t.Parallel()
	eachKind(t, []string{"exact"}, func(k kind) {
		none := mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 404, Body: []byte(`{"error":{"code":"none"}}`)}
		k.wire(prototest.Attributes{"lag": "30s"})
		state, _ := k.MustUpdate(k.name, nil, k.config(nil))
		if k.name == name { // another object of the run knows what was written
			k.service.Inject(none)
			_, diags := k.Update(name, nil, k.config(nil))
			prototest.WantText(k.T, diags.Errors(), "Not found", "cannot remove one")
		}

		k.NewRun()
		k.service.Inject(none)
		state, _ = k.MustRefresh(k.name, state)
		if plan, _ := k.MustPlan(k.name, state, k.config(nil)); plan.Changes {
			k.Error("the plan writes what is there")
		}

		k.service.Inject(none)
		began := time.Now()
		destroyed(k.T, k.Provider, k.name, state)
		k.wantHeld([5]bool{})

		k.NewRun()
		state, _ = k.MustUpdate(k.name, nil, k.config(nil))
		none.Times = -1
		k.service.Inject(none)
		diags := destroyed(k.T, k.Provider, k.name, state)
		prototest.WantText(k.T, diags.Warnings(), "missing")
		k.wantHeld(configured)

		k.NewRun()
		for range 2 { // two objects share the pause
			after, diags := k.Refresh(k.name, state)
			k.NoErrors(diags)
			if k.name == name && (after != nil || len(diags.Warnings()) != 1) {
				k.Errorf("in state is %v, and it says %q", after, diags.Warnings())
			}
		}
		if pauses := time.Since(began).Round(time.Second) / (30 * time.Second); pauses != map[string]time.Duration{name: 3, batchName: 2}[k.name] {
			k.Errorf("it has waited %d times", pauses)
		}
	})
}

// TestConsent_keeperOfAWithdrawalIsReadBeforeEachSend creates another object of the person while a withdrawal waits to be
// sent again.
func TestConsent_keeperOfAWithdrawalIsReadBeforeEachSend(t *testing.T) {
	t.Parallel()
	prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
		state := created(t, p, service, withdrawing)
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"60"}}})

		destroyed := make(chan prototest.Diagnostics, 1)
		go func() { _, diags := p.Update(name, state, nil); destroyed <- diags }()
		<-time.After(30 * time.Second)
		p.MustUpdate(name, nil, config(withdrawing))
		wantWarning(t, <-destroyed, "Not withdrawn, another resource writes it")
		wantHeld(t, service, configured)
	})
}

// TestConsent_identitiesThatDifferByCase plans two of them, by two objects and in a batch.
func TestConsent_identitiesThatDifferByCase(t *testing.T) {
	t.Parallel()
	const says = "Two identities differ by case only"
	p, _ := start(t, nil)
	_, diags := p.Plan(name, nil, config(agreed))
	wantWarning(t, diags, "")
	_, diags = p.Plan(name, nil, config(agreed.With(prototest.Attributes{"identity_id": strings.ToUpper(person)})))
	wantWarning(t, diags, says)

	path := newFile(t, "ann,true,true,false,true,true,", "bob,true,true,false,true,true,", "Ann,true,true,false,true,true,")
	_, diags = p.Plan(batchName, nil, prototest.Attributes{"source": path, "compare_at_plan": false})
	wantWarning(t, diags, says)
	prototest.WantText(t, diags.Warnings(), "line 4.")
}

// TestConsent_noHashOfAnAddressThatIsWrittenOnly has a service that shows another address than was sent, and
// then a later choice with an address.
func TestConsent_noHashOfAnAddressThatIsWrittenOnly(t *testing.T) {
	t.Parallel()
	prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
		wanted := config(agreed).With(version(1))
		state, _ := p.MustUpdate(name, nil, wanted)
		if text := provenanceIn(t, state); !strings.Contains(text, "shown") || strings.Contains(text, `"a":`) {
			t.Errorf("after the write, the provenance is %s", text)
		}
		state, _ = wantEmptyPlan(t, p, state, wanted)

		record := choose(late)
		record.UserIPv6 = new("2001:db8::7")
		service.PutConsent(scope, person, record)
		state, _ = p.MustRefresh(name, state)
		if text := provenanceIn(t, state); !strings.Contains(text, "theirs") || strings.Contains(text, `"a":`) {
			t.Errorf("after a choice, the provenance is %s", text)
		}
	}, services["anonymises"]...)
}

// TestConsent_settlesWhateverTheServiceShows creates and changes an object at services that show
// something else than they were sent. Then a later choice stands, and without one a destroy withdraws.
func TestConsent_settlesWhateverTheServiceShows(t *testing.T) {
	t.Parallel()
	fraction := prototest.Attributes{"agreement_time": "2026-01-31T12:00:30.5Z"}
	for label, configure := range services {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
				first := config(withdrawing.With(fraction))
				second := first.With(prototest.Attributes{"clause_3_consent": true})
				state, _ := p.MustUpdate(name, nil, first)
				for _, wanted := range []prototest.Attributes{first, second, second} {
					p.NewRun()
					state, _ = p.MustRefresh(name, state)
					var diags prototest.Diagnostics
					state, diags = p.Update(name, state, wanted)
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
				destroyed(t, p, name, state)
				wantHeld(t, service, [5]bool{})
			}, configure...)
		})
	}
}
