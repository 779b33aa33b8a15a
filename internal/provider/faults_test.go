// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

const consentName = "analytics_consent"

// consentOf returns the consent of a person, which is written without a comparison.
func consentOf(identity string) prototest.Attributes {
	return prototest.Attributes{
		"identity_id": identity, "keep_later_choice": false, "clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true,
	}
}

// createMany creates n consents concurrently, as Terraform does.
func createMany(t *testing.T, p *prototest.Provider, n int) (states []*prototest.State, errors [][]string) {
	t.Helper()
	states, errors = make([]*prototest.State, n), make([][]string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			state, diags := p.Create(consentName, consentOf(fmt.Sprintf("user-%d", i)))
			states[i], errors[i] = state, diags.Errors()
		})
	}
	wg.Wait()

	return states, errors
}

func TestProvider_manyObjectsStayWithinTheConnections(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"max_concurrency": 10}))
	many := soak.Size(soak.Raced(50, 200), 2000)
	_, errors := createMany(t, p, many)

	for i, e := range errors {
		if len(e) > 0 {
			t.Fatalf("object %d: %v", i, e)
		}
	}

	if n := service.Count(mockserver.OpUpdateConsent); n != many || service.Count(mockserver.OpLogin) != 1 || service.Connections() > 20 {
		t.Errorf("%d writes, %d logins, %d connections", n, service.Count(mockserver.OpLogin), service.Connections())
	}
}

func TestProvider_tokenThatExpiresInMidApplyCostsOneLogin(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	service := mocktest.Start(t, func(s *mockserver.Server) {
		s.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		s.OnRequest = func(r mockserver.Request) {
			if r.Operation == mockserver.OpUpdateConsent && r.Seq == 40 {
				ahead.Store(int64(61 * time.Minute))
			}
		}
	})

	p := prototest.MustStart(t, prototest.Config(service))
	_, errors := createMany(t, p, soak.Size(soak.Raced(60, 100), 500))
	for i, e := range errors {
		if len(e) > 0 {
			t.Fatalf("object %d: %v", i, e)
		}
	}

	if n := service.Count(mockserver.OpLogin); n != 2 {
		t.Errorf("%d logins", n)
	}
}

func TestProvider_refusedCredentialsAreTriedOnceForAllObjects(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault  mockserver.Fault
		words  string
		logins int
	}{
		"wrong password":           {mockserver.Fault{Operation: mockserver.OpLogin, Status: 401, Times: -1, Body: []byte(`{"message":"no"}`)}, "Authentication rejected", 1},
		"401 in spite of a token":  {mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 401, Times: -1, Body: []byte(`{}`)}, "Authentication rejected", 2},
		"an answer without a JWT":  {mockserver.Fault{Operation: mockserver.OpLogin, Status: 200, Times: -1, Body: []byte(`{"token":"canary"}`)}, "Unexpected login answer", 1},
		"a redirect of the login":  {mockserver.Fault{Operation: mockserver.OpLogin, Status: 307, Times: -1, Header: map[string][]string{"Location": {"https://elsewhere.example.com/canary"}}}, "Unexpected redirect", 1},
		"a redirect of the update": {mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 302, Times: -1, Header: map[string][]string{"Location": {"https://elsewhere.example.com/canary"}}}, "Unexpected redirect", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t)
			service.Inject(tc.fault)
			p := prototest.MustStart(t, prototest.Config(service))
			states, errors := createMany(t, p, soak.Size(soak.Raced(12, 25), 100))

			for i, e := range errors {
				if states[i] != nil || len(e) != 1 || !strings.Contains(e[0], tc.words) || strings.Contains(e[0], "canary") || !strings.Contains(e[0], "In state now: nothing") {
					t.Fatalf("object %d: %v", i, e)
				}
			}

			if n := service.Count(mockserver.OpLogin); n != tc.logins {
				t.Errorf("%d logins, want %d", n, tc.logins)
			}
		})
	}
}

func TestProvider_one401IsNotNoticed(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service))
	service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 401})
	_, diags := p.Create(consentName, consentOf("user-1001"))
	p.NoErrors(diags)
	if service.Count(mockserver.OpLogin) != 2 || service.Count(mockserver.OpUpdateConsent) != 2 {
		t.Errorf("%d logins, %d writes", service.Count(mockserver.OpLogin), service.Count(mockserver.OpUpdateConsent))
	}
}

func TestProvider_passwordChangedInMidRunIsTriedOnceMore(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service))
	_, diags := p.Create(consentName, consentOf("user-1001"))
	p.NoErrors(diags)
	service.AddUser(service.Email, "another password")
	service.RevokeTokens()
	_, errors := createMany(t, p, 50)

	for _, e := range errors {
		prototest.WantText(t, e, "Authentication rejected")
	}

	if n := service.Count(mockserver.OpLogin); n != 2 {
		t.Errorf("%d logins", n)
	}
}

func TestProvider_lostAnswerHasNoSecondEffect(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service))
	service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutAfterCommit})
	state, diags := p.Create(consentName, consentOf("user-1001"))
	p.NoErrors(diags)
	if state == nil || service.Count(mockserver.OpUpdateConsent) != 1 || service.Count(mockserver.OpGetConsent) != 1 {
		t.Errorf("%d writes, %d reads", service.Count(mockserver.OpUpdateConsent), service.Count(mockserver.OpGetConsent))
	}
}

func TestProvider_unreachableServiceIsNamedByItsHostAlone(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	settings := prototest.Attributes{"base_url": service.URL + "/canary", "api_secret_key": "canary-key", "account_id": "a", "max_retries": 0}
	service.Stop()
	p := prototest.MustStart(t, settings)
	state, diags := p.Create(consentName, consentOf("user-1001"))
	prototest.WantText(t, diags.Errors(), "Cannot reach the service", "the host is 127.0.0.1:", "In state now: nothing", "check base_url")
	if text := strings.Join(diags.Errors(), ""); state != nil || strings.Contains(text, "canary") {
		t.Errorf("state %v: %s", state, text)
	}
}
