package client_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

const wholeConsent = `{"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true}`

func TestStatus_onlyWholeAnswersAreRead(t *testing.T) {
	t.Parallel()
	for status, read := range map[int]bool{200: true, 201: false, 202: false, 203: false, 205: false, 206: false, 226: false} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: status, Body: []byte(wholeConsent), Times: -1})

			_, err := c.GetConsent(t.Context(), scope, person)

			if read {
				noError(t, err)
				return
			}
			e := wantKind(t, err, client.ClassPayload)
			if e.Status != status || !strings.Contains(e.Detail, "is no complete answer to a read") {
				t.Errorf("%d: %+v", status, e)
			}
			wantCount(t, service, mockserver.OpGetConsent, 1)
		}, useSecretKey)
	}
}

func TestStatus_206IsNoSuccessOfAChange(t *testing.T) {
	t.Parallel()
	for operation, call := range changes() {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(
				mockserver.Fault{Operation: operation, Status: 206, Body: []byte(`{"id":"1"}`), Times: -1},
				mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 403, Times: -1})

			err := call(t.Context(), c)

			if !client.IsClass(err, client.ClassPayload, client.ClassUnknownOutcome) {
				t.Errorf("%s: the error is %v", operation, err)
			}
			wantCount(t, service, operation, 1)
		}, useSecretKey)
	}
}

func TestStatus_failuresThatStayAreNotRepeated(t *testing.T) {
	t.Parallel()
	for _, status := range []int{501, 505, 506, 510, 511} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(
				mockserver.Fault{Operation: mockserver.OpGetConsent, Status: status, Times: -1},
				mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: status, Times: -1})

			_, err := c.GetConsent(t.Context(), scope, person)
			e := wantKind(t, err, client.ClassServer)
			if e.Status != status || e.Attempts != 1 || e.Detail == "" {
				t.Errorf("%d: %+v", status, e)
			}
			wantCount(t, service, mockserver.OpGetConsent, 1)

			e = wantKind(t, update(t.Context(), c), client.ClassServer)
			if e.Ambiguous {
				t.Errorf("%d: a change that the service does not offer is called ambiguous", status)
			}
			wantCount(t, service, mockserver.OpUpdateConsent, 1)
		}, useSecretKey)
	}
}

func TestStatus_requestThatIsTooLargeNamesAttributeAndSize(t *testing.T) {
	t.Parallel()
	members := map[string]jsontext.Value{"note": jsontext.Value(`"` + strings.Repeat("x", 5000) + `"`)}
	for status, tc := range map[int]struct{ attribute, size string }{
		413: {"profile", "5011 bytes"},
		414: {"identity_id", ""},
		431: {"identity_id", ""},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateProfile, Status: status, Times: -1, Body: []byte("<html>too large</html>")})

			_, err := c.UpdateProfile(t.Context(), scope, person, members)

			e := wantKind(t, err, client.ClassRequestTooLarge)
			if e.Attribute != tc.attribute || !strings.Contains(e.Detail, tc.attribute) || !strings.Contains(e.Detail, tc.size) || e.Ambiguous {
				t.Errorf("%d: %+v", status, e)
			}
			wantCount(t, service, mockserver.OpUpdateProfile, 1)
		}, useSecretKey)
	}
}

func TestStatus_hintAtTheOtherPathFamily(t *testing.T) {
	t.Parallel()
	account := client.Scope{AccountID: "account-1"}
	for name, tc := range map[string]struct {
		scope client.Scope
		other string
	}{
		"org and project": {scope, "account_id"},
		"account":         {account, "org_id and project_id"},
	} {
		for _, fault := range []mockserver.Fault{
			{Status: 405},
			{Status: 404, Body: []byte(`<html>no</html>`)},
			{Status: 404, Body: []byte(`{"message":"no"}`)},
		} {
			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				fault.Times = -1
				service.Inject(fault)
				_, consent := c.GetConsent(t.Context(), tc.scope, person)
				_, update := c.UpdateConsent(t.Context(), tc.scope, person, allTrue())
				_, profile := c.GetProfile(t.Context(), tc.scope, person)
				_, pending := c.ListPending(t.Context(), tc.scope)
				for _, err := range []error{consent, update, profile, pending} {
					e := wantKind(t, err, client.ClassEndpointNotFound, client.ClassNotFound)
					if !strings.Contains(e.Hint, tc.other) {
						t.Errorf("%s: %s with %d hints at %q", name, e.Operation, e.Status, e.Hint)
					}
				}

				_, err := c.CurrentUser(t.Context())
				if e := wantKind(t, err, client.ClassEndpointNotFound, client.ClassNotFound); e.Hint != "" {
					t.Errorf("%s has no path families, and hints at %q", e.Operation, e.Hint)
				}
			}, useSecretKey)
		}
	}
}

