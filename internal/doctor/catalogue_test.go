// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/catalogue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ada is the person of the catalogue, and adasProfile what is managed of her profile.
var (
	ada         = client.Person{Scope: client.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}, Identity: "ada@example.com"}
	adasProfile = map[string]jsontext.Value{"plan": jsontext.Value(`"pro"`), "seats": jsontext.Value("5")}
	adasDay     = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
)

// operations are what the mock server answers at an endpoint.
var operations = map[catalogue.Endpoint]string{
	catalogue.Login: mockserver.OpLogin, catalogue.User: mockserver.OpGetCurrentUser,
	catalogue.Consent: mockserver.OpGetConsent, catalogue.ConsentUpdate: mockserver.OpUpdateConsent,
	catalogue.Profile: mockserver.OpGetProfile, catalogue.ProfileUpdate: mockserver.OpUpdateProfile,
	catalogue.Deletion: mockserver.OpDeleteAllData, catalogue.AllData: mockserver.OpGetAllData,
	catalogue.Pending: mockserver.OpListPendingRequests, catalogue.Export: mockserver.OpExportRecords,
}

// answering returns a service that gives an answer of the catalogue.
func answering(t *testing.T, a catalogue.Answer) *mocktest.Instance {
	t.Helper()
	service := mocktest.Start(t, func(s *mockserver.Server) {
		s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
			if r.Operation != operations[a.Endpoint] {
				return nil
			}

			f := &mockserver.Fault{Status: a.Status, Body: a.Body(), Header: http.Header{}, Commit: a.Is == catalogue.Written || a.Is == catalogue.Accepted}
			for name, value := range a.Headers {
				f.Header.Set(name, value)
			}
			if _, isNext := r.Sent["page"]; isNext && a.Then != nil {
				f.Body = a.Then
				f.Header.Del("Link")
			}

			return f
		}
	})
	service.AllowViolations() // pages are not in the contract

	return service
}

// readAs returns what the client makes of an endpoint.
func readAs(a catalogue.Answer) reader {
	ctxOnly := func(text string, read func(context.Context, *client.Client) error) reader {
		return func(ctx context.Context, c *client.Client) (seen, error) { return seen{text: text}, read(ctx, c) }
	}
	receipt := func(read func(context.Context, *client.Client) (answer.Receipt, error)) reader {
		return func(ctx context.Context, c *client.Client) (seen, error) {
			r, err := read(ctx, c)
			return seen{text: strings.TrimSpace("accepted " + r.ID)}, err
		}
	}

	switch a.Endpoint {
	case catalogue.Login:
		return ctxOnly("token", func(ctx context.Context, c *client.Client) error { _, _, err := c.NewSessionToken(ctx); return err })
	case catalogue.User:
		return ctxOnly("user", func(ctx context.Context, c *client.Client) error { _, err := c.CurrentUser(ctx); return err })
	case catalogue.Consent:
		return readConsent(ada)
	case catalogue.ConsentUpdate:
		u := overwriting(client.ConsentUpdate{
			Clauses: [answer.Clauses]bool{true, false, true, true, false}, AgreementTime: time.Date(2026, 2, 1, 8, 0, 0, 0, time.UTC),
		})
		return ctxOnly("written", func(ctx context.Context, c *client.Client) error { _, err := c.UpdateConsent(ctx, ada, u); return err })
	case catalogue.Profile:
		return readProfile(ada, adasProfile)
	case catalogue.ProfileUpdate:
		return receipt(func(ctx context.Context, c *client.Client) (answer.Receipt, error) {
			return c.UpdateProfile(ctx, ada, adasProfile)
		})
	case catalogue.Deletion:
		return receipt(func(ctx context.Context, c *client.Client) (answer.Receipt, error) { return c.DeleteData(ctx, ada) })
	case catalogue.AllData:
		if a.Is == catalogue.Accepted {
			return receipt(func(ctx context.Context, c *client.Client) (answer.Receipt, error) {
				return c.FetchData(ctx, ada, answer.DataCall{Person: ada.Identity}, io.Discard)
			})
		}
		return readData(ada)
	case catalogue.Pending:
		return readPending(ada.Scope)
	case catalogue.Export:
		return readDay(ada.Scope, adasDay)
	}
	panic("no such endpoint")
}

// configured returns a client of a service with settings.
func configured(t *testing.T, service *mocktest.Instance, s infer.Settings, withLogin bool) *client.Client {
	t.Helper()
	wire, err := client.Wire{}.With(s)
	if err != nil {
		t.Fatal(err)
	}
	cfg := client.Config{BaseURL: service.URL, Wire: wire}
	cfg.Credentials = transport.Credentials{APISecretKey: service.SecretKey}
	if withLogin {
		cfg.Credentials = transport.Credentials{Email: service.Email, Password: service.Password}
	}
	c, err := client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)

	return c
}

