// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/catalogue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ada is the person of the catalogue, and what is managed of her profile.
var (
	ada = &person{
		Person:  client.Person{Scope: client.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}, Identity: "ada@example.com"},
		profile: map[string]jsontext.Value{"plan": jsontext.Value(`"pro"`), "seats": jsontext.Value("5")},
	}
	adas    = choice.Record{Clauses: [decode.Clauses]bool{true, false, true, true, false}, AgreementTime: time.Date(2026, 2, 1, 8, 0, 0, 0, time.UTC)}
	adasDay = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
)

// answering returns a service that gives an answer of the catalogue.
func answering(t *testing.T, a catalogue.Answer) *mocktest.Instance {
	t.Helper()
	service := mocktest.Start(t, func(s *mockserver.Server) {
		s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
			if r.Operation != mockserver.Operations[a.Endpoint] {
				return nil
			}

			f := &mockserver.Fault{Status: a.Status, Body: a.Body(), Header: a.Header(), Commit: a.Is == catalogue.Written || a.Is == catalogue.Accepted}
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
	seen := *ada
	seen.isListed = a.Is != catalogue.Accepted

	return map[catalogue.Endpoint]reader{
		catalogue.Login:         readToken,
		catalogue.User:          readUser,
		catalogue.Consent:       ada.described,
		catalogue.ConsentUpdate: ada.overwrite(adas),
		catalogue.Profile:       ada.readProfile,
		catalogue.ProfileUpdate: ada.submit(decode.RequestProfileUpdate),
		catalogue.Deletion:      ada.submit(decode.RequestDataDeletion),
		catalogue.AllData:       seen.submit(decode.RequestDataAccess),
		catalogue.Pending:       readPending(ada.Scope),
		catalogue.Export:        readDay(ada.Scope, adasDay),
	}[a.Endpoint]
}

// read returns what the client makes of an answer with settings: its text, or its error.
func read(t *testing.T, a catalogue.Answer, s infer.Settings) (string, error) {
	t.Helper()
	service := answering(t, a)
	w := &way{credentials: transport.Credentials{APISecretKey: service.SecretKey}}
	if a.Endpoint == catalogue.Login {
		w.credentials = transport.Credentials{Email: service.Email, Password: service.Password}
	}

	x := &examination{options: Options{Client: client.Config{BaseURL: service.URL}}}
	wire, _ := x.wire.With(s)
	got, err := x.do(t.Context(), &reading{way: w, read: readAs(a)}, wire)
	if err == nil && got.lacking > 0 && got.text != "{}" && a.Is != catalogue.Accepted { // which holds none of what was written
		err = fmt.Errorf("fields are lacking: %s", got.text)
	}

	switch {
	case a.Is == catalogue.Accepted:
		got.text = strings.TrimSpace("accepted " + got.id)
	case a.Endpoint == catalogue.Login:
		got.text = "token"
	}

	return cmp.Or(got.text, map[catalogue.Endpoint]string{catalogue.Pending: "empty", catalogue.Export: "empty"}[a.Endpoint], "none"), err
}

// described reads the consent record, and returns its clauses, its time, its address and how it was
// obtained.
func (p *person) described(ctx context.Context, c *client.Client) (decoded, error) {
	d, err := p.consent(ctx, c)
	if err != nil || d.text == "" {
		return d, err
	}

	d.text = ""
	for _, clause := range d.consent.Clauses {
		d.text += cmp.Or(map[decode.Optional[bool]]string{decode.Some(true): "1", decode.Some(false): "0"}[clause], "0?")
	}
	agreed := d.consent.AgreementTime
	d.text += map[bool]string{true: agreed.Value.UTC().Format(" " + time.RFC3339Nano), false: " without a time"}[agreed.Given]
	d.text = strings.TrimSpace(d.text + " " + d.consent.UserIPv6.Value)
	d.text += map[decode.Optional[bool]]string{decode.Some(true): " manual", decode.Some(false): " by banner"}[d.consent.Manual]

	return d, nil
}

// proposals returns what inference proposes for an answer, where the person of the first requests in a list
// is known.
func proposals(a catalogue.Answer) []infer.Settings {
	evidence := infer.Answer{MediaType: a.Header().Get("Content-Type"), Body: a.Body()}
	return map[catalogue.Endpoint][]infer.Settings{
		catalogue.Consent: append(infer.Consent(evidence), infer.Absent(evidence)...),
		catalogue.Profile: append(ada.proposeProfile(evidence), infer.Absent(evidence)...),
		catalogue.AllData: infer.Data(evidence),
		catalogue.Pending: infer.Pending(evidence, &infer.Request{Person: ada.Identity}),
		catalogue.Export:  infer.Export(evidence),
	}[a.Endpoint]
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

// TestCatalogue_isReadAsItSays reads each answer by default, with its settings, with those that doctor finds,
// and what would do harm with each that is proposed.
func TestCatalogue_isReadAsItSays(t *testing.T) {
	t.Parallel()
	for _, a := range catalogue.All() {
		want := func(s infer.Settings) {
			if got, err := read(t, a, s); err != nil || got != a.Reads {
				t.Errorf("%s: with %v it reads %q: %v", a.Name, s, got, err)
			}
		}
		wantNone := func(s infer.Settings) {
			got, err := read(t, a, s)
			isReceipt := a.Endpoint == catalogue.AllData && got == "none" // which takes nothing
			if err == nil && !isReceipt {
				t.Errorf("%s: with %v it is taken for %q", a.Name, s, got)
			}
		}

		if a.IsNatural() && a.Wire == nil {
			want(nil)
		} else {
			wantNone(nil)
		}
		if a.Wire != nil {
			want(infer.ParseSettings(a.Wire))
		}
		// Of a profile nobody knows a member, unless it was written by a rehearsal, which also asks for data.
		isExamined := slices.Contains([]catalogue.Meaning{catalogue.Record, catalogue.None, catalogue.List, catalogue.Day}, a.Is)
		switch {
		case a.Wire != nil && isExamined:
			want(blockFor(t, a))
		case a.Wire != nil:
			isRefused := func(s infer.Settings) bool { _, err := read(t, a, s); return err != nil }
			want(slices.DeleteFunc(proposals(a), isRefused)[0])
		}
		if !a.IsNatural() {
			for _, s := range proposals(a) {
				wantNone(s)
			}
		}

		_, err := read(t, a, nil)
		e, _ := errors.AsType[*transport.Error](err)
		for _, word := range a.Says {
			if e == nil || !strings.Contains(e.Describe(), word) {
				t.Errorf("%s: %q does not reach the user: %v", a.Name, word, err)
			}
		}
	}
}

// TestVerdict_isThatOfTheSettingsInTheEnd has what was read at first, and what is read as configured and with the settings
// in the end.
func TestVerdict_isThatOfTheSettingsInTheEnd(t *testing.T) {
	t.Parallel()
	x := &examination{options: Options{Client: client.Config{BaseURL: "https://service.example.com"}}, wire: client.Wire{Lag: "1m"}}
	key := &way{credentials: transport.Credentials{APISecretKey: "key"}}
	answers := []exchange{{response: &http.Response{}, body: []byte(`{"a":1}`)}}
	a, less := decoded{text: "a"}, decoded{text: "a", lacking: 1}
	for name, tc := range map[string]struct {
		first, configured, last decoded
		want                    Word
	}{
		"as configured":        {a, a, a, OK},
		"more is read since":   {less, a, a, OK},
		"nothing":              {want: Unknown},
		"with settings":        {a, less, a, Differs},
		"never everything":     {less, less, less, Differs},
		"not with all of them": {a, a, decoded{text: "b"}, Broken},
	} {
		again := func(_ context.Context, c *client.Client) (decoded, error) {
			return map[bool]decoded{true: tc.last, false: tc.configured}[c.Lag == time.Minute], nil
		}
		if word, text := x.verdict(t.Context(), reading{way: key, read: again, decoded: tc.first, whenEmpty: "empty", answers: answers}); word != tc.want {
			t.Errorf("%s: %s in place of %s: %s", name, word, tc.want, text)
		}
	}
}

// marked returns JSON with a mark in place of each text and number, and before each name that does not have the form of
// a field's name: all that may be about a person.
func marked(v []byte, mark string) []byte {
	return regexp.MustCompile(`"(\\.|[^"])*"(\s*:)?|-?[0-9][0-9.eE+-]*`).ReplaceAllFunc(v, func(part []byte) []byte {
		name, isName := strings.CutSuffix(string(part), ":")
		switch name = strings.Trim(name, ` "`); {
		case !isName:
			return []byte(`"` + mark + `"`)
		case !jsonvalue.IsFieldName(name):
			return []byte(`"` + mark + ` ` + name + `":`)
		}
		return part
	})
}

// TestCatalogue_noMessageQuotesWhatMayBeData reads each answer of success with marks in place of its values.
// What the service says when it refuses is quoted on purpose.
func TestCatalogue_noMessageQuotesWhatMayBeData(t *testing.T) {
	t.Parallel()
	const mark = "Canary of Jane" // nothing that the redactor knows
	unread := 0
	for _, a := range catalogue.All() {
		if a.JSON == nil || a.Status >= http.StatusMultipleChoices {
			continue
		}

		a.JSON = marked(a.JSON, mark)
		for _, s := range []infer.Settings{nil, infer.ParseSettings(a.Wire)} {
			_, err := read(t, a, s)
			e, _ := errors.AsType[*transport.Error](err)
			if e == nil || e.Class == transport.ClassRejected {
				continue
			}
			unread++
			if text := e.Error() + e.Describe(); strings.Contains(text, mark) {
				t.Errorf("%s: with %v the message quotes a value: %s", a.Name, s, text)
			}
		}
	}
	if unread < 200 {
		t.Errorf("only %d answers were not read", unread)
	}
}

// slots are what a service answers in one form of the catalogue each.
var slots = []struct {
	endpoint catalogue.Endpoint
	is       catalogue.Meaning
}{
	{catalogue.Consent, catalogue.Record},
	{catalogue.Consent, catalogue.None},
	{catalogue.ConsentUpdate, catalogue.Written},
	{catalogue.Profile, catalogue.Personal},
	{catalogue.Profile, catalogue.None},
	{catalogue.ProfileUpdate, catalogue.Accepted},
	{catalogue.Deletion, catalogue.Accepted},
	{catalogue.AllData, catalogue.Accepted},
	{catalogue.AllData, catalogue.Data},
	{catalogue.Pending, catalogue.List},
	{catalogue.Export, catalogue.Day},
}

// mixture is a service made of answers of the catalogue, drawn at random.
type mixture struct {
	answers []string
	day     string         // what its day reads
	wire    infer.Settings // that all of them need
	server  mockserver.Wire
}

// draw returns a mixture whose settings do not contradict each other.
func draw(random *rand.Rand) mixture {
	m := mixture{wire: infer.Settings{}}
	for _, slot := range slots {
		rows := slices.DeleteFunc(mockserver.Forms(), func(a catalogue.Answer) bool {
			return a.Endpoint != slot.endpoint || a.Is != slot.is
		})
		a := rows[random.IntN(len(rows))]
		m.answers, m.day = append(m.answers, a.Name), a.Reads

		s := infer.ParseSettings(a.Wire)
		both, back := m.wire.Merge(s), s.Merge(m.wire)
		saysWhere := slot.is == catalogue.None && s["/consent/at"] != nil // where the record is, too
		m.wire = maps.Clone(both)
		delete(both, "/absent") // a list, in any order
		delete(back, "/absent")
		if saysWhere || both["/envelope"] != nil || !reflect.DeepEqual(both, back) {
			return draw(random)
		}
	}

	format, _ := m.wire["/consent/time_format"].(string)
	m.server.Consent.TimeFormat = cmp.Or(format, []string{mockserver.TimeRFC3339, mockserver.TimeUnixMS}[random.IntN(2)])
	m.server.Consent.ParametersIn = []string{mockserver.InJSON, mockserver.InForm, mockserver.InQuery}[random.IntN(3)]

	return m
}

// TestMixture_readsWithTheBlockOfARehearsal rehearses with services whose answers are drawn from the
// catalogue at random, and expects that everything reads with the settings of the report.
func TestMixture_readsWithTheBlockOfARehearsal(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(20, 200) {
		seed := soak.Seed(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := draw(rand.New(rand.NewPCG(seed, 39)))
			synctest.Test(t, func(t *testing.T) { wantRead(t, m) })
		})
	}
}

// wantRead rehearses with a mixture, and reads everything with what the report says.
func wantRead(t *testing.T, m mixture) {
	t.Helper()
	service := mocktest.StartPipe(t, slowly, func(s *mockserver.Server) {
		s.Wire = m.server
		s.Fulfil = func(q mockserver.QueuedRequest) mockserver.Outcome {
			return map[string]mockserver.Outcome{ada.Identity: {Fate: mockserver.Never}}[q.Identity]
		}
	}, takes(t, m.answers...))
	service.AllowViolations() // pages are not in the contract
	service.PutProfile(scope, ada.Identity, `{"plan":"pro","seats":5}`)
	service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: ada.Identity, Operation: mockserver.OpDeleteAllData})

	report := Examine(t.Context(), options(service))
	for _, f := range report.Findings {
		if f.Word == Broken && f.Group != "All data" { // which are not about the invented person
			t.Errorf("%+v", f)
		}
	}

	x := &examination{options: options(service), wire: report.Wire, report: report}
	w := &way{credentials: x.options.Client.Credentials}
	nobody := *ada
	nobody.Identity = "nobody@example.com"
	for _, tc := range []struct {
		read reader
		want string
	}{
		{ada.overwrite(adas), "written"},
		{ada.described, "10110"},
		{nothing(nobody.consent), "nothing"},
		{ada.readProfile, `"plan":"pro"`},
		{nothing(nobody.readProfile), "nothing"},
		{readPending(ada.Scope), "data_deletion " + ada.Identity + " waiting"},
		{readDay(ada.Scope, adasDay), m.day},
	} {
		if got, err := x.do(t.Context(), &reading{way: w, read: tc.read}, report.Wire); err != nil || !strings.Contains(got.text, tc.want) {
			t.Errorf("%q reads %q: %v", tc.want, got.text, err)
		}
	}
	if t.Failed() {
		t.Logf("mixture: %+v\nblock: %s\nreport: %+v", m, report.WireBlock, report.Findings)
	}
}
