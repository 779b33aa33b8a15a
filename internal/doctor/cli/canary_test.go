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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

const headerSecret = "canary header 7f3b1c/+?"

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

// wantNoSecret runs the command, and searches what it prints for every spelling of a secret.
// The records of yesterday hold people, also as names of members.
func wantNoSecret(t *testing.T, service *mocktest.Instance, args ...string) {
	t.Helper()
	service.AllowViolations()
	record := map[string]any{"id": person, "name": name, "ip": address, "friends": map[string]any{other: map[string]any{"since": "2026-01-01"}}, other: 1}
	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	service.PutExport(project, yesterday, mockserver.ExportDay{Persons: []any{record}, Sessions: []any{record}, Events: []any{record}, Others: []any{record}})

	env := environment(service)
	env["ANALYTICS_HEADERS"] = `{"X-Canary":"` + headerSecret + `"}`
	env["ANALYTICS_MAX_RETRIES"] = "0"
	out := run(t, env, append(args, "-identity", person, "-write")...)
	prototest.WantNoCanary(t, "the output", out.stdout+out.stderr, secrets(service)...)
}

func TestDoctor_noSecretComesOutInAnyForm(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-yes"}, {"-yes", "-json"}, nil} { // the last one is refused
		wantNoSecret(t, patient(t, nil), args...)
	}
}

// TestDoctor_noSecretComesOutInAnyDialect is about dialects that are not understood. The tests of
// setups search what is printed in the others.
func TestDoctor_noSecretComesOutInAnyDialect(t *testing.T) {
	t.Parallel()
	dialects := slices.DeleteFunc(alone(), func(d mockserver.Dialect) bool { return !d.Foreign() })
	for _, dialect := range soak.Some(2, dialects) {
		t.Run(dialect.String(), func(t *testing.T) {
			t.Parallel()
			wantNoSecret(t, patient(t, dialect), "-yes", "-json")
		})
	}
}

// TestDoctor_noSecretComesOutOfErrors has each operation alone fail with answers that repeat
// everything that was sent.
func TestDoctor_noSecretComesOutOfErrors(t *testing.T) {
	t.Parallel()
	ways := []string{"400", "page", "names"}
	if soak.On() {
		ways = []string{"400", "401", "404", "500", "200", "page", "text", "redirect", "names"}
	}

	for i, operation := range soak.Some(3, []string{
		mockserver.OpLogin, mockserver.OpGetCurrentUser, mockserver.OpListPendingRequests, mockserver.OpExportRecords,
		mockserver.OpGetConsent, mockserver.OpUpdateConsent, mockserver.OpGetProfile,
	}) {
		others := slices.Concat(ways[i%len(ways):], ways[:i%len(ways)]) // first another one for each operation
		for _, way := range soak.Some(1, others) {
			t.Run(operation+" "+way, func(t *testing.T) {
				t.Parallel()
				service := patient(t, nil)
				fault := repeating(t, way, secrets(service))
				fault.Operation, fault.Times = operation, -1
				service.Inject(fault)
				wantNoSecret(t, service, "-yes", "-json")
			})
		}
	}
}

// repeating returns a fault that repeats values.
func repeating(t *testing.T, way string, values []string) mockserver.Fault {
	t.Helper()
	said := strings.Join(values, " ")

	switch way {
	case "page":
		return mockserver.Fault{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<p>" + said)}
	case "text":
		return mockserver.Fault{Status: http.StatusBadRequest, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte(said)}
	case "redirect":
		return mockserver.Fault{Status: http.StatusFound, Header: http.Header{"Location": {"https://elsewhere.example.com/?k=" + url.QueryEscape(said)}}}
	case "names":
		var members []string
		for i, v := range values {
			members = append(members, fmt.Sprintf("%q: {\"clause_%d_consent\": %q, %q: 1}", v, i%5+1, v, v+" 2"))
		}
		return mockserver.Fault{Status: http.StatusOK, Body: []byte("{" + strings.Join(members, ", ") + "}")}
	}

	var status int
	if _, err := fmt.Sscan(way, &status); err != nil {
		t.Fatal(err)
	}

	return mockserver.Fault{Status: status, Body: prototest.QuotedBack(t, values)}
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

func TestDoctor_printsNoHostOfARedirect(t *testing.T) {
	t.Parallel()
	service := patient(t, nil)
	service.Inject(mockserver.Fault{
		Operation: mockserver.OpGetProfile, Status: http.StatusFound, Header: http.Header{"Location": {"https://elsewhere.example.com/"}}, Times: -1,
	})
	out := wholly(t, service)
	wantFinding(t, out, "Profile", "shape", doctor.Broken, "Unexpected redirect")
	prototest.WantNoCanary(t, "the report", out.stdout, "elsewhere.example.com")
}
