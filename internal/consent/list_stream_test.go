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

// hanging makes the service never answer for some people.
func hanging(identities ...string) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		for _, identity := range identities {
			s.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Identity: identity, Hang: true, Times: -1})
		}
	}
}

// TestConsentList_clientThatGoesAwayLeaksNothing reads one result while other requests are
// under way. The bubble fails the test where a goroutine stays.
func TestConsentList_clientThatGoesAwayLeaksNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, service, stop := startPipe(t, nil, hanging("user-2", "user-3"))
		defer stop()
		putConsents(service, identities(5)...)

		began := time.Now()
		var taken []string
		p.ListUntil(t.Context(), name, listOf(identities(5)...), func(result prototest.ListResult) bool {
			taken = append(taken, result.DisplayName)
			synctest.Wait() // all five requests were sent
			return false
		})

		if len(taken) != 1 || taken[0] != "user-1" {
			t.Errorf("taken are %v", taken)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %s to end", took)
		}
		if n := service.Count(mockserver.OpGetConsent); n != 5 {
			t.Errorf("%d people were looked up", n)
		}
	})
}

func TestConsentList_cancelledEndsAtOnce(t *testing.T) {
	t.Parallel()

	for label, operation := range map[string]string{"while people are looked up": mockserver.OpGetConsent, "while the day is read": mockserver.OpExportRecords} {
		t.Run(label, func(t *testing.T) {
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
				prototest.WantText(t, errors, "The list was interrupted")

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
