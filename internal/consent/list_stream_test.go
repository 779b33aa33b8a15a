// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestConsentList_cancelledEndsAtOnce(t *testing.T) {
	t.Parallel()

	for operation, says := range map[string]string{mockserver.OpGetConsent: "The list was interrupted", mockserver.OpExportRecords: "Cancelled"} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p, service, stop := startPipe(t, nil, func(s *mockserver.Server) {
					s.Inject(mockserver.Fault{Operation: operation, Hang: true, Times: -1})
				})
				defer stop()
				service.PutExport(scope, "1999-12-31", mockserver.ExportDay{Persons: personRecords("identityId", identities(5)...)})

				ctx, cancel := context.WithCancel(t.Context())
				began := time.Now()
				time.AfterFunc(5*time.Second, cancel)
				var errors []string
				p.ListUntil(ctx, name, listDay(prototest.Attributes{"utc_date": "1999-12-31"}), func(result prototest.ListResult) bool {
					if result.Identity != nil {
						t.Errorf("%s is listed", result.DisplayName)
					}
					errors = append(errors, result.Errors()...)
					return true
				})
				prototest.WantText(t, errors, says)

				if took := time.Since(began); took > 6*time.Second {
					t.Errorf("it took %s to end", took)
				}
			})
		})
	}
}

// TestConsentList_panicIsAnError panics in a goroutine that looks a person up. One in the
// iteration itself is the guard's of the provider.
func TestConsentList_panicIsAnError(t *testing.T) {
	t.Parallel()

	service := mocktest.Start(t)
	config := prototest.Config(service).Without("email", "password").With(prototest.Attributes{"api_secret_key": service.SecretKey})
	p := prototest.MustStart(t, config, func(cfg *client.Config) {
		cfg.Proxy = func(*http.Request) (*url.URL, error) { panic(person) }
	})

	results := p.List(name, listOf(person, "user-2"))
	prototest.WantText(t, results.Diagnostics().Errors(), "Internal error", "panic")
	wantNobodyNamed(t, results)
}
