// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const consentName = "analytics_consent"

var demoScope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

// header is the first line of the file of a batch.
const header = "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent\n"

// consentOf returns the consent of a person, which is written without a comparison.
func consentOf(identity string) prototest.Attributes {
	return prototest.Attributes{
		"identity_id": identity, "keep_later_choice": false,
		"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true,
	}
}

// TestProvider_manyObjectsStayWithinTheConnections creates as many consents at once as there may be
// requests, again and again, each time with idle connections. If requests waited for one another, the
// number of connections would depend on the speed of the machine.
func TestProvider_manyObjectsStayWithinTheConnections(t *testing.T) {
	t.Parallel()
	const limit = 10
	prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
		p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"max_concurrency": limit}))
		rounds := soak.Size(soak.Raced(4, 20), 200)
		for round := range rounds {
			var wg sync.WaitGroup
			for i := range limit {
				wg.Go(func() {
					if _, diags := p.Create(consentName, consentOf(fmt.Sprintf("user-%d-%d", round, i))); len(diags.Errors()) > 0 {
						t.Errorf("object %d of round %d: %v", i, round, diags.Errors())
					}
				})
			}
			wg.Wait()
			synctest.Wait()
		}

		logins, writes := service.Count(mockserver.OpLogin), service.Count(mockserver.OpUpdateConsent)
		if writes != rounds*limit || logins != 1 || service.Connections() > limit+1 { // one of the login
			t.Errorf("%d writes, %d logins, %d connections", writes, logins, service.Connections())
		}
	}, func(s *mockserver.Server) { s.Latency = time.Second })
}

// TestReadOnly_plan plans resources that exist, and new ones, with a provider that is read-only:
// a plan that would change something at the service is refused, and any other is not.
func TestReadOnly_plan(t *testing.T) {
	t.Parallel()
	const person = "user-1001"
	folder := t.TempDir()
	refusing := prototest.Attributes{
		"clause_1_consent": false, "clause_2_consent": false, "clause_3_consent": false, "clause_4_consent": false, "clause_5_consent": false,
	}
	consent := refusing.With(prototest.Attributes{"identity_id": person, "clause_1_consent": true, "agreement_time": "2026-01-31T12:00:00Z"})
	profile := prototest.Attributes{"identity_id": person, "profile": `{"plan":"pro"}`, "wait_for_fulfilment": false}
	deletion := prototest.Attributes{"identity_id": person, "wait_for_fulfilment": false}
	access := deletion.With(prototest.Attributes{"output_path": filepath.Join(folder, "data.json")})
	const people = header + person + ",true,true,true,true,true\n"
	batch := prototest.Attributes{"content_wo": people, "content_wo_version": 1}
	rows := prototest.Attributes{"source": filepath.Join(folder, "rows.csv")}
	if err := os.WriteFile(filepath.Join(folder, "rows.csv"), []byte(people), 0o600); err != nil {
		t.Fatal(err)
	}
	day := prototest.Attributes{"utc_date": "2026-01-31", "path": filepath.Join(folder, "day.ndjson")}

	for name, tc := range map[string]struct {
		resource      string
		before, after prototest.Attributes // nil for an object that does not exist
		refused       bool
	}{
		"create a consent":             {"analytics_consent", nil, consent, true},
		"change a consent":             {"analytics_consent", consent, consent.With(refusing), true},
		"change what a destroy does":   {"analytics_consent", consent, consent.With(prototest.Attributes{"on_destroy": "withdraw"}), false},
		"forget a consent":             {"analytics_consent", consent, nil, false},
		"withdraw a consent":           {"analytics_consent", consent.With(prototest.Attributes{"on_destroy": "withdraw"}), nil, true},
		"create a batch":               {"analytics_consent_batch", nil, batch, true},
		"forget a batch":               {"analytics_consent_batch", rows, nil, false},
		"withdraw a batch":             {"analytics_consent_batch", rows.With(prototest.Attributes{"on_destroy": "withdraw"}), nil, true},
		"create a profile":             {"analytics_profile", nil, profile, true},
		"change a profile":             {"analytics_profile", profile, profile.With(prototest.Attributes{"profile": `{"plan":"free"}`}), true},
		"manage less of a profile":     {"analytics_profile", profile, profile.With(prototest.Attributes{"profile": `{}`}), false},
		"forget a profile":             {"analytics_profile", profile, nil, false},
		"clear a profile":              {"analytics_profile", profile.With(prototest.Attributes{"on_destroy": "clear"}), nil, true},
		"delete the data of a person":  {"analytics_data_deletion", nil, deletion, true},
		"forget a deletion":            {"analytics_data_deletion", deletion, nil, false},
		"request the data of a person": {"analytics_data_access_request", nil, access, true},
		"export a day":                 {"analytics_export_file", nil, day, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t)
			var state *prototest.State
			if tc.before != nil {
				state, _ = prototest.MustStart(t, prototest.Config(service)).MustCreate(tc.resource, tc.before)
			}

			p := prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"read_only": true}))
			_, diags := p.Plan(tc.resource, state, tc.after)
			if !tc.refused {
				p.NoErrors(diags)
				return
			}
			prototest.WantText(t, diags.Errors(), "The provider is read-only: The setting read_only is on", "Nothing was sent.", "remove read_only")
			for _, r := range service.Requests() {
				if state == nil && r.Operation != mockserver.OpGetConsent && r.Operation != mockserver.OpLogin {
					t.Errorf("the plan has sent %s", r.Operation)
				}
			}
		})
	}
}
