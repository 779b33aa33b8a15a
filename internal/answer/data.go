// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// DataCall is a call that may answer with all data of a person.
type DataCall struct {
	Person   string
	Envelope Envelope
	// At is wire.all_data.at: an answer is the data exactly if something is there. If nil, the
	// data are recognised.
	At *jsontext.Pointer
	// Seen reports that the person's own request was in the pending list and has left it.
	Seen bool
	// Continued reports that a header says that there is more.
	Continued bool
}

// Read returns the receipt that an answer to the call is; Delivered where it is the data.
// Without wire.all_data.at, the first answer is never the data. Once the request was
// seen, the error is an *Error for an answer that is neither the data nor a receipt.
func (c DataCall) Read(status int, v jsontext.Value) (Receipt, error) {
	around := c.Envelope
	if c.Seen {
		around.Result = Result{} // a word of success stands beside the data too
	}
	receipt, err := around.ReadReceipt(status, v, c.Person)

	const ok = 200
	if status != ok || c.Envelope.Result.Says(v) != nil {
		return receipt, err
	}
	answer := decode(v)
	if slices.ContainsFunc(append(answer.members, answer), c.isAboutAnother) {
		return Receipt{}, &Error{Why: "the answer is about somebody else: its identityId is not the person that was asked for"}
	}

	found := c.recognise(answer, err != nil)
	if found == isData {
		return Receipt{At: receipt.At, Delivered: true}, nil
	}

	isReceipt := receipt.NotUnderstood == "" && found == isNoData
	switch {
	case err != nil, isReceipt, !c.Seen:
		return receipt, err
	}

	return Receipt{}, &Error{
		Why:    "the answer is not recognised as the person's data; it is " + Structure(v),
		Advice: Admits("wire.all_data.at, a pointer to the data,"),
	}
}

// isAboutAnother reports whether an object names somebody else in the field identityId.
func (c DataCall) isAboutAnother(n *node) bool {
	named := n.field(roleIdentity).text
	return named != "" && PersonKey(named) != PersonKey(c.Person)
}

// likelihood says whether an answer is all data of a person.
type likelihood int

const (
	isNoData likelihood = iota
	mayBeData
	isData
)

// recognise returns whether an answer is the person's data: exactly if At leads to them, where it is set.
// Otherwise they are an array of objects that are not requests; or an object of nothing but the person,
// lists of objects and what the interface has of a person, possibly in wrappers. A receipt may be data with an
// ID, where nothing but that shows that it is a receipt.
func (c DataCall) recognise(answer *node, isRefused bool) likelihood {
	if c.isMarked(answer, isRefused) {
		return isData
	}
	const emptied = holdsPerson | holdsEmpty
	parts := c.parts(answer)
	hasData, hasOther := parts&holdsData != 0 || parts&emptied == emptied, parts&holdsOther != 0
	if answer.Kind() == '[' {
		hasData = slices.ContainsFunc(answer.inside(), isDataRecord)
	}

	request := answer.request()
	hasID := requestID(request.field(roleID), c.Person) != ""
	switch {
	case isRefused, !c.Seen, !hasData, request.isOperation():
		return isNoData
	case hasID, hasOther, c.Continued, c.At != nil:
		return mayBeData
	}

	return isData
}

// content is a set of what an object holds beside what says nothing.
type content uint8

const (
	holdsData   content = 1 << iota // something that the interface has of a person, or a list of objects
	holdsEmpty                      // something that the interface has of a person, with nothing in it
	holdsPerson                     // the person
	holdsOther                      // anything else
)

// parts returns what an object and the wrappers in it hold. An object that says nothing may describe a page.
func (c DataCall) parts(object *node) (has content) {
	for _, m := range object.members {
		isEmpty := jsonvalue.IsZero(m.Value) && m.is&rolePersonal != 0
		switch {
		case c.isPerson(m):
			has |= holdsPerson
		case isEmpty:
			has |= holdsEmpty
		case m.isSilent():
		case m.is&roleDescribes != 0:
			has |= holdsOther
		case m.isPersonal():
			has |= holdsData
		default:
			has |= cmp.Or(c.parts(m), holdsOther)
		}
	}

	return has
}

