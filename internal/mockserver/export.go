// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Kinds is the number of record kinds of an export: person, session and event, in this
// order (section 4, Export).
const Kinds = 3

// dayLayout is the layout of utcDate (section 4, Export).
const dayLayout = "2006-01-02"

// ExportDay holds the records of one UTC day. A record is any value that can be encoded
// as JSON, since the interface does not show one (section 2).
type ExportDay struct {
	Persons, Sessions, Events []any
	// Others are records without a kind. An object of arrays has them under "others";
	// in every other shape they have no discriminator.
	Others []any
}

// PutExport replaces the records of one UTC day, YYYY-MM-DD (section 4, Export). Such a
// day has no records from Server.ExportRecords. PutExport panics if date is no date or
// a record cannot be encoded as JSON.
func (s *Server) PutExport(scope Scope, date string, day ExportDay) {
	if !isDay(date) {
		panic("mockserver: there is no such day: " + date)
	}

	var held explicitDay
	for i, list := range [][]any{day.Persons, day.Sessions, day.Events, day.Others} {
		for _, record := range list {
			held[i] = append(held[i], encode(record))
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	if s.exports == nil {
		s.exports = map[exportKey]explicitDay{}
	}
	s.exports[exportKey{scope, date}] = held
}

type exportKey struct {
	scope Scope
	date  string
}

// others is the index of the records without a kind, after those of the kinds.
const others = Kinds

// records are the records of a day.
type records interface {
	// each calls write with every record of a kind, or of the others, and returns the
	// first error. write must not keep the bytes.
	each(kind int, write func([]byte) error) error
}

// explicitDay is a day that was set with PutExport, kind by kind.
type explicitDay [Kinds + 1][][]byte

func (d explicitDay) each(kind int, write func([]byte) error) error {
	for _, record := range d[kind] {
		if err := write(record); err != nil {
			return err
		}
	}
	return nil
}

// exportRecords is GET …/export (section 4, Export), which only the org/project family
// has.
func (s *Server) exportRecords(c *call) Response {
	sent, ok := c.params.in(InQuery)
	if !ok {
		return failure(http.StatusBadRequest, "malformed", "The parameters cannot be read.")
	}

	date, _ := sent["utcDate"].(string)
	if !isDay(date) {
		return failure(http.StatusBadRequest, "invalid_parameters", "There are errors in the parameters.",
			FieldError{"utcDate", "has to be a date, YYYY-MM-DD"})
	}

	kinds, problem := s.Wire.exportKinds(sent)
	if problem != nil {
		return failure(http.StatusBadRequest, "invalid_parameters", "There are errors in the parameters.", *problem)
	}

	return Response{Status: http.StatusOK, export: &exportStream{
		ExportAnswer: s.Export.withDefaults(), day: s.dayOf(c.scope, date), kinds: kinds,
	}}
}

func (s *Server) dayOf(scope Scope, date string) records {
	s.mu.Lock()
	defer s.mu.Unlock()

	day, ok := s.exports[exportKey{scope, date}]
	held := records(day)
	if !ok && s.ExportRecords > 0 {
		held = newGeneratedDay(scope, date, s.ExportRecords)
	}
	if s.Export.Broken {
		return brokenDay{held}
	}

	return held
}

// brokenDay is a day with a byte that is no UTF-8 in the first text of each record.
type brokenDay struct{ records }

func (d brokenDay) each(kind int, write func([]byte) error) error {
	return d.records.each(kind, func(record []byte) error {
		return write(bytes.Replace(record, []byte(`:"`), []byte(":\"\xff"), 1))
	})
}

func isDay(date string) bool {
	t, err := time.Parse(dayLayout, date)
	return err == nil && t.Format(dayLayout) == date
}

// exportKinds returns the kinds that a request chooses: one with an
// ExportKindParameter, otherwise all.
func (w Wire) exportKinds(sent map[string]any) ([]int, *FieldError) {
	if w.ExportKindParameter == "" {
		return []int{0, 1, 2, others}, nil
	}

	values := w.exportKindValues()
	chosen, _ := sent[w.ExportKindParameter].(string)
	i := slices.Index(values[:], chosen)
	if i < 0 {
		return nil, &FieldError{w.ExportKindParameter, fmt.Sprintf("has to be one of %q", values)}
	}

	return []int{i}, nil
}

func (w Wire) exportKindValues() [Kinds]string {
	if w.ExportKindValues == [Kinds]string{} {
		return kindNames
	}
	return w.ExportKindValues
}

var kindNames = [Kinds]string{"person", "session", "event"}

// Shapes of an export, for ExportAnswer.Shape. The interface shows none (section 4,
// gaps), so all of them are assumptions.
const (
	ExportObject = "object" // {"persons": […], "sessions": […], "events": […]}
	ExportNested = "nested" // the same under one name
	ExportArray  = "array"  // […], each record with a discriminator
	ExportNDJSON = "ndjson" // a record on each line, with a discriminator
)

// Framings of an export, for ExportAnswer.Framing: how the client learns where it ends.
const (
	FramingChunked = "chunked"
	FramingLength  = "length" // holds the answer in memory
	FramingClose   = "close"  // by the end of the connection alone
)

// ExportAnswer describes how an export is answered (section 4, Export). The zero value
// is an object of arrays in chunks, without a content coding.
type ExportAnswer struct {
	// Shape is one of the Export constants; empty is ExportObject.
	Shape string
	// Names are the names of the arrays in an object; empty names are persons, sessions
	// and events.
	Names [Kinds]string
	// Wrapper is the member that ExportNested puts the object in; empty is "data".
	Wrapper string
	// Discriminator is the member of a record that says its kind; empty is "type".
	// Values are its values; empty values are person, session and event.
	Discriminator string
	Values        [Kinds]string
	// Beside are members in front of the arrays in an object, as JSON and with a comma
	// after each, such as `"tenant":"web",`.
	Beside string
	// Broken puts a byte that is no UTF-8 into the first text of each record.
	Broken bool
	// Pretty indents each record of a JSON shape on lines of its own.
	Pretty bool
	// Mark begins the answer with a byte order mark; CRLF ends lines as Windows does.
	Mark, CRLF bool
	// Encoding is the content coding: empty, gzip or zstd. It does not depend on what
	// the client accepts.
	Encoding string
	// Framing is one of the Framing constants; empty is FramingChunked.
	Framing string
	// Empty is the answer for a day without records: NoContent is a 204, "" an empty
	// body. Nil answers it like any other day.
	Empty any
}

func (a ExportAnswer) withDefaults() ExportAnswer {
	a.Shape = cmp.Or(a.Shape, ExportObject)
	a.Wrapper = cmp.Or(a.Wrapper, "data")
	a.Discriminator = cmp.Or(a.Discriminator, "type")
	a.Framing = cmp.Or(a.Framing, FramingChunked)
	for i, name := range kindNames {
		a.Names[i] = cmp.Or(a.Names[i], name+"s")
		a.Values[i] = cmp.Or(a.Values[i], name)
	}

	return a
}
