// SPDX-License-Identifier: MPL-2.0

package cli_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

const (
	headerSecret = "canary header 7f3b1c/+?"
	elsewhere    = "elsewhere.example.com" // where a redirect leads to
)

// secrets are what no output may hold.
func secrets(service *mocktest.Instance) []string {
	values := []string{person, other, name, address, headerSecret, service.Email, service.Password, service.SecretKey}
	for _, r := range service.Requests() {
		if r.Token != "" && !slices.Contains(values, r.Token) {
			values = append(values, r.Token)
		}
	}
	return values
}

// TestDoctor_noSecretComesOut searches what is printed for every spelling of a secret: where the
// command is refused, in dialects that are not understood, and where one operation answers with
// everything that was sent. The tests of setups search in the other dialects. The records of
// yesterday hold people, also as names of members.
func TestDoctor_noSecretComesOut(t *testing.T) {
	t.Parallel()
	type search struct {
		dialect        mockserver.Dialect
		operation, way string // in which the operation repeats what was sent
		args           []string
	}

	searches := []search{{args: []string{"-yes"}}, {args: nil}} // the second one is refused
	foreign := slices.DeleteFunc(alone(), func(d mockserver.Dialect) bool { return !d.Foreign() })
	for _, dialect := range soak.Some(2, append(foreign, nil)) {
		searches = append(searches, search{dialect: dialect, args: []string{"-yes", "-json"}})
	}

	ways := []string{"400", "page", "names", "redirect"}
	if soak.On() {
		ways = append(ways, "401", "404", "500", "200", "text")
	}
	var failing []search
	for _, operation := range []string{
		mockserver.OpLogin, mockserver.OpGetCurrentUser, mockserver.OpListPendingRequests, mockserver.OpExportRecords,
		mockserver.OpGetConsent, mockserver.OpUpdateConsent, mockserver.OpGetProfile,
	} {
		for _, way := range ways {
			failing = append(failing, search{operation: operation, way: way, args: []string{"-yes", "-json"}})
		}
	}

	for _, tc := range append(searches, soak.Some(3, failing)...) {
		t.Run(fmt.Sprint(tc), func(t *testing.T) {
			t.Parallel()
			service := patient(t, tc.dialect)
			service.AllowViolations()
			records := []any{map[string]any{
				"id": person, "name": name, "ip": address, "friends": map[string]any{other: map[string]any{"since": "2026-01-01"}}, other: 1,
			}}
			yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
			service.PutExport(project, yesterday, mockserver.ExportDay{Persons: records, Sessions: records, Events: records, Others: records})
			if tc.operation != "" {
				fault := repeating(t, secrets(service))[tc.way]
				fault.Operation, fault.Times = tc.operation, -1
				service.Inject(fault)
			}

			env := environment(service)
			env["ANALYTICS_HEADERS"] = `{"X-Canary":"` + headerSecret + `"}`
			env["ANALYTICS_MAX_RETRIES"] = "0"
			out := run(t, env, append(tc.args, "-identity", person, "-write")...)
			prototest.WantNoCanary(t, "the output", out.stdout+out.stderr, append(secrets(service), elsewhere)...)
		})
	}
}

// repeating returns faults that repeat values, by the way in which they do.
func repeating(t *testing.T, values []string) map[string]mockserver.Fault {
	t.Helper()
	said := strings.Join(values, " ")
	var members []string
	for i, v := range values {
		members = append(members, fmt.Sprintf("%q: {\"clause_%d_consent\": %q, %q: 1}", v, i%5+1, v, v+" 2"))
	}

	faults := map[string]mockserver.Fault{
		"page":     {Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<p>" + said)},
		"text":     {Status: http.StatusBadRequest, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte(said)},
		"redirect": {Status: http.StatusFound, Header: http.Header{"Location": {"https://" + elsewhere + "/?k=" + url.QueryEscape(said)}}},
		"names":    {Status: http.StatusOK, Body: []byte("{" + strings.Join(members, ", ") + "}")},
	}
	for _, status := range []int{200, 400, 401, 404, 500} {
		faults[fmt.Sprint(status)] = mockserver.Fault{Status: status, Body: prototest.QuotedBack(t, values)}
	}

	return faults
}

// TestDoctor_printsNoNameOfAShortIdentity has members that are named after a person whose
// identity is a plain word.
func TestDoctor_printsNoNameOfAShortIdentity(t *testing.T) {
	t.Parallel()
	for _, identity := range []string{"bob", "bob.smith@example.com"} {
		service := patient(t, nil)
		service.PutProfile(project, identity, `{"bob":1,"bobPhone":2,"phone_of_bob":{"since":3},"plan":"pro"}`)
		record := held()
		record.Extra = map[string]any{"bob": "x", "bobPhone": true, "channel": "web"}
		service.PutConsent(project, identity, record)

		out := run(t, environment(service), "-json", "-identity", identity, "-write", "-yes")
		if strings.Contains(strings.ToLower(out.stdout), "bob") || !strings.Contains(out.stdout, "channel") {
			t.Errorf("printed: %s", out.stdout)
		}
	}
}
