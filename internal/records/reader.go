// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"iter"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Reader reads one answer.
type Reader struct {
	Head   []byte // the beginning of the answer, of at most 256 KiB; valid until All is called
	Result Result // of what was read so far
	// Err is why the answer could not be read to its end; nil if it was, or if the loop over All ended before. What is
	// not recognised is an *decode.Error, and the records before it do not count then.
	Err error

	options    Options
	memory     *Memory
	configured map[jsontext.Pointer]Kind // of the lists at Options.At
	isLines    bool                      // its objects are records, and not an envelope
	yield      func(Kind, jsontext.Value) bool

	text *io.LimitedReader // ends where a record, or what stands between two, is too large
	dec  *jsontext.Decoder // of the text

	lists   [len(kindNames)]bool // there is one of a kind; of Unknown, if the records state their kinds
	hasList bool                 // there is one that is not null
	extra   []jsontext.Pointer   // the members around the records that are not recognised
}

// NewReader returns a reader of the answer r.
func NewReader(r io.Reader, o Options) *Reader {
	x := &Reader{options: o, memory: cmp.Or(o.Memory, new(Memory)), configured: map[jsontext.Pointer]Kind{}}
	text := bufio.NewReaderSize(r, LimitHead) // few reads of the connection
	x.Head, _ = text.Peek(LimitHead)          // an error comes again
	content := bytes.TrimPrefix(x.Head, []byte("\uFEFF"))
	_, _ = text.Discard(len(x.Head) - len(content)) // which were read

	x.text = &io.LimitedReader{R: text, N: LimitRecord}
	x.dec = jsontext.NewDecoder(x.text, jsontext.AllowInvalidUTF8(true))
	content = bytes.TrimSpace(content)
	x.isLines = o.Lines || o.IsLines || jsonvalue.ValueLen(content) < len(content) // or they follow each other

	if o.Asked != Unknown {
		x.options.Wanted = []Kind{o.Asked}
	}
	for _, kind := range Kinds {
		if at, isConfigured := o.At[kind.Plural()]; isConfigured {
			x.configured[o.Envelope.At+at] = kind
		}
	}

	return x
}

// All yields every record, which is valid until the next one is taken. It can be called once. Afterwards, Err says
// whether these were all.
func (x *Reader) All() iter.Seq2[Kind, jsontext.Value] {
	return func(yield func(Kind, jsontext.Value) bool) {
		x.yield = yield
		x.Err = x.readAnswer()
		switch {
		case x.text.N <= 0: // whatever the text seems to be up to there
			x.Err = ErrTooLarge
		case errors.Is(x.Err, errStopped):
			x.Err = nil
		}
	}
}

// errStopped ends the reading if the loop over All does.
var errStopped = errors.New("no more records are wanted")

// readAnswer reads the answer, and notes whether its last bracket shows that it is complete.
func (x *Reader) readAnswer() error {
	root := x.placeOf("", Unknown)
	root.isList = true
	switch first := x.dec.PeekKind(); {
	case first == '{' && x.isLines:
		return x.readLines(root)
	case !slices.Contains([]jsontext.Kind{'{', '['}, first):
		return x.readNothing()
	}

	if err := cmp.Or(x.readValue(root, root), x.checkExtra(), x.checkLists()); err != nil {
		return err
	}
	if _, err := x.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return cmp.Or(err, error(&decode.Error{
			Why:    "something follows the last bracket of the answer",
			Advice: "if the answer consists of lines, wire.export.lines = true reads them",
		}))
	}
	x.Result.Closed = true

	return nil
}

