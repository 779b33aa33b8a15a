// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"slices"
	"time"
)

// kindNames are the kinds of records of an export (section 4, Export). The name of an array has an s more.
var kindNames = [3]string{"person", "session", "event"}

// ExportDay holds the records of one UTC day, as values that can be encoded as JSON.
type ExportDay struct {
	Persons  []any `json:"persons"`
	Sessions []any `json:"sessions"`
	Events   []any `json:"events"`
}

// exportDay has the records of a day by kind, each valid until the next one; nil: none.
type exportDay [3]iter.Seq[[]byte]

// PutExport replaces the records of one UTC day, YYYY-MM-DD, which then has none from Server.ExportRecords.
func (s *Server) PutExport(scope Scope, date string, day ExportDay) {
	var held exportDay
	for kind, list := range [][]any{day.Persons, day.Sessions, day.Events} {
		var encoded [][]byte
		for _, record := range list {
			encoded = append(encoded, encode(record))
		}
		held[kind] = slices.Values(encoded)
	}
	s.exports.Store(scoped{scope, date}, held)
}

// exportRecords is GET …/export (section 4, Export).
func (s *Server) exportRecords(c *Request) Response {
	sent := c.sentIn(InQuery)
	date, _ := sent["utcDate"].(string)
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return invalid(map[string]string{"utcDate": "has to be a date, YYYY-MM-DD"})
	}

	held, _ := s.exports.Load(scoped{c.Scope, date})
	day, ok := held.(exportDay)
	if !ok {
		day = generatedDay(c.Scope, date, s.ExportRecords)
	}

	if parameter := s.Wire.Export.KindParameter; parameter != "" {
		var values []any
		for _, name := range kindNames {
			values = append(values, cmp.Or(s.Wire.Export.KindValues[name+"s"], name))
		}
		kind := slices.Index(values, sent[parameter])
		if kind < 0 {
			return invalid(map[string]string{parameter: fmt.Sprint("has to be one of ", values)})
		}
		chosen := day[kind]
		day = exportDay{}
		day[kind] = chosen
	}

	stream := &exportStream{ExportAnswer: s.Export, day: day}
	answer := success(stream)
	answer.Header.Set("Content-Type", stream.shape().media)
	if stream.Gzip {
		answer.Header.Set("Content-Encoding", "gzip")
	}

	return answer
}

// generatedDay returns a day of Server.ExportRecords, each record with an ID of its own. The records are generated
// while they are read, and depend on scope, date and number alone.
func generatedDay(scope Scope, date string, events int) exportDay {
	var day exportDay
	h := fnv.New32a()
	fmt.Fprintf(h, "%q %s", scope, date)
	for kind, share := range []int{100, 20, 1} { // events for each record
		format := fmt.Sprintf(`{"id":"%s-%s-%08x-%%09d","identityId":"user-%%09d@example.com","name":"button.clicked",`+
			`"properties":{"path":"/settings/profile","title":"Caf\u00e9 – \"settings\"","durationMs":1250,"flags":[true,false,null],`+
			`"viewport":{"width":1920,"height":1080,"scale":1.25}},"context":{"locale":"en-GB","referrer":"https://www.example.com/"},`+
			`"timestamp":"%sT%%02d:%%02d:%%02d.%%03dZ"}`, kindNames[kind], date, h.Sum32(), date)
		day[kind] = func(yield func([]byte) bool) {
			var record []byte
			for i := range (events + share - 1) / share {
				second := i * 7 % 86_400
				record = fmt.Appendf(record[:0], format, i, i*share/100, second/3600, second/60%60, second%60, i%1000)
				if !yield(record) {
					return
				}
			}
		}
	}

	return day
}

// The shapes of an export.
const (
	ExportObject = "object" // {"persons": […], "sessions": […], "events": […]}
	ExportArray  = "array"  // […], each record with a discriminator
	ExportNDJSON = "ndjson" // a record on each line, with a discriminator
)

// ExportAnswer describes how an export is answered (section 4, Export).
type ExportAnswer struct {
	Shape         string // empty is ExportObject
	Discriminator string // the member of a record that says its kind: person, session or event; empty is "type"
	Gzip          bool   // whether the answer has the content coding gzip, whatever the client accepts
}

// exportStream is the answer to one export request.
type exportStream struct {
	ExportAnswer

	day exportDay
}

// send writes the answer while it is generated, with its content coding.
func (e *exportStream) send(w io.Writer) error {
	if !e.Gzip {
		return e.write(w)
	}
	packer, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the error is that of another level

	return cmp.Or(e.write(packer), packer.Close())
}

// shape is what is around the records of an answer. With arrays there is one for each kind that
// the day has, or else all records are in a row.
type shape struct {
	media                      string
	arrays                     bool
	begin, between, after, end string
}

var shapes = map[string]shape{
	ExportObject: {"application/json", true, "{", ",", "", "}"},
	ExportArray:  {"application/json", false, "[", ",", "", "]"},
	ExportNDJSON: {"application/x-ndjson", false, "", "", "\n", ""},
}

func (e *exportStream) shape() shape { return shapes[cmp.Or(e.Shape, ExportObject)] }

// write writes the answer in its shape. A bufio.Writer keeps its first error.
func (e *exportStream) write(to io.Writer) error {
	w, shape := bufio.NewWriterSize(to, 256<<10), e.shape()
	_, _ = w.WriteString(shape.begin)
	beforeArray, beforeRecord := "", ""
	for kind, records := range e.day {
		if records == nil {
			continue
		}
		if shape.arrays {
			_, _ = w.WriteString(beforeArray + `"` + kindNames[kind] + `s":[`)
			beforeArray, beforeRecord = ",", ""
		}

		for record := range records {
			_, _ = w.WriteString(beforeRecord)
			beforeRecord = shape.between
			e.writeRecord(w, kind, record, !shape.arrays)
			if _, err := w.WriteString(shape.after); err != nil {
				return err
			}
		}

		if shape.arrays {
			_ = w.WriteByte(']')
		}
	}
	_, _ = w.WriteString(shape.end)

	return w.Flush()
}

// writeRecord writes a record. If withKind is set, an object says its kind in a member.
func (e *exportStream) writeRecord(w *bufio.Writer, kind int, record []byte, withKind bool) {
	if withKind && record[0] == '{' {
		_, _ = w.WriteString(`{"` + cmp.Or(e.Discriminator, "type") + `":"` + kindNames[kind] + `"`)
		if record = record[1:]; record[0] != '}' {
			_ = w.WriteByte(',')
		}
	}
	_, _ = w.Write(record)
}
