package doctor

import (
	"context"
	"errors"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// tryExportSettings reads the day with other settings, and keeps the first with which the
// kind of each record is known, or else the first with which several records can be read. It
// returns that sample, or s where nothing helps.
func (x *examination) tryExportSettings(ctx context.Context, w *way, s *sample) *sample {
	t := &exportTrial{examination: x, way: w, best: s, bestWire: x.wire}
	t.search(ctx, s)
	x.wire = t.bestWire

	return t.best
}

// exportTrial looks for settings with which a day can be read.
type exportTrial struct {
	*examination

	way      *way
	best     *sample
	bestWire client.Wire
}

// search tries each request that the service may expect, and each reading of its answer. s is
// what was read with the settings so far.
func (t *exportTrial) search(ctx context.Context, s *sample) {
	if !isRejected(s.err) {
		t.tryReadings(ctx, t.wire, s)
		return
	}

	for _, wire := range t.requests(s.err) {
		got, done := t.try(ctx, wire)
		if done || !isRejected(got.err) && t.tryReadings(ctx, wire, got) {
			return
		}
	}
}

// tryReadings tries other readings of the answer that s could not read as a whole. It reports
// whether the search is over.
func (t *exportTrial) tryReadings(ctx context.Context, wire client.Wire, s *sample) (done bool) {
	for _, other := range readings(wire, s.err) {
		if _, done := t.try(ctx, other); done {
			return true
		}
	}
	return false
}

// try reads the day with settings, and keeps them if they are better than those so far. It
// reports whether the search is over.
func (t *exportTrial) try(ctx context.Context, wire client.Wire) (s *sample, done bool) {
	if ctx.Err() != nil {
		return t.best, true
	}

	s = t.readDay(ctx, t.way, wire, t.options.Records)
	several := s.readable() && s.counts.Total() > 1 // a single one may be the whole answer
	if s.attributed() || several && !t.best.readable() {
		t.best, t.bestWire = s, wire
	}

	return s, s.attributed()
}

// isRejected reports whether the service rejects the request for a day, and not the
// credentials.
func isRejected(err error) bool {
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Status/100 == 4 && !isRefused(err)
}

// kindValues are values of a parameter that selects a kind, as services commonly spell
// them, the provider's default first.
var kindValues = []string{
	client.DefaultExportKindValues, "persons,sessions,events", "Person,Session,Event", "Persons,Sessions,Events",
	"PERSON,SESSION,EVENT", "people,sessions,events",
}

// requests returns settings for requests that select a kind.
func (t *exportTrial) requests(err error) []client.Wire {
	var found []client.Wire
	for _, parameter := range kindParameters(err, t.wire.ExportKindParameter) {
		for _, values := range kindValues {
			wire := t.wire
			wire.ExportKindParameter, wire.ExportKindValues = parameter, values
			found = append(found, wire)
		}
	}

	return found
}

// kindParameters returns at most two names of parameters that may select a kind: the
// configured one, and those that the service complains about.
func kindParameters(err error, configured string) []string {
	var names []string
	if configured != "" {
		names = append(names, configured)
	}

	e, _ := errors.AsType[*client.Error](err)
	for _, f := range e.Fields {
		if jsonvalue.IsFieldName(f.Field) && f.Field != "utcDate" {
			names = appendNew(names, f.Field)
		}
	}

	return names[:min(len(names), 2)]
}

// readings returns settings for other readings of an answer. err is the error of reading it
// with wire; nil if it was read and kinds are unknown.
func readings(wire client.Wire, err error) []client.Wire {
	if err != nil && !client.IsClass(err, client.ClassPayload, client.ClassTooLarge) {
		return nil // other settings change nothing
	}

	texts := []string{wire.ExportInvalidUTF8}
	if err != nil {
		texts = append(texts, client.InvalidReplace)
	}

	var found []client.Wire
	for _, text := range texts {
		for _, shape := range []string{wire.ExportShape, client.ShapeEnvelope, client.ShapeRecords} {
			other := wire
			other.ExportInvalidUTF8, other.ExportShape = text, shape
			found = append(found, other)
		}
	}

	return found[1:] // the first is wire
}
