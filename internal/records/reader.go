// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"maps"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Reader reads one answer.
type Reader struct {
	// Head is the beginning of the answer, of at most 256 KiB.
	Head []byte
	// Result describes what was read so far.
	Result Result
	// Err is why the answer could not be read to its end; nil if it was, or if the loop over All ended
	// before. An error of the text is kept as it is. What is not recognised is an *answer.Error, and the
	// records before it do not count then.
	Err error

	options Options
	words   map[string]Kind                      // of Options.Kind
	told    map[jsontext.Pointer]Kind            // of the lists at Options.At
	values  map[jsontext.Pointer]*jsontext.Value // at Options.Next and Options.Total
	yield   func(Kind, jsontext.Value) bool

	text   io.Reader
	dec    *jsontext.Decoder // of the text
	begin  int64             // where the text of the decoder begins in the answer
	read   int64             // how much of the text the decoder has, in bytes
	broken error             // what ended the text, other than its end

	models [len(kindNames)]model
	last   Kind // of the record before

	lists   [len(kindNames)]bool // there is one of a kind; of Unknown, if the records state their kinds
	hasList bool                 // there is one that is not null
	// extra are the members around the records that are not recognised.
	extra []jsontext.Pointer
}

// NewReader returns a reader of the answer r.
func NewReader(r io.Reader, o Options) *Reader {
	x := &Reader{options: o, words: maps.Clone(kindWords), told: map[jsontext.Pointer]Kind{}}
	x.Head, x.broken = io.ReadAll(io.LimitReader(r, LimitHead))
	x.text = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(x.Head), r), LimitHead) // few reads of the connection
	x.values = map[jsontext.Pointer]*jsontext.Value{o.Next: &x.Result.Next, o.Total: &x.Result.Total}
	if o.Asked != Unknown {
		x.options.Wanted = []Kind{o.Asked}
	}
	if o.Before != nil {
		x.models, x.options.Before = o.Before.models, nil // or the first of many pages is held to the end
	}

	for _, kind := range Kinds {
		for _, word := range o.Kinds[kind.Plural()] {
			x.words[word] = kind
		}
		if at, isTold := o.At[kind.Plural()]; isTold {
			x.told[o.Envelope.At+at] = kind
		}
	}

	return x
}

// All yields every record, as it is in the answer and in order, until the next one is taken. It can
// be called once. Afterwards, Err says whether these were all.
func (x *Reader) All() iter.Seq2[Kind, jsontext.Value] {
	return func(yield func(Kind, jsontext.Value) bool) {
		x.yield = yield
		if mark := []byte("\uFEFF"); bytes.HasPrefix(x.Head, mark) {
			x.begin, _ = io.CopyN(io.Discard, x.text, int64(len(mark)))
		}
		x.dec = jsontext.NewDecoder(source{x}, jsontext.AllowInvalidUTF8(true))

		var err error

		x.Result.Closed, err = x.readAnswer()
		syntax, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
		switch {
		case errors.Is(err, errStopped):
			return
		case x.broken != nil: // what is there is a part
			err = x.broken
		case isSyntax:
			syntax.ByteOffset += x.begin
		}
		x.Err = err
	}
}

// errStopped ends the reading if the loop over All does.
var errStopped = errors.New("no more records are wanted")

// source is the text of an answer for its decoder.
type source struct{ *Reader }

// Read ends the text where one value, or what stands between two, is too large.
func (x source) Read(p []byte) (n int, err error) {
	const ahead = 64 << 10 // at most, of what a decoder reads
	if err = ErrTooLarge; x.read-x.dec.InputOffset() <= LimitRecord+ahead {
		n, err = x.text.Read(p[:min(len(p), ahead)])
	}

	x.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		x.broken = err
	}

	return n, err
}

// readAnswer reads the answer. closed reports whether its last bracket shows that it is complete.
func (x *Reader) readAnswer() (closed bool, err error) {
	root := x.placeOf("", Unknown)
	switch x.dec.PeekKind() {
	case '{':
		if x.isLines() {
			return false, x.readLines(root)
		}
		err = x.readEnvelope(&root)
	case '[':
		root.isList = true
		err = x.readList(root)
		isNothing := x.options.Empty && x.Result.Counts.Total() == 0
		if err == nil && !isNothing {
			err = x.checkKinds()
		}
	default:
		return false, x.readNothing()
	}
	if err != nil {
		return false, err
	}

	if _, err := x.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return false, &answer.Error{
			Why:    "something follows the last bracket of the answer",
			Advice: "if the answer consists of lines, wire.export.lines = true reads them",
		}
	}

	return true, nil
}

// isLines reports whether the objects of an answer are records, and no envelope: by the media type, a setting, or
// because they follow each other.
func (x *Reader) isLines() bool {
	head := bytes.TrimSpace(x.Head[x.begin:])
	return x.options.Lines || x.options.IsLines || jsonvalue.ValueLen(head) < len(head)
}

// readNothing reads an answer that does not begin with a bracket.
func (x *Reader) readNothing() error {
	_, err := x.dec.ReadToken()
	if err == nil {
		return &answer.Error{Why: "there is no list of records: the answer is a scalar"}
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	if !x.options.IsLines && !x.options.Empty {
		return refuseNothing("")
	}

	return nil
}

// refuseNothing refuses an answer that says nothing.
func refuseNothing(what string) error {
	return &answer.Error{Why: "the answer has no content" + what, Advice: "if your service answers a day without records so, wire.export.empty = true admits it"}
}

func (x *Reader) readLines(in place) error {
	for {
		err := x.readRecord(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (x *Reader) readRecord(in place) error {
	v, err := x.dec.ReadValue()
	if err != nil {
		return err
	}
	return x.record(v, in)
}