// read returns what the client makes of an answer with settings: its text, or its error.
func read(t *testing.T, a catalogue.Answer, s infer.Settings) (string, error) {
	t.Helper()
	got, err := readAs(a)(t.Context(), configured(t, answering(t, a), s, a.Endpoint == catalogue.Login))
	if err == nil && got.lacking > 0 {
		err = fmt.Errorf("fields are lacking: %s", got.text)
	}
	return got.text, err
}

// proposals returns what inference proposes for an answer.
func proposals(a catalogue.Answer) []infer.Settings {
	evidence := infer.Answer{Status: a.Status, MediaType: a.MediaType(), Body: a.Body()}
	switch a.Endpoint {
	case catalogue.Consent:
		return append(infer.Consent(evidence), infer.Absent(evidence)...)
	case catalogue.Profile:
		return append(infer.Profile(evidence, []string{"plan", "seats"}), infer.Absent(evidence)...)
	case catalogue.AllData:
		return infer.Data(evidence)
	case catalogue.Pending:
		return infer.Pending(evidence, infer.Request{Person: ada.Identity})
	case catalogue.Export:
		return infer.Export(evidence)
	}

	return nil
}

// blockFor returns the settings that doctor finds for a service that gives an answer.
func blockFor(t *testing.T, a catalogue.Answer) infer.Settings {
	t.Helper()
	service := answering(t, a)
	report := Examine(t.Context(), Options{
		Client: client.Config{Config: transport.Config{Credentials: transport.Credentials{APISecretKey: service.SecretKey}}, BaseURL: service.URL},
		Scope:  ada.Scope, Identity: ada.Identity, Day: adasDay,
	})
	wire, _ := json.Marshal(report.Wire)
	return infer.ParseSettings(wire)
}

// isReceipt reports whether an answer in place of the data passes for a receipt, which takes nothing.
func isReceipt(a catalogue.Answer, got string) bool {
	return a.Endpoint == catalogue.AllData && strings.HasPrefix(got, "accepted")
}

// wrong returns in which ways an answer is not what the catalogue says, each with its reason.
func wrong(t *testing.T, a catalogue.Answer) map[string]string {
	t.Helper()
	problems := map[string]string{}
	note := func(way, format string, args ...any) { problems[a.Name+" "+way] = fmt.Sprintf(format, args...) }

	got, err := read(t, a, nil)
	e, _ := errors.AsType[*transport.Error](err)
	switch {
	case a.ReadsByDefault() && err != nil:
		note("default", "%v", err)
	case a.ReadsByDefault() && got != a.Reads:
		note("default", "reads %q", got)
	case !a.ReadsByDefault() && err == nil && !isReceipt(a, got):
		note("default", "is taken for %q", got)
	}
	for _, word := range a.Says {
		if e == nil || !strings.Contains(e.Describe(), word) {
			note("says", "%q does not reach the user: %v", word, err)
		}
	}

	if a.Wire != nil {
		if got, err := read(t, a, infer.ParseSettings(a.Wire)); err != nil {
			note("settings", "%v", err)
		} else if got != a.Reads {
			note("settings", "reads %q", got)
		}
	}
	// Of a profile nobody knows a member, unless it was written by a rehearsal.
	isExamined := slices.Contains([]catalogue.Meaning{catalogue.Record, catalogue.None, catalogue.List, catalogue.Day}, a.Is)
	if isExamined && a.Wire != nil {
		s := blockFor(t, a)
		if got, err := read(t, a, s); err != nil {
			note("doctor", "with %v: %v", s, err)
		} else if got != a.Reads {
			note("doctor", "with %v it reads %q", s, got)
		}
	}
	if a.Is.IsHarmful() {
		for _, s := range proposals(a) {
			if got, err := read(t, a, s); err == nil && !isReceipt(a, got) {
				note("proposal", "with %v it is taken for %q", s, got)
			}
		}
	}

	return problems
}

// notYet are the answers that the provider does not treat as the catalogue says, one on each line:
// its name, and default, settings, says or proposal. The list only shrinks: with UPDATE_NOT_YET=1 in
// the environment, the test writes it anew.
const notYet = "testdata/not-yet.txt"

func readNotYet(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(notYet)
	if err != nil {
		t.Fatal(err)
	}

	excused := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		excused[strings.TrimSpace(line)] = true
	}

	return excused
}

// TestCatalogue_isReadAsItSays reads each answer by default and with its settings.
func TestCatalogue_isReadAsItSays(t *testing.T) {
	t.Parallel()
	excused := readNotYet(t)
	problems := map[string]string{}
	for _, a := range catalogue.All() {
		for way, why := range wrong(t, a) {
			problems[way] = why
			if !excused[way] {
				t.Errorf("%s: %s", way, why)
			}
		}
	}
	for way := range excused {
		if problems[way] == "" {
			t.Errorf("%s: it is as the catalogue says; remove the line from internal/doctor/%s", way, notYet)
		}
	}

	if os.Getenv("UPDATE_NOT_YET") != "" {
		var lines bytes.Buffer
		for _, way := range slices.Sorted(maps.Keys(problems)) {
			fmt.Fprintln(&lines, way)
		}
		if err := os.WriteFile(notYet, lines.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
