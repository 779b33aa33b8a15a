package doctor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// errEnough ends an export whose beginning was read.
var errEnough = errors.New("enough records were read")

// sample is the beginning of a day.
type sample struct {
	limit   int64
	hides   func(string) bool
	counts  records.Counts
	members map[records.Kind][]string // of the first record of each kind
	err     error                     // of reading it; nil if the day or enough of it was read
}

func (s *sample) Restart() error {
	s.counts, s.members = records.Counts{}, map[records.Kind][]string{}
	return nil
}

// Record counts a record and keeps the names of its members.
func (s *sample) Record(kind records.Kind, record jsontext.Value) error {
	if s.counts[kind] == 0 {
		s.members[kind] = namesOf(jsonvalue.Outline(record, s.hides))
	}

	s.counts[kind]++
	if s.counts.Total() >= s.limit {
		return errEnough
	}

	return nil
}

// attributed reports whether the day was read and the kind of each record is known.
func (s *sample) attributed() bool { return s.err == nil && s.counts.Of(records.Unknown) == 0 }

// isBetterThan reports whether more of the day was understood than in another sample, of which
// not all was. A single record of unknown kind may be the whole answer.
func (s *sample) isBetterThan(other *sample) bool {
	n := s.counts.Total()
	return s.attributed() && n > 0 || s.err == nil && n > 1 && other.err != nil
}

// readDay reads the beginning of the day. With a parameter that selects a kind, it reads the
// beginning of each kind.
func (x *examination) readDay(ctx context.Context, w *way, wire client.Wire) *sample {
	s := &sample{hides: x.hides, members: map[records.Kind][]string{}}
	c, err := x.connect(w, wire, 1)
	if err != nil {
		s.err = err
		return s
	}

	kinds := [][]records.Kind{nil}
	if wire.ExportKindParameter != "" {
		kinds = [][]records.Kind{{records.Person}, {records.Session}, {records.Event}}
	}
	scope := client.Scope{OrgID: x.options.Scope.OrgID, ProjectID: x.options.Scope.ProjectID}
	for _, of := range kinds {
		s.limit = s.counts.Total() + int64(x.options.Records)
		_, err := c.Export(ctx, scope, client.ExportQuery{Day: x.day(), Kinds: of}, s)
		if err != nil && !errors.Is(err, errEnough) {
			s.err = err
			return s
		}
	}

	return s
}

// day returns the day to read.
func (x *examination) day() time.Time {
	if !x.options.Day.IsZero() {
		return x.options.Day
	}
	return time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
}

// examineExport reads the beginning of the day with each of the credentials, and reports the
// shape of the first answer. Where it cannot be read as configured, other settings are tried.
func (x *examination) examineExport(ctx context.Context) {
	if x.options.Scope.OrgID == "" {
		x.report.omit("what an export looks like", "exports exist in the org and project paths only; set ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID")
		return
	}

	var accepted *way
	var read *sample
	for _, w := range x.ways {
		s := x.readDay(ctx, w, x.wire)
		if isAbsent(s.err) {
			continue
		}
		w.note(endpointsExport, s.err)
		if accepted == nil && !isRefused(s.err) {
			accepted, read = w, s
		}
	}
	if accepted == nil {
		x.report.add(GroupExport, "access", Unknown, "none of the given credentials are accepted for an export, or there is no such project")
		return
	}

	before := x.wire
	x.reportExport(x.tryExportSettings(ctx, accepted, read), before)
}

// readingSteps is how many settings are changed one after the other, each because of what the
// one before did not admit.
const readingSteps = 4

// exportTrial looks for settings with which a day can be read.
type exportTrial struct {
	*examination

	way  *way
	best *sample
}

// tryExportSettings reads the day with other settings, and keeps the first with which the
// kind of each record is known, or else the first with which several records can be read. It
// returns that sample, or s where nothing helps.
func (x *examination) tryExportSettings(ctx context.Context, w *way, s *sample) *sample {
	t := &exportTrial{x, w, s}
	if !isRejected(s.err) {
		t.tryReadings(ctx, x.wire, s, readingSteps)
		return t.best
	}

	for _, wire := range kindParameters(x.wire, s.err) {
		got := t.try(ctx, wire)
		if !isRejected(got.err) {
			t.tryReadings(ctx, wire, got, readingSteps)
		}
	}

	return t.best
}