// readLines reads records that follow each other.
func (x *Reader) readLines(in place) (err error) {
	for err == nil {
		err = x.readRecord(in)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// readNothing reads an answer that does not begin with a bracket.
func (x *Reader) readNothing() error {
	_, err := x.dec.ReadToken()
	switch {
	case !errors.Is(err, io.EOF):
		return cmp.Or(err, error(&decode.Error{Why: "there is no list of records: the answer is a scalar"}))
	case x.options.IsLines:
		return nil
	}

	return x.checkLists()
}

// place is where a value is.
type place struct {
	at           jsontext.Pointer
	kind         Kind // that the name, the object around it or the settings give to the place
	isList       bool // a list here is one of records
	isConfigured bool // by Options.At

	totals map[jsontext.Pointer]string // the numbers of its records that an object states
}

// placeOf returns a place. around is the kind of the object around it.
func (x *Reader) placeOf(at jsontext.Pointer, around Kind) place {
	if kind, isConfigured := x.configured[at]; isConfigured {
		return place{at: at, kind: kind, isList: true, isConfigured: true}
	}

	name := fold(at.LastToken())
	in := place{at: at, kind: kindWords[name], isList: at == x.options.Envelope.At || kindWords[name] != Unknown}
	if slices.Contains(listNames, name) {
		in.kind, in.isList = around, true
	}
	if _, isElsewhere := x.options.At[in.kind.Plural()]; isElsewhere {
		return place{at: at}
	}

	return in
}

// readObject reads an object around records. What it counts has to be what it has.
func (x *Reader) readObject(in place) error {
	in.totals = map[jsontext.Pointer]string{}
	before := x.Result.Counts.Total()
	_, _ = x.dec.ReadToken() // an error comes again
	if x.dec.PeekKind() == '}' && in.at != "" {
		x.readLeaf(jsontext.Value("{}"), in, in) // JavaScript writes an error so
	}

	for x.dec.PeekKind() == '"' {
		name, _ := x.dec.ReadToken() // an error comes again
		if err := x.readValue(x.placeOf(in.at.AppendToken(name.String()), in.kind), in); err != nil {
			return err
		}
	}

	own := strconv.FormatInt(x.Result.Counts.Total()-before, 10)
	for at, total := range in.totals {
		if total != own {
			x.extra = append(x.extra, at)
		}
	}
	_, err := x.dec.ReadToken()

	return err
}

// readValue reads what is in a place, which is in another one.
func (x *Reader) readValue(in, around place) error {
	isIgnored := x.options.Envelope.Ignored[in.at] == decode.AnyValue
	switch first := x.dec.PeekKind(); {
	case first == '[' && isIgnored:
		return x.dec.SkipValue()
	case first == '[':
		return x.readList(in)
	case first == '{':
		return x.readObject(in)
	}

	v, err := x.dec.ReadValue()
	if err == nil {
		x.readLeaf(v, in, around)
	}

	return err
}

// readList reads an array. What is in front of it has to be recognised already, since the rest may take hours.
func (x *Reader) readList(in place) error {
	_, _ = x.dec.ReadToken() // an error comes again
	if in.isList {
		x.hasList, x.lists[in.kind] = true, true
	} else if x.dec.PeekKind() != ']' {
		x.extra = append(x.extra, in.at)
	}
	if err := x.checkExtra(); err != nil {
		return err
	}

	for x.dec.PeekKind() != ']' {
		if err := x.readRecord(in); err != nil {
			return err
		}
	}
	_, err := x.dec.ReadToken()

	return err
}

// readLeaf notes what a member says that is neither an array nor a full object.
func (x *Reader) readLeaf(v jsontext.Value, in, around place) {
	name, text, isNull := in.at.LastToken(), string(v), v.Kind() == 'n'
	if v.Kind() == '"' {
		text = jsonvalue.Text(v)
	}
	kind := declaredKind(name, v)
	isOfGroup := kind != Unknown && kind == around.kind

	switch {
	case in.at == x.options.Next:
		x.Result.Next = v.Clone()
	case in.at == x.options.Total:
		x.Result.Total = v.Clone()
	case isOfGroup, x.options.Envelope.Ignores(in.at, text), decode.IsOtherPage(v.Kind(), in.at, x.options.Next):
	case isNull && in.kind != Unknown: // an empty list
		x.lists[in.kind] = true
	case slices.Contains(countNames, fold(name)):
		around.totals[in.at] = text
	default:
		x.extra = append(x.extra, in.at)
	}
}

// checkExtra refuses the members around the records that are not recognised.
func (x *Reader) checkExtra() error {
	if len(x.extra) == 0 {
		return nil
	}
	return &decode.Error{
		Why: "what stands beside the records is not recognised, or counts another number of records: " + decode.Shown(x.extra...),
		Advice: "look at it: if it does not say that the answer is refused or incomplete, wire.ignored leaves it out" +
			"; if it holds records, wire.export.at says of which kind; if the object is a record, wire.export.lines = true reads it",
	}
}

// checkLists refuses an answer without a list of a kind that is wanted. With Options.Empty, one without a list of a
// kind and without a record has all.
func (x *Reader) checkLists() error {
	isEmpty := x.Result.Counts.Total() == 0 && !slices.Contains(x.lists[Person:], true)
	if isEmpty && x.options.Empty {
		return nil
	}

	missing := slices.DeleteFunc(slices.Clone(x.options.Wanted), x.has)
	if len(missing) == 0 {
		return nil
	}

	advice := "if your service answers a day without records so, wire.export.empty = true admits it"
	if present := slices.DeleteFunc(slices.Clone(Kinds), func(kind Kind) bool { return !x.has(kind) }); len(present) > 0 {
		advice = `if your service exports nothing else, kinds = ["` + listed(present, `", "`) + `"] takes what is there`
	}

	return &decode.Error{
		Why:    "the answer has no list of " + listed(missing, " and "),
		Advice: advice + "; if it needs a parameter for the kind, wire.export.kind_parameter names it",
	}
}

// has reports whether there is a list of a kind, or one whose records state their kinds, unless another place was told.
// A null is a list beside another one, or with Options.Empty.
func (x *Reader) has(kind Kind) bool {
	_, isConfigured := x.options.At[kind.Plural()]
	isAnywhere := x.lists[Unknown] && !isConfigured
	if !x.hasList && !x.options.Empty {
		return false
	}
	return x.lists[kind] || isAnywhere
}
