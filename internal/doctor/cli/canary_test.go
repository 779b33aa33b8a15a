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

// wantNothingPlain searches what a run printed for secrets as they are. wantNoSecret searches
// for every spelling, which takes longer.
func wantNothingPlain(t *testing.T, service *mocktest.Instance, out output) {
	t.Helper()
	for _, secret := range secrets(service) {
		if strings.Contains(out.stdout+out.stderr, secret) {
			t.Error("a secret is in the output")
		}
	}
}

// withPeople gives yesterday records that hold people, also as names of members.
func withPeople(service *mocktest.Instance) {
	record := map[string]any{"id": person, "name": name, "ip": address, "friends": map[string]any{other: map[string]any{"since": "2026-01-01"}}, other: 1}
	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	service.PutExport(project, yesterday, mockserver.ExportDay{
		Persons: []any{record}, Sessions: []any{record}, Events: []any{record}, Others: []any{record},
	})
}

// The forms of the command. The last one is refused.
var forms = [][]string{
	{"-identity", person, "-write", "-yes"},
	{"-identity", person, "-write", "-yes", "-json"},
	{"-identity", person, "-write"},
}

// oneForm returns one form of the command: text and JSON in turn. A soak runs all of them.
// Both print the same report, so that a normal run need not examine the service twice.
func oneForm(number int) [][]string {
	if soak.On() {
		return forms
	}
	return forms[number%2 : number%2+1]
}

// wantNoSecret runs forms of the command and searches what they print.
func wantNoSecret(t *testing.T, service *mocktest.Instance, forms [][]string) {
	t.Helper()
	withPeople(service)
	environment := environment(service)
	environment["ANALYTICS_HEADERS"] = `{"X-Canary":"` + headerSecret + `"}`
	environment["ANALYTICS_MAX_RETRIES"] = "0"

	var printed strings.Builder
	for _, args := range forms {
		out := run(t, environment, args...)
		printed.WriteString(out.stdout + out.stderr)
	}
	prototest.WantNoCanary(t, "the output", printed.String(), secrets(service)...)
}

func TestDoctor_noSecretComesOutInAnyDialect(t *testing.T) {
	t.Parallel()
	for i, dialect := range soak.Some(12, alone()) {
		if len(dialect) > 0 && !dialect.Foreign() && !soak.On() {
			continue // wantNothingPlain has searched it
		}

		printed := oneForm(i)
		if len(dialect) == 0 {
			printed = forms
		}
		t.Run(dialect.String(), func(t *testing.T) {
			t.Parallel()
			service := patient(t, dialect)
			service.AllowViolations()
			wantNoSecret(t, service, printed)
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

	for i, operation := range []string{
		mockserver.OpLogin, mockserver.OpGetCurrentUser, mockserver.OpListPendingRequests, mockserver.OpExportRecords,
		mockserver.OpGetConsent, mockserver.OpUpdateConsent, mockserver.OpGetProfile,
	} {
		others := slices.Concat(ways[i%len(ways):], ways[:i%len(ways)]) // first another one for each operation
		for j, way := range soak.Some(1, others) {
			t.Run(operation+" "+way, func(t *testing.T) {
				t.Parallel()
				service := patient(t, nil)
				service.AllowViolations()
				fault := repeating(t, way, secrets(service))
				fault.Operation, fault.Times = operation, -1
				service.Inject(fault)
				wantNoSecret(t, service, oneForm(i+j))
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