// tryReadings tries other readings of an answer that could not be read with wire.
func (t *exportTrial) tryReadings(ctx context.Context, wire client.Wire, got *sample, steps int) {
	if got.err == nil || steps == 0 {
		return
	}

	for _, other := range readings(wire, got) {
		if ctx.Err() != nil || t.best.attributed() {
			return
		}
		t.tryReadings(ctx, other, t.try(ctx, other), steps-1)
	}
}

// try reads the day with settings, and keeps them if more was understood than so far.
func (t *exportTrial) try(ctx context.Context, wire client.Wire) *sample {
	got := t.readDay(ctx, t.way, wire)
	if got.isBetterThan(t.best) {
		t.best, t.wire = got, wire
	}
	return got
}

// isRejected reports whether the service rejects the request for a day, and not the
// credentials.
func isRejected(err error) bool {
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Status/100 == 4 && !isRefused(err)
}

// kindParameters returns settings with at most two names of parameters that may select a kind,
// from the fields that the service complains about.
func kindParameters(wire client.Wire, err error) (found []client.Wire) {
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		return nil
	}
	for _, f := range e.Fields {
		if jsonvalue.IsFieldName(f.Field) && f.Field != "utcDate" && len(found) < 2 {
			wire.ExportKindParameter = f.Field
			found = append(found, wire)
		}
	}

	return found
}

// readings returns settings that may admit the answer of a sample, which says by its error
// what was not recognised.
func readings(wire client.Wire, s *sample) []client.Wire {
	e, ok := errors.AsType[*client.Error](s.err)
	if !ok || !client.IsClass(s.err, client.ClassPayload) {
		return nil // other settings change nothing
	}

	refusal, ok := errors.AsType[*records.RefusalError](e)
	if !ok {
		wire.ExportInvalidUTF8 = client.InvalidReplace
		return []client.Wire{wire}
	}

	var found []client.Wire
	if errors.Is(refusal, records.ErrNoRecord) || errors.Is(refusal, records.ErrNoList) {
		for _, name := range refusal.Members {
			if wire.ExportRecordMember = name; !s.hides(name) {
				found = append(found, wire)
			}
		}
		return found
	}

	for _, name := range refusal.Members {
		if member, _, _ := strings.Cut(name, "="); s.hides(member) || leadsOn(name) {
			return nil
		}
		wire.ExportIgnoredMembers = strings.TrimPrefix(wire.ExportIgnoredMembers+","+name, ",")
		found = []client.Wire{wire}
	}

	return found
}

// leadsOn reports whether a member may say, by its name, that there is more than the answer
// holds, or that it failed. Whether such a one may be ignored is not for this program to say.
func leadsOn(member string) bool {
	name, value, _ := strings.Cut(strings.ToLower(member), "=")
	if value == "null" || value == "[]" || value == "{}" {
		return false
	}

	words := []string{"error", "fail", "success", "ok", "partial", "link"}
	if value == "false" {
		words = []string{"success", "ok", "complete", "done", "end", "last", "final"}
	} else if answer.MayLeadOn(name) {
		return true
	}

	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

func (x *examination) reportExport(s *sample, before client.Wire) {
	switch {
	case client.IsClass(s.err, client.ClassNotReady):
		x.report.add(GroupExport, "shape", Unknown, describe(s.err))
		return
	case isRejected(s.err):
		x.report.add(GroupExport, "shape", Broken, describe(s.err)+"; if a parameter selects the kind, name it and its values in wire.export_kind_parameter and wire.export_kind_values")
		return
	case s.err != nil:
		x.report.add(GroupExport, "shape", Broken, describe(s.err))
		return
	case s.counts.Total() == 0:
		x.report.add(GroupExport, "shape", Unknown, "the day "+client.FormatDay(x.day())+" has no records; -day chooses another one")
		return
	}

	word, text := OK, "read as configured"
	if !maps.Equal(settingsOf(x.wire), settingsOf(before)) {
		word, text = Differs, "read with the wire settings below"
	}
	x.report.add(GroupExport, "shape", word, text)

	var counts []string
	for _, k := range slices.Concat(records.Kinds, []records.Kind{records.Unknown}) {
		if n := s.counts.Of(k); n > 0 {
			counts = append(counts, strconv.FormatInt(n, 10)+" "+k.Plural())
		}
	}
	word, text = OK, "among the first "+counted(int(s.counts.Total()), "record", "records")+": "+list(counts)
	if s.counts.Of(records.Unknown) > 0 {
		word = Differs
		text += "; the provider exports a record that does not state its kind as unknown"
		x.report.stranger("exported record of unknown kind", s.members[records.Unknown])
	}
	x.report.add(GroupExport, "kinds", word, text)
}
