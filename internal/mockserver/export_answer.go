package mockserver

import (
	"cmp"
	"fmt"
	"slices"
)

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

// Validate returns an error if the shape, the encoding or the framing is none that
// exists.
func (a ExportAnswer) Validate() error {
	for _, c := range []struct {
		name, value string
		accepted    []string
	}{
		{"shape", a.Shape, []string{"", ExportObject, ExportNested, ExportArray, ExportNDJSON}},
		{"encoding", a.Encoding, []string{"", "gzip", "zstd"}},
		{"framing", a.Framing, []string{"", FramingChunked, FramingLength, FramingClose}},
	} {
		if !slices.Contains(c.accepted, c.value) {
			return fmt.Errorf("the %s of an export is one of %q, not %q", c.name, c.accepted[1:], c.value)
		}
	}

	return nil
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
