// SPDX-License-Identifier: MPL-2.0

package decode

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// DataCall is a call that may answer with all data of a person.
type DataCall struct {
	Person    string
	Envelope  Envelope
	At        *jsontext.Pointer // wire.all_data.at: an answer is the data exactly if something is there; nil recognises them
	Seen      bool              // the person's own request was in the pending list and has left it
	Continued bool              // a header says that there is more
}

// Read returns the receipt that an answer to the call is; Delivered where it is the data, which the first answer never
// is without wire.all_data.at. Once the request was seen, what is neither of them is an *Error.
func (c DataCall) Read(status int, v jsontext.Value) (Receipt, error) {
	receipt, refusal := c.Envelope.ReadReceipt(status, v, c.Person)
	if status != 200 || c.Envelope.Result.Says(v) != nil {
		return receipt, refusal
	}

	answer := Envelope{}.decode(v)
	if slices.ContainsFunc(append(slices.Clone(answer.parts()), answer), c.isAboutAnother) {
		return Receipt{}, &Error{Why: "the answer is about somebody else: its identityId is not the person that was asked for"}
	}

	isData, mayBeData := c.recognise(answer)
	unsaid, _ := Envelope{}.ReadReceipt(status, v, c.Person) // a word of success stands beside the data too
	switch {
	case isData:
		return Receipt{At: time.Now(), Delivered: true}, nil
	case !c.Seen, refusal != nil, unsaid.NotUnderstood == "" && !mayBeData:
		return receipt, refusal
	}

	return Receipt{}, &Error{
		Why:    "the answer is not recognised as the person's data; it is " + Structure(v),
		Advice: Admits("wire.all_data.at, a pointer to the data,"),
	}
}

// isAboutAnother reports whether an object names somebody else in the field identityId.
func (c DataCall) isAboutAnother(n *node) bool {
	named := n.field("", identityNames).text
	return named != "" && PersonKey(named) != PersonKey(c.Person)
}

// recognise returns whether an answer is the person's data, or may be: it holds something that the interface has of a
// person, and is not an open request.
func (c DataCall) recognise(answer *node) (isData, mayBeData bool) {
	hasData, hasOther := c.contents(answer)
	mayBeData = hasData && !answer.request(c.Person).isOpen
	if c.At != nil {
		return c.isMarked(answer, hasData), mayBeData
	}

	return mayBeData && c.Seen && !c.Continued && !hasOther, mayBeData
}

// contents reports whether an answer holds data, and whether it says something else, as of a page or of a job. The only
// object in it is looked into as well, unless data stand beside it.
func (c DataCall) contents(answer *node) (hasData, hasOther bool) {
	for object := answer; object != nil; {
		inside := object.only(unwrappedNames)
		hasData = slices.ContainsFunc(object.parts(), c.isPart)
		if hasData {
			inside = nil
		}
		for _, part := range object.parts() {
			if part != inside && c.isOther(part) {
				hasOther = true
			}
		}
		object = inside
	}

	return hasData, hasOther
}

// isOther reports whether a part of an answer says something, and is not of the data.
func (c DataCall) isOther(part *node) bool {
	return !c.isPart(part) && !c.isPerson(part) && !part.isSilent()
}

// isMarked reports whether At leads to data. An open request alone is not data. An empty value is only if the person's
// own data stand beside it.
func (c DataCall) isMarked(answer *node, hasData bool) bool {
	found := answer.find(*c.At)
	switch {
	case found.Value == nil, found.Kind() == 'n', answer.says(refusalNames, Failed):
		return false
	case found.isBlank():
		return hasData
	}

	return !found.request(c.Person).isOpen || len(found.named(requestNames...)) < len(found.parts())
}

// isPart reports whether a part of an answer is what the interface has of a person, which may be empty only beside the
// person, or a listed object that is not a request.
func (c DataCall) isPart(part *node) bool {
	request := part.request(c.Person)
	switch {
	case part.around.Kind() == '[':
		return part.Kind() == '{' && !request.isOpen && !request.isRefused
	case !slices.Contains(personalNames, part.name), c.isPerson(part):
		return false
	case jsonvalue.IsZero(part.Value):
		return slices.ContainsFunc(part.around.parts(), c.isPerson)
	}

	return slices.Contains(composites, part.Kind())
}

// isPerson reports whether a member is the person, or an object of nothing but the person.
func (c DataCall) isPerson(m *node) bool {
	if len(m.parts()) == 1 {
		m = m.parts()[0]
	}
	return PersonKey(m.text) == PersonKey(c.Person)
}

// Bounds of an abridged value.
const (
	abridgedText = 200      // of a name or a text, in bytes
	abridgedSize = 64 << 10 // beyond it, each object and array is abridged to one that says something
)

// abridgedParts are how many elements of an array, and how many names and values of an object, are kept.
var abridgedParts = map[jsontext.Kind]int64{'[': 1, '{': 400, 0: 1}

// Abridge reads one JSON value to the end of text, and returns what DataCall.Read needs of it, in constant memory. It
// is for values too large for anything but data.
func Abridge(text io.Reader) (jsontext.Value, error) {
	var kept bytes.Buffer

	in, out := jsontext.NewDecoder(text), jsontext.NewEncoder(&kept, jsontext.AllowDuplicateNames(true))
	for isFirst := true; isFirst || in.StackDepth() > 0; isFirst = false {
		if err := abridgeNext(in, out); err != nil {
			return nil, err
		}
	}
	if _, err := in.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, cmp.Or(err, jsonvalue.ErrTrailing)
	}

	return bytes.TrimSpace(kept.Bytes()), nil
}

// abridgeNext copies the next token, or leaves out the next value.
func abridgeNext(in *jsontext.Decoder, out *jsontext.Encoder) error {
	kind := in.PeekKind()
	around, index := in.StackIndex(in.StackDepth())

	isEnd := slices.Contains([]jsontext.Kind{'}', ']'}, kind)
	isComposite := slices.Contains(composites, kind)
	switch {
	case !isEnd && index >= abridgedParts[around]:
		return in.SkipValue()
	case isComposite && out.OutputOffset() > abridgedSize:
		return cmp.Or(in.SkipValue(), out.WriteValue(jsontext.Value("[{}]")))
	}

	token, err := in.ReadToken()
	if err != nil {
		return err
	}
	if len(token.String()) > abridgedText {
		token = jsontext.String("…")
	}

	return out.WriteToken(token)
}
