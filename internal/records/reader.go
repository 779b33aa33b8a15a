// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Reader reads one answer.
type Reader struct {
	// Result describes what was read so far.
	Result Result
	// Err is why the answer could not be read to its end; nil if it was, or if the loop over All ended
	// before. An error of the text is kept as it is. What is not recognised is an *answer.Error, and the
	// records before it do not count then.
	Err error

	options Options
	words   map[string]Kind // of Options.Kind
	yield   func(Kind, jsontext.Value) bool

	text   *bufio.Reader
	dec    *jsontext.Decoder // of the text
	begin  int64             // where the text of the decoder begins in the answer
	read   int64             // how much of the text the decoder has, in bytes
	broken error             // what ended the text, other than its end

	models [len(kindNames)]*model
	last   Kind  // of the record before
	count  int64 // of the records before
	lists  lists
	// extra are the members around the records that are not recognised, each with its value
	// where that can say that it means nothing.
	extra []leaf
}

// NewReader returns a reader of the answer r.
func NewReader(r io.Reader, o Options) *Reader {
	x := &Reader{options: o, words: kindWords, text: bufio.NewReaderSize(r, LimitHead)}
	if len(o.Kinds) > 0 {
		x.words = map[string]Kind{}
	}
	if o.Before != nil {
		x.models = o.Before.models
	}
	for _, kind := range Kinds {
		for _, word := range o.Kinds[kind.Plural()] {
			x.words[word] = kind
		}
	}

	return x
}

// Head returns the beginning of the answer, of at most 256 KiB. It is valid until All is called.
func (x *Reader) Head() []byte {
	head, err := x.text.Peek(LimitHead)
	if err != nil && !errors.Is(err, io.EOF) {
		x.broken = err
	}
	return head
}

// All yields every record, as it is in the answer and in order, until the next one is taken. It can
// be called once. Afterwards, Err says whether these were all.
func (x *Reader) All() iter.Seq2[Kind, jsontext.Value] {
	return func(yield func(Kind, jsontext.Value) bool) {
		x.yield = yield

		head := x.Head()
		if bytes.HasPrefix(head, byteOrderMark) {
			_, _ = x.text.Discard(len(byteOrderMark))
			x.begin = int64(len(byteOrderMark))
		}
		x.dec = jsontext.NewDecoder(source{x}, jsontext.AllowInvalidUTF8(true))

		var err error
		x.Result.Closed, err = x.readAnswer(head[x.begin:])
		if err != nil {
			x.Err = x.failure(err)
		}
	}
}

var byteOrderMark = []byte("\uFEFF")

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

// readAnswer reads the answer, which begins with the head. closed reports whether its last
// bracket shows that it is complete. Errors are those of the decoder.
func (x *Reader) readAnswer(head []byte) (closed bool, err error) {
	root := x.placeOf("", place{})
	switch x.dec.PeekKind() {
	case '{':
		// One object that is the whole answer is an envelope, unless the media type or a setting says
		// that it is a line.
		head = bytes.TrimSpace(head)
		isFollowed := jsonvalue.ValueLen(head) < len(head)
		if x.options.Lines || x.options.IsLines || isFollowed {
			root.lines = true
			return false, x.readRecords(root)
		}
		err = x.readEnvelope(root)
	case '[':
		root.isList = true
		err = x.readList(root)
	default:
		if _, err := x.dec.ReadToken(); !x.isEnd(err) { // a scalar, or what cannot be read
			return false, cmp.Or(x.broken, ErrShape)
		}
		if !x.options.IsLines && !x.options.Empty {
			err = refuseNothing("")
		}
		return false, err
	}
	if err != nil {
		return false, err
	}

	if _, err := x.dec.ReadToken(); !x.isEnd(err) {
		return false, cmp.Or(x.broken, ErrFollowed)
	}

	return true, nil
}

// refuseNothing refuses an answer that says nothing.
func refuseNothing(what string) error {
	return &answer.Error{Why: noContent + what, Advice: "if your service answers a day without records so, wire.export.empty = true admits it"}
}

// isEnd reports whether an error of the decoder is the end of the answer.
func (x *Reader) isEnd(err error) bool { return errors.Is(err, io.EOF) && x.broken == nil }

// readRecords reads the records in an array, up to its last bracket, or those that follow each
// other up to the end.
func (x *Reader) readRecords(in place) error {
	for in.lines || x.dec.PeekKind() != ']' {
		v, err := x.dec.ReadValue()
		if in.lines && x.isEnd(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := x.record(v, in); err != nil {
			return err
		}
	}

	_, err := x.dec.ReadToken()

	return err
}

// failure returns this package's error for one of the decoder, and any other as it is.
func (x *Reader) failure(err error) error {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, errStopped):
		return nil
	case x.broken != nil: // what is there is a part
		return x.broken
	case !ok:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ErrTruncated
	case errors.Is(err, jsontext.ErrDuplicateName):
		err = ErrRepeatedName
	default:
		err = ErrSyntax
	}

	return fmt.Errorf("%w, at byte %d", err, syntax.ByteOffset+x.begin)
}
