// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// lasting is an answer that stays the same, and the error that it is.
type lasting struct {
	operation string // empty is a read of the consent
	fault     mockserver.Fault
	class     transport.ErrorClass
	says      string // in the detail, words with a bar between
	attribute string
}

// lastingFailures returns answers that another attempt meets again.
func lastingFailures() map[string]lasting {
	json := []byte(`{"error":{"code":"E7","message":"no"}}`)
	rows := map[string]lasting{
		"400":            {fault: mockserver.Fault{Status: 400, Body: json}, class: transport.ClassRejected},
		"403":            {fault: mockserver.Fault{Status: 403, Body: json}, class: transport.ClassForbidden},
		"404 JSON":       {fault: mockserver.Fault{Status: 404, Body: json}, class: transport.ClassNotFound},
		"410 JSON":       {fault: mockserver.Fault{Status: 410, Body: json}, class: transport.ClassNotFound},
		"404 page":       {fault: mockserver.Fault{Status: 404, Body: []byte("<html>nginx</html>")}, class: transport.ClassEndpointNotFound},
		"404 empty":      {fault: mockserver.Fault{Status: 404, Body: []byte{}}, class: transport.ClassEndpointNotFound},
		"404 list":       {fault: mockserver.Fault{Status: 404, Body: []byte("[]")}, class: transport.ClassEndpointNotFound},
		"409":            {fault: mockserver.Fault{Status: 409, Body: json}, class: transport.ClassConflict},
		"422":            {fault: mockserver.Fault{Status: 422, Body: json}, class: transport.ClassRejected},
		"407":            {fault: mockserver.Fault{Status: 407, Body: []byte("<html>proxy</html>")}, class: transport.ClassProxyAuth},
		"200 page":       {fault: mockserver.Fault{Status: 200, Header: html, Body: []byte("<html>Welcome to the hotel</html>")}, class: transport.ClassNotJSON},
		"200 empty":      {fault: mockserver.Fault{Status: 200, Body: []byte{}}, class: transport.ClassEmpty},
		"204":            {fault: mockserver.Fault{Status: 204}, class: transport.ClassEmpty},
		"200 with error": {fault: mockserver.Fault{Status: 200, Body: json}, class: transport.ClassRejected},
		"trailing bytes": {fault: mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true}x`)}, class: transport.ClassPayload},
		"33 MiB":         {fault: mockserver.Fault{Status: 200, Body: []byte(`"` + strings.Repeat("x", 33<<20) + `"`)}, class: transport.ClassTooLarge},
		"a name twice":   {fault: mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true,"clause_1_consent":false}`)}, class: transport.ClassPayload},
		"a bomb in gzip": {fault: mockserver.Fault{Status: 200, Header: gzipped, Body: gzipBomb()}, class: transport.ClassTooLarge},
	}

	for _, status := range []int{201, 202, 203, 205, 206, 226} {
		rows[strconv.Itoa(status)] = lasting{fault: mockserver.Fault{Status: status, Body: []byte(wholeConsent)}, class: transport.ClassPayload, says: "is no complete answer to a read"}
	}
	for _, status := range []int{501, 505, 506, 510, 511} {
		rows[strconv.Itoa(status)] = lasting{fault: mockserver.Fault{Status: status}, class: transport.ClassServer}
		rows[strconv.Itoa(status)+" to a change"] = lasting{operation: mockserver.OpUpdateConsent, fault: mockserver.Fault{Status: status}, class: transport.ClassServer}
	}
	for _, status := range []int{406, 415} { // a service may have the other path family
		rows[strconv.Itoa(status)] = lasting{operation: mockserver.OpUpdateConsent, fault: mockserver.Fault{Status: status}, class: transport.ClassRejected, says: "account_id|project_id"}
	}

	for status, tooLarge := range map[int]lasting{
		413: {attribute: "profile", says: "profile|5011 bytes"}, 414: {attribute: "identity_id", says: "identity_id"}, 431: {attribute: "identity_id", says: "identity_id"},
	} {
		tooLarge.operation, tooLarge.class = mockserver.OpUpdateProfile, transport.ClassRequestTooLarge
		tooLarge.fault = mockserver.Fault{Status: status, Body: []byte("<html>too large</html>")}
		rows[strconv.Itoa(status)] = tooLarge
	}

	redirect := func(status int, operation, location, says string) {
		rows[strconv.Itoa(status)+" "+operation+" to "+location] = lasting{
			operation: operation, class: transport.ClassRedirect, says: says + "|base_url",
			fault: mockserver.Fault{Status: status, Header: http.Header{"Location": {location}}},
		}
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		redirect(status, mockserver.OpUpdateConsent, "https://elsewhere.example.com/canary?apiSecretToken=canary", "host elsewhere.example.com")
	}
	redirect(301, "", "https://localhost/v1/canary", "the same host over https")
	redirect(301, "", "/api/canary/", "another path of the same host")
	redirect(301, "", "", "elsewhere")
	redirect(302, mockserver.OpUpdateConsent, "https://h.example.com/%zz", "elsewhere")

	return rows
}

func TestStatus_lastingFailureIsAnErrorAfterOneRequest(t *testing.T) {
	t.Parallel()

	members := map[string]jsontext.Value{"note": jsontext.Value(`"` + strings.Repeat("x", 5000) + `"`)}
	calls := map[string]func(context.Context, *client.Client) error{
		"":                         read,
		mockserver.OpUpdateConsent: update,
		mockserver.OpUpdateProfile: func(ctx context.Context, c *client.Client) error {
			_, err := c.UpdateProfile(ctx, scope, person, members)
			return err
		},
	}

	for name, tc := range lastingFailures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				tc.fault.Times = -1
				if tc.fault.Operation = tc.operation; tc.operation == "" {
					tc.fault.Operation = mockserver.OpGetConsent
				}
				service.Inject(tc.fault)

				e := wantClass(t, calls[tc.operation](t.Context(), c), tc.class)
				if e.Status != tc.fault.Status || e.Attempts != 1 || e.Attribute != tc.attribute || e.Ambiguous {
					t.Errorf("%+v", e)
				}
				for words := range strings.SplitSeq(tc.says, "|") {
					if !strings.Contains(e.Detail, words) {
						t.Errorf("the detail is %q, want %q", e.Detail, words)
					}
				}
				if tc.class == transport.ClassServer && e.Detail == "" || strings.Contains(e.Error(), "canary") {
					t.Errorf("the error is %q", e)
				}

				wantCount(t, service, "", 1)
			}, useSecretKey)
		})
	}
}
