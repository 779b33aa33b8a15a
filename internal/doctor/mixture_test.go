// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/catalogue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

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
