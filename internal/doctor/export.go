package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// errEnough ends an export whose beginning was read.
var errEnough = errors.New("enough records were read")

// sample is the beginning of a day.
type sample struct {
	limit   int
	hidden  func(string) bool
	counts  records.Counts
	members map[records.Kind][]string // of the first record of each kind
	// kindMembers are members of records of unknown kind that hold the word for a kind.
	kindMembers []string
	opening     byte
	err         error // of reading it; nil if the day or enough of it was read
}

func (s *sample) Restart() error {
	s.counts, s.members, s.kindMembers = records.Counts{}, nil, nil
	return nil
}

// Record counts a record and keeps the names of its members.
func (s *sample) Record(kind records.Kind, record jsontext.Value) error {
	if s.members == nil {
		s.members = map[records.Kind][]string{}
	}
	if s.counts[kind] == 0 {
		s.members[kind] = namesOf(jsonvalue.Outline(record, s.hidden))
	}

	if kind == records.Unknown {
		s.noteKindMembers(record)
	}

	s.counts[kind]++
	if s.counts.Total() >= int64(s.limit) {
		return errEnough
	}

	return nil
}

// kindWords are the words for kinds, without the ending of a plural.
var kindWords = []string{"person", "people", "session", "event"}

// noteKindMembers notes the shown members of a record whose text is the word for a kind.
func (s *sample) noteKindMembers(record jsontext.Value) {
	for _, name := range s.members[records.Unknown] {
		word := strings.TrimSuffix(strings.ToLower(jsonvalue.Text(jsonvalue.Members(record)[name])), "s")
		if slices.Contains(kindWords, word) {
			s.kindMembers = appendNew(s.kindMembers, name)
		}
	}
}

// readable reports whether records were read without an error.
func (s *sample) readable() bool { return s.err == nil }

// attributed reports whether records were read and the kind of each is known.
func (s *sample) attributed() bool {
	return s.readable() && s.counts.Total() > 0 && s.counts.Of(records.Unknown) == 0
}

// readDay reads the beginning of the day. With a parameter that selects a kind, it reads
// the beginning of each kind.
func (x *examination) readDay(ctx context.Context, w *way, wire client.Wire, limit int) *sample {
	s := &sample{limit: limit, hidden: x.hides}
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
		s.limit = int(s.counts.Total()) + limit
		result, err := c.Export(ctx, scope, client.ExportQuery{Day: x.day(), Kinds: of}, s)
		s.opening = result.Opening
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

	now := time.Now
	if x.options.Client.Now != nil {
		now = x.options.Client.Now
	}

	return now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
}

// examineExports reads one record with each of the credentials, and returns the way that
// is accepted; nil if none is.
func (x *examination) examineExports(ctx context.Context) *way {
	if x.options.Scope.OrgID == "" {
		x.report.omit("what an export looks like", "exports exist in the org and project paths only; set ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID")
		return nil
	}

	var accepted *way
	for _, w := range x.usable() {
		x.options.Progress("beginning an export with " + w.name)
		s := x.readDay(ctx, w, x.wire, 1)
		if isAbsent(s.err) {
			continue
		}

		w.note(endpointsExport, s.err)
		if accepted == nil && !isRefused(s.err) {
			accepted = w
		}
	}

	if accepted == nil && len(x.usable()) > 0 {
		x.report.add(GroupExport, "access", Unknown, "none of the given credentials are accepted for an export, or there is no such project")
	}

	return accepted
}

// examineExport reads the beginning of the day and reports its shape. Where it cannot be
// read as configured, other settings are tried.
func (x *examination) examineExport(ctx context.Context, w *way) {
	if w == nil {
		return
	}

	x.options.Progress("reading the beginning of the export of " + client.FormatDay(x.day()))
	s := x.readDay(ctx, w, x.wire, x.options.Records)
	if !s.attributed() && (s.err != nil || s.counts.Total() > 0) {
		s = x.tryExportSettings(ctx, w, s)
	}

	if s.err != nil {
		x.report.add(GroupExport, "shape", exportWord(s.err), describeExport(s.err))
		return
	}
	if s.counts.Total() == 0 {
		x.report.add(GroupExport, "shape", Unknown, "the day "+client.FormatDay(x.day())+" has no records; -day chooses another one")
		return
	}

	x.reportExport(s)
}

// exportWord returns the word for an export that cannot be read.
func exportWord(err error) Word {
	if client.IsClass(err, client.ClassNotReady) {
		return Unknown
	}
	return Broken
}

// describeExport returns what is wrong with an answer. What the client says of records
// holds no value.
func describeExport(err error) string {
	text := describe(err)
	if e, ok := errors.AsType[*client.Error](err); ok && e.Status/100 == 2 && client.IsClass(err, client.ClassPayload, client.ClassNotReady, client.ClassRejected, client.ClassTooLarge) {
		text += ": " + e.Detail
	}
	return text
}

func (x *examination) reportExport(s *sample) {
	head := x.seen.last(opExport)
	text := openingOf(s, head) + ", " + head.MediaType
	if head.Encoding != "" {
		text += ", " + head.Encoding
	}

	word := OK
	if settings := changed(x.options.Client.Wire, x.wire, "export_"); len(settings) > 0 {
		word = Differs
		text += "; needs " + list(settings)
	}
	x.report.add(GroupExport, "shape", word, text)

	word, text = OK, describeCounts(s.counts)
	if s.counts.Of(records.Unknown) > 0 {
		word = Differs
		text += "; the provider exports a record without a recognisable kind as unknown"
		x.report.stranger(s.unknownRecord())
	}
	x.report.add(GroupExport, "kinds", word, text)

	for _, k := range records.Kinds {
		if names := s.members[k]; len(names) > 0 {
			x.report.add(GroupExport, k.String()+" record", OK, "has "+shortened(names))
		}
	}
}

// unknownRecord names the members of a record of unknown kind.
func (s *sample) unknownRecord() Stranger {
	stranger := Stranger{Where: "exported record of unknown kind", Members: s.members[records.Unknown]}
	for _, name := range s.kindMembers {
		stranger.Candidates = append(stranger.Candidates, Candidate{Member: name, Field: "the kind", Because: "it holds the word for a kind"})
	}
	return stranger
}

// openingOf describes the form of an answer.
func openingOf(s *sample, head client.Head) string {
	if strings.Contains(head.MediaType, "json") && head.MediaType != "application/json" {
		return "a record on each line"
	}
	if s.opening == '[' {
		return "an array"
	}
	return "an object, or one on each line"
}

// shortened joins names, and leaves out those beyond 24.
func shortened(names []string) string {
	const most = 24
	if len(names) <= most {
		return list(names)
	}
	return fmt.Sprintf("%s and %d more", list(names[:most]), len(names)-most)
}

func describeCounts(counts records.Counts) string {
	var parts []string
	for _, k := range []records.Kind{records.Person, records.Session, records.Event, records.Unknown} {
		if n := counts.Of(k); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k.Plural()))
		}
	}
	return "among the first " + counted(int(counts.Total()), "record", "records") + ": " + list(parts)
}

// changed returns the names of the settings with a prefix that are not as configured.
func changed(configured, found client.Wire, prefix string) []string {
	before, after := settingsOf(configured), settingsOf(found)

	var names []string
	for name, value := range after {
		if before[name] != value && len(name) > len(prefix) && name[:len(prefix)] == prefix {
			names = append(names, name)
		}
	}
	slices.Sort(names)

	return names
}
