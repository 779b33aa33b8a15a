// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// errEnough ends an export whose beginning was read.
var errEnough = errors.New("enough records were read")

// sample is the beginning of a day, as far as it could be read with some settings.
type sample struct {
	way     *way
	wire    client.Wire
	limit   int
	records int
	unknown []string // the members of the first record that does not state its kind
	err     error    // nil if the day or enough of it was read
}

func (s *sample) Restart() error {
	s.records, s.unknown = 0, nil
	return nil
}

// Record counts a record.
func (s *sample) Record(kind records.Kind, record jsontext.Value) error {
	if kind == records.Unknown && s.unknown == nil {
		s.unknown = jsonvalue.Names(jsonvalue.Members(record))
	}
	if s.records++; s.records >= s.limit {
		return errEnough
	}
	return nil
}

// readDay reads the beginning of the day. With a parameter that selects a kind, it reads the
// beginning of each kind.
func (x *examination) readDay(ctx context.Context, w *way, wire client.Wire) *sample {
	s := &sample{way: w, wire: wire}
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
		s.limit = s.records + x.options.Records
		_, err := c.Export(ctx, scope, client.ExportQuery{Day: x.options.Day, Kinds: of}, s)
		if err != nil && !errors.Is(err, errEnough) {
			s.err = err
			return s
		}
	}

	return s
}

// examineExport reports what the beginning of a day looks like. As long as its error is about
// a setting that can be found, the day is read again with it.
func (x *examination) examineExport(ctx context.Context) {
	s := x.day
	if s == nil && x.options.Scope.OrgID != "" {
		x.report.add("access", Unknown, "none of the given credentials are accepted for an export, or there is no such project")
	}
	if s == nil {
		return
	}

	const settings = 4 // that can be found one after the other
	for range settings {
		wire, found := x.settingFor(s)
		if !found || ctx.Err() != nil {
			break
		}
		s = x.readDay(ctx, s.way, wire)
	}
	advice := ""
	if isRejected(s.err) {
		advice = "; if a parameter selects the kind, name it and its values in wire.export_kind_parameter and wire.export_kind_values"
	}
	if !x.isShown(s.err, "the day "+client.FormatDay(x.options.Day)+" is not there", advice) {
		return
	}

	word := x.adopt(s.wire)
	text := map[Word]string{OK: "read as configured", Differs: "read with the wire settings below"}[word]
	if s.records == 0 {
		word, text = Unknown, "the day "+client.FormatDay(x.options.Day)+" has no records; -day chooses another one"
	}
	x.report.add("shape", word, text)
	if s.unknown != nil {
		x.report.add("kinds", Differs, "the provider exports a record that does not state its kind as unknown, such as one of "+x.shown(s.unknown))
	} else if s.records > 0 {
		x.report.add("kinds", OK, fmt.Sprintf("each of %d records states its kind", s.records))
	}
}

// isRejected reports whether the service rejects the request for a day, and not the
// credentials.
func isRejected(err error) bool {
	e, ok := errors.AsType[*transport.Error](err)
	return ok && e.Status/100 == 4 && !isRefused(err)
}

// settingFor returns the settings of a sample with the one that its error is about: the
// parameter that the service asks for, the members beside the records, or the bytes that are
// not UTF-8. It reports false if there is none, or if only a person can tell its value.
func (x *examination) settingFor(s *sample) (wire client.Wire, found bool) {
	wire = s.wire
	e, ok := errors.AsType[*transport.Error](s.err)
	if !ok {
		return wire, false
	}

	if isRejected(e) {
		i := slices.IndexFunc(e.Fields, func(f transport.FieldError) bool { return f.Field != "utcDate" && !x.hides(f.Field) })
		if i < 0 || wire.ExportKindParameter != "" {
			return wire, false
		}
		wire.ExportKindParameter = e.Fields[i].Field
		return wire, true
	}

	if refusal, ok := errors.AsType[*records.RefusalError](e); ok {
		wire.ExportIgnoredMembers = strings.TrimPrefix(wire.ExportIgnoredMembers+","+strings.Join(refusal.Members, ","), ",")
		isBeside := !errors.Is(refusal, records.ErrNoRecord) && !errors.Is(refusal, records.ErrNoList)
		return wire, isBeside && x.mayIgnore(refusal.Members)
	}

	wire.ExportInvalidUTF8 = client.InvalidReplace

	return wire, e.Class == transport.ClassPayload && s.wire.ExportInvalidUTF8 != client.InvalidReplace
}
