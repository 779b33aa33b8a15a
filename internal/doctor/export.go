// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// errEnough ends an export whose beginning was read.
var errEnough = errors.New("enough records were read")

// sample is the beginning of a day, as far as it could be read with some settings.
type sample struct {
	wire    client.Wire
	changed bool // wire is not as configured
	limit   int64
	counts  records.Counts
	unknown []string // the members of the first record that does not state its kind
	err     error    // nil if the day or enough of it was read
}

func (s *sample) Restart() error {
	s.counts, s.unknown = records.Counts{}, nil
	return nil
}

// Record counts a record.
func (s *sample) Record(kind records.Kind, record jsontext.Value) error {
	if kind == records.Unknown && s.unknown == nil {
		s.unknown = jsonvalue.Names(jsonvalue.Members(record))
	}

	s.counts[kind]++
	if s.counts.Total() >= s.limit {
		return errEnough
	}

	return nil
}

// readDay reads the beginning of the day. With a parameter that selects a kind, it reads the
// beginning of each kind.
func (x *examination) readDay(ctx context.Context, w *way, wire client.Wire) *sample {
	s := &sample{wire: wire}
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
		_, err := c.Export(ctx, scope, client.ExportQuery{Day: x.options.Day, Kinds: of}, s)
		if err != nil && !errors.Is(err, errEnough) {
			s.err = err
			return s
		}
	}

	return s
}

// readExport reads the beginning of the day with each of the credentials. It returns what the
// first that is accepted reads, if necessary with other settings; nil without an answer.
func (x *examination) readExport(ctx context.Context) *sample {
	if x.options.Scope.OrgID == "" {
		x.report.omit("what an export looks like", "exports exist in the org and project paths only; set ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID")
		return nil
	}

	var read *sample
	for _, w := range x.ways {
		s := x.readDay(ctx, w, x.wire)
		if isAbsent(s.err) {
			continue
		}

		w.note(endpointsExport, s.err)
		if read == nil && !isRefused(s.err) {
			read = x.readWithSettings(ctx, w, s)
		}
	}
	if read == nil {
		x.report.add(GroupExport, "access", Unknown, "none of the given credentials are accepted for an export, or there is no such project")
	}

	return read
}

// settingSteps is how many settings are changed one after the other.
const settingSteps = 4

// readWithSettings reads the day again with the setting that the error of a sample is about, as
// long as there is one. It returns the last sample, and keeps its settings if they helped.
func (x *examination) readWithSettings(ctx context.Context, w *way, s *sample) *sample {
	for range settingSteps {
		wire, ok := x.settingFor(s)
		if !ok || ctx.Err() != nil {
			break
		}
		s = x.readDay(ctx, w, wire)
		s.changed = true
	}

	if s.err == nil {
		x.wire = s.wire
	}

	return s
}

// settingFor returns the settings of a sample with the one that its error is about: the
// parameter that the service asks for, the members beside the records, or the bytes that are
// not UTF-8. It reports false if there is none, or if only a person can tell its value.
func (x *examination) settingFor(s *sample) (wire client.Wire, ok bool) {
	wire = s.wire
	e, ok := errors.AsType[*transport.Error](s.err)
	if !ok {
		return wire, false
	}

	if isRejected(e) {
		wire.ExportKindParameter = x.kindParameter(e)
		return wire, wire.ExportKindParameter != "" && s.wire.ExportKindParameter == ""
	}

	refusal, ok := errors.AsType[*records.RefusalError](e)
	if !ok {
		wire.ExportInvalidUTF8 = client.InvalidReplace
		return wire, e.Class == transport.ClassPayload && s.wire.ExportInvalidUTF8 != client.InvalidReplace
	}

	isBeside := !errors.Is(refusal, records.ErrNoRecord) && !errors.Is(refusal, records.ErrNoList)
	if !isBeside || len(refusal.Members) == 0 || slices.ContainsFunc(refusal.Members, x.mayMatter) {
		return wire, false
	}
	wire.ExportIgnoredMembers = strings.TrimPrefix(wire.ExportIgnoredMembers+","+strings.Join(refusal.Members, ","), ",")

	return wire, true
}

// kindParameter returns the parameter that the service asks for; empty if it names none.
func (x *examination) kindParameter(e *transport.Error) string {
	for _, f := range e.Fields {
		if f.Field != "utcDate" && !x.hides(f.Field) {
			return f.Field
		}
	}
	return ""
}

// mayMatter reports whether a member beside the records, such as next or success=false, may say
// by its name that there is more than the answer holds, or that it failed. Whether such a one
// may be ignored is not for this program to say.
func (x *examination) mayMatter(member string) bool {
	name, value, _ := strings.Cut(member, "=")
	if x.hides(name) {
		return true
	}
	if value == "null" || value == "[]" || value == "{}" {
		return false
	}

	words := []string{"error", "fail", "success", "ok", "partial", "link"}
	if value == "false" {
		words = []string{"success", "ok", "complete", "done", "end", "last", "final"}
	} else if answer.MayLeadOn(name) {
		return true
	}

	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(strings.ToLower(name), word) })
}

// isRejected reports whether the service rejects the request for a day, and not the
// credentials.
func isRejected(err error) bool {
	e, ok := errors.AsType[*transport.Error](err)
	return ok && e.Status/100 == 4 && !isRefused(err)
}

// reportExport reports what is known of the shape of an export, if there was an answer.
func (x *examination) reportExport(s *sample) {
	if s == nil {
		return
	}

	switch {
	case transport.IsClass(s.err, transport.ClassNotReady):
		x.report.add(GroupExport, "shape", Unknown, describe(s.err))
	case isRejected(s.err):
		x.report.add(GroupExport, "shape", Broken, describe(s.err)+"; if a parameter selects the kind, name it and its values in wire.export_kind_parameter and wire.export_kind_values")
	case s.err != nil:
		x.report.add(GroupExport, "shape", Broken, describe(s.err))
	case s.counts.Total() == 0:
		x.report.add(GroupExport, "shape", Unknown, "the day "+client.FormatDay(x.options.Day)+" has no records; -day chooses another one")
	case s.changed:
		x.report.add(GroupExport, "shape", Differs, "read with the wire settings below")
	default:
		x.report.add(GroupExport, "shape", OK, "read as configured")
	}
	if s.err != nil || s.counts.Total() == 0 {
		return
	}

	var counts []string
	for _, k := range append(slices.Clone(records.Kinds), records.Unknown) {
		if n := s.counts.Of(k); n > 0 {
			counts = append(counts, strconv.FormatInt(n, 10)+" "+k.Plural())
		}
	}
	word, text := OK, "among the first "+counted(int(s.counts.Total()), "record", "records")+": "+list(counts)
	if s.unknown != nil {
		word = Differs
		text += "; the provider exports a record that does not state its kind as unknown, such as one of " + x.shown(s.unknown)
	}
	x.report.add(GroupExport, "kinds", word, text)
}