// isPerson reports whether a member is the person, or an object of nothing but the person.
func (c DataCall) isPerson(m *node) bool {
	if len(m.members) == 1 {
		m = m.members[0]
	}
	return PersonKey(m.text) == PersonKey(c.Person)
}

// isMarked reports whether the data are where At leads: something that is not an acknowledgement, which is an
// open request and nothing else. If the answer refuses, an empty value does not count.
func (c DataCall) isMarked(answer *node, isRefused bool) bool {
	if c.At == nil {
		return false
	}

	const ofRequest = roleID | rolePerson | roleType | roleCreated | roleStatus | roleMessage
	found := answer.find(*c.At)
	isOther := func(m *node) bool { return m.is&ofRequest == 0 }
	isOpen := found.request().says(roleStatus, Waiting)
	if isOpen && !slices.ContainsFunc(found.members, isOther) {
		return false
	}
	if isRefused {
		return !jsonvalue.IsZero(found.Value)
	}

	return found.Value != nil && found.Kind() != 'n'
}

// isDataRecord reports whether a value is an object that says nothing of a request.
func isDataRecord(n *node) bool {
	request := n.request()
	isRequest := request.isOperation() || request.says(roleError|roleFlag|roleStatus, Failed)
	return n.Kind() == '{' && !isRequest
}

// isSilent reports whether a member says nothing, nothing but yes, a time, or the links of HAL without a next page.
func (n *node) isSilent() bool {
	_, isInstant := n.instant(TimeUTC)
	switch {
	case jsonvalue.IsZero(n.Value):
		return true
	case n.key == "_links":
		return n.Kind() == '{' && n.find("/next").Value == nil
	case n.is&(roleFlag|roleStatus) != 0:
		return n.verdict() == Done
	}

	return isInstant && n.Kind() == '"'
}

// isPersonal reports whether a member is something that the interface has of a person, or a list of objects,
// in which no request is open.
func (n *node) isPersonal() bool {
	isPersonal := n.is&rolePersonal != 0
	if n.Kind() != '[' {
		return isPersonal && n.Kind() == '{'
	}

	isOpen := func(element *node) bool { return element.request().says(roleStatus, Waiting) }
	isComposite := func(element *node) bool { return strings.ContainsRune("{[", rune(element.Kind())) }
	mayBeData := isPersonal || slices.ContainsFunc(n.inside(), isComposite)

	return mayBeData && !slices.ContainsFunc(n.inside(), isOpen)
}

// Bounds of an abridged value.
const (
	abridgedLevels = 8
	abridgedParts  = 400      // of an object, whose names count too, or of an array
	abridgedText   = 200      // of a name or a text, in bytes
	abridgedSize   = 64 << 10 // beyond it, only what is at the top
)

// standIns replace the objects and arrays that are too deep.
var standIns = map[jsontext.Kind]jsontext.Value{'{': jsontext.Value(`{"…":{}}`), '[': jsontext.Value(`[{}]`)}

// Abridge reads one JSON value to the end of text, and returns what DataCall.Read needs of
// it, in constant memory: what is too deep, too long or too much is left out or cut. What is
// left out of an object or array still says something. It is for values too large for
// anything but data.
func Abridge(text io.Reader) (jsontext.Value, error) {
	var kept bytes.Buffer
	in, out := jsontext.NewDecoder(text), jsontext.NewEncoder(&kept, jsontext.AllowDuplicateNames(true))

	for isFirst := true; isFirst || in.StackDepth() > 0; isFirst = false {
		err := abridgeNext(in, out)
		if errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil {
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
	kind, depth := in.PeekKind(), in.StackDepth()
	_, parts := in.StackIndex(depth)
	isEnd := kind == '}' || kind == ']'

	isDeep := depth == abridgedLevels || out.OutputOffset() > abridgedSize
	standIn := standIns[kind]
	switch {
	case !isEnd && parts >= abridgedParts:
		return in.SkipValue()
	case isDeep && standIn != nil:
		return cmp.Or(in.SkipValue(), out.WriteValue(standIn))
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