func TestStatus_formatThatIsNotAcceptedHintsAtTheSettings(t *testing.T) {
	t.Parallel()
	for _, status := range []int{406, 415} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: status, Times: -1})
			e := wantKind(t, update(t.Context(), c), client.ClassRejected)
			if !strings.Contains(e.Hint, "account_id") {
				t.Errorf("%d hints at %q", status, e.Hint)
			}
			wantCount(t, service, mockserver.OpUpdateConsent, 1)
		}, useSecretKey)
	}
}

func TestStatus_redirectSaysWhatDiffersFromBaseURL(t *testing.T) {
	t.Parallel()
	for location, words := range map[string]string{
		"https://elsewhere.example.com/canary": "host elsewhere.example.com",
		"https://localhost/v1/canary":          "the same host over https",
		"/api/canary/":                         "another path of the same host",
		"":                                     "elsewhere",
		"https://h.example.com/%zz":            "elsewhere",
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 301, Times: -1, Header: http.Header{"Location": {location}}})
			_, err := c.GetConsent(t.Context(), scope, person)
			e := wantKind(t, err, client.ClassRedirect)
			if !strings.Contains(e.Detail, words) || !strings.Contains(e.Detail, "base_url") || strings.Contains(e.Error(), "canary") {
				t.Errorf("%q: the detail is %q", location, e.Detail)
			}
		}, useSecretKey)
	}
}

func TestStatus_JSONUnderAnotherNameIsRead(t *testing.T) {
	t.Parallel()
	for _, declared := range []string{"text/html", "text/plain; charset=utf-8", "application/octet-stream"} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 200, Body: []byte(wholeConsent), Header: http.Header{"Content-Type": {declared}}})
			ctx, logged := capturedLog(t)
			_, err := c.GetConsent(ctx, scope, person)
			noError(t, err)
			if got := logged(); !strings.Contains(got, `"@level":"info"`) || !strings.Contains(got, strings.Split(declared, ";")[0]) {
				t.Errorf("%s: the log is %s", declared, got)
			}
		}, useSecretKey)
	}
}

func TestStatus_stalledAnswerSaysSoAndAfterHowLong(t *testing.T) {
	t.Parallel()
	for words, fault := range map[string]mockserver.Fault{
		"no answer within 30s": {Hang: true},
		"the answer stalled: it began and was not complete after 30s": {Cut: mockserver.CutStall, CutAt: 10},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
			fault.Operation, fault.Times = mockserver.OpGetConsent, -1
			service.Inject(fault)
			began := time.Now()
			_, err := c.GetConsent(t.Context(), scope, person)
			e := wantKind(t, err, client.ClassTimeout)
			if !strings.Contains(e.Detail, words) || !strings.Contains(e.Detail, "request_timeout") {
				t.Errorf("the detail is %q", e.Detail)
			}
			if took := time.Since(began); took > 5*30*time.Second+time.Minute {
				t.Errorf("it took %v", took)
			}
		}, useSecretKey)
	}
}

func TestStatus_stalledExportSaysSoAndAfterHowLong(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.ExportRecords = 100
		service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutStall, CutAt: 100, Times: -1})
		_, err := export(t.Context(), t, c, &received{})
		e := wantKind(t, err, client.ClassTimeout)
		if !strings.Contains(e.Detail, "the answer stalled: nothing more of it came for 30s") {
			t.Errorf("the detail is %q", e.Detail)
		}
	}, useSecretKey)
}
