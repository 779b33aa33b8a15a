// SPDX-License-Identifier: MPL-2.0

package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

const person = "test-person"

var (
	scope  = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}
	before = mockserver.ConsentRecord{Clauses: [mockserver.Clauses]bool{true, true}, AgreementTime: "2026-02-01T08:00:00Z", Manual: new(false)}
)

// examine examines a service in the bubble of a test, and returns what the report says of the
// restoration.
func examine(t *testing.T, change func(*client.Config), configure func(*mockserver.Server)) (*mocktest.Instance, doctor.Finding) {
	t.Helper()
	service := mocktest.StartPipe(t, configure)
	service.PutConsent(scope, person, before)
	cfg := client.Config{BaseURL: service.URL, Config: transport.Config{
		UserAgent: "doctor-test", DialContext: service.DialContext, Credentials: transport.Credentials{APISecretKey: service.SecretKey},
	}}
	if change != nil {
		change(&cfg)
	}

	report := doctor.Examine(t.Context(), doctor.Options{
		Client: cfg, Scope: client.Scope{OrgID: scope.OrgID, ProjectID: scope.ProjectID},
		Identity: person, Write: true, Day: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), Settle: 2 * time.Second,
	})
	for _, f := range report.Findings {
		if f.Check == "restored" {
			return service, f
		}
	}

	t.Fatalf("nothing is said of the restoration: %+v", report.Findings)

	return nil, doctor.Finding{}
}

func TestExamine_restoresAfterWritesThatLandLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// Each update is carried out after the client has given up.
		late := func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPatch {
					next.ServeHTTP(w, r)
					return
				}
				body := r.Clone(t.Context())
				time.AfterFunc(400*time.Millisecond, func() { next.ServeHTTP(httptest.NewRecorder(), body) })
				<-r.Context().Done()
			})
		}
		service, restored := examine(t, func(cfg *client.Config) { cfg.RequestTimeout = 100 * time.Millisecond }, func(s *mockserver.Server) { s.Wrap = late })

		<-time.After(time.Hour)
		record, _ := service.Consent(scope, person)
		if record.Clauses != before.Clauses || record.AgreementTime != before.AgreementTime || restored.Word != doctor.OK {
			t.Errorf("the consent is %+v: %+v", record, restored)
		}
	})
}

// TestExamine_repeatsNoUpdateOverAChoice has the person choose while an update gets lost.
func TestExamine_repeatsNoUpdateOverAChoice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		withdrawn := mockserver.ConsentRecord{AgreementTime: "2026-03-01T08:00:00Z", Manual: new(false)}
		service, restored := examine(t, nil, func(s *mockserver.Server) {
			s.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutBeforeCommit, Then: func() { s.PutConsent(scope, person, withdrawn) }})
		})

		record, _ := service.Consent(scope, person)
		if n := service.Count(mockserver.OpUpdateConsent); n != 1 || record.AgreementTime != withdrawn.AgreementTime || restored.Word != doctor.Broken {
			t.Errorf("after %d updates, the consent is %+v: %+v", n, record, restored)
		}
	})
}
