package client_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestStatus_failuresThatStayAreNotRepeated(t *testing.T) {
	t.Parallel()

	for _, status := range []int{501, 505, 506, 510, 511} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(
				mockserver.Fault{Operation: mockserver.OpGetConsent, Status: status, Times: -1},
				mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: status, Times: -1})

			_, err := c.GetConsent(t.Context(), scope, person)
			e := wantClass(t, err, client.ClassServer)
			if e.Status != status || e.Attempts != 1 || e.Detail == "" {
				t.Errorf("%d: %+v", status, e)
			}

			wantCount(t, service, mockserver.OpGetConsent, 1)

			e = wantClass(t, update(t.Context(), c), client.ClassServer)
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

			e := wantClass(t, err, client.ClassRequestTooLarge)
			if e.Attribute != tc.attribute || !strings.Contains(e.Detail, tc.attribute) || !strings.Contains(e.Detail, tc.size) || e.Ambiguous {
				t.Errorf("%d: %+v", status, e)
			}

			wantCount(t, service, mockserver.OpUpdateProfile, 1)
		}, useSecretKey)
	}
}

func TestStatus_formatThatIsNotAcceptedNamesThePathFamilies(t *testing.T) {
	t.Parallel()
	for _, status := range []int{406, 415} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: status, Times: -1})
			e := wantClass(t, update(t.Context(), c), client.ClassRejected)
			if !strings.Contains(e.Detail, "account_id") || !strings.Contains(e.Detail, "project_id") {
				t.Errorf("%d: the detail is %q", status, e.Detail)
			}
			wantCount(t, service, mockserver.OpUpdateConsent, 1)
		}, useSecretKey)
	}
}

func TestStatus_redirectIsNeverFollowed(t *testing.T) {
	t.Parallel()

	for _, status := range []int{301, 302, 303, 307, 308} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{
				Operation: mockserver.OpUpdateConsent, Status: status, Times: -1,
				Header: map[string][]string{"Location": {"https://elsewhere.example.com/canary?apiSecretToken=canary"}},
			})

			e := wantClass(t, update(t.Context(), c), client.ClassRedirect)
			if !strings.Contains(e.Detail, "elsewhere.example.com") || strings.Contains(e.Error(), "canary") {
				t.Errorf("%d: the error is %q", status, e)
			}

			wantCount(t, service, "", 1)
		}, useSecretKey)
	}
}

func TestStatus_redirectToNowhereIsARedirect(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 302, Times: -1, Header: map[string][]string{"Location": {"https://h.example.com/%zz"}}})
		err := update(t.Context(), c)
		wantCount(t, service, mockserver.OpUpdateConsent, 1)
		_ = wantClass(t, err, client.ClassRedirect)
	}, useSecretKey)
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
			e := wantClass(t, err, client.ClassRedirect)
			if !strings.Contains(e.Detail, words) || !strings.Contains(e.Detail, "base_url") || strings.Contains(e.Error(), "canary") {
				t.Errorf("%q: the detail is %q", location, e.Detail)
			}
		}, useSecretKey)
	}
}
