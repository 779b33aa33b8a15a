// SPDX-License-Identifier: MPL-2.0

package answer

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
	Person   string
	Envelope Envelope
	// At is wire.all_data.at: an answer is the data exactly if something is there. If nil, the
	// data are recognised.
	At *jsontext.Pointer
	// Seen reports that the person's own request was in the pending list and has left it.
	Seen bool
	// Since is when the request was sent, by the service's clock; zero if that is not known.
	// Data that are older are not of the request.
	Since time.Time
	// Continued reports that a header says that there is more.
	Continued bool
}

// Read returns the receipt that an answer to the call is; Delivered where it is the data.
// Without wire.all_data.at, the first answer is never the data. Once the request was
// seen, the error is a *Error for an answer that is neither the data nor a receipt.
func (c DataCall) Read(status int, v jsontext.Value) (Receipt, error) {
	const ok = 200
	receipt, err := c.receipt(status, v)
	if status != ok || c.Envelope.Result.Says(v) != nil {
		return receipt, err
	}
	if c.namesAnother(v) {
		return Receipt{}, &Error{Why: "the answer is about somebody else: its identityId is not the person that was asked for"}
	}

	if marked := c.marked(v); !isNull(marked) && (err == nil || jsonvalue.Told(marked)) {
		return Receipt{At: receipt.At, Delivered: true}, nil
	}
	if err != nil || !c.Seen {
		return receipt, err
	}

	if c.At == nil && !c.Continued && c.isData(v) {
		return Receipt{At: receipt.At, Delivered: true}, nil
	}

	if receipt.NotUnderstood == "" && !c.mayBeData(v) {
		return receipt, nil
	}

	return Receipt{}, &Error{
		Why:    "the answer is not recognised as the person's data; it is " + Structure(v),
		Advice: Admits("wire.all_data.at, a pointer to the data,"),
	}
}

// receipt returns the receipt that an answer is. A word of success stands beside the data too.
func (c DataCall) receipt(status int, v jsontext.Value) (Receipt, error) {
	around := c.Envelope
	if c.Seen {
		around.Result = Result{}
	}
	return around.ReadReceipt(status, v, c.Person)
}

// mayBeData reports whether a receipt may be the data of somebody with its ID: nothing but an ID shows
// that it is a receipt, and data stands beside.
func (c DataCall) mayBeData(v jsontext.Value) bool {
	if r := openRequest(v); r.requestType() != "" || r.isOpen() {
		return false
	}

	for range wrappers {
		isPersonal, _, objects := c.parts(v)
		if isPersonal || len(objects) != 1 {
			return isPersonal
		}
		v = objects[0]
	}

	return false
}

// wrappers is how many wrappers around data are opened.
const wrappers = 4

// marked returns what is at the place that marks the data; nil if there is nothing, or an
// acknowledgement: an open request, and nothing else.
func (c DataCall) marked(v jsontext.Value) jsontext.Value {
	if c.At == nil {
		return nil
	}

	found := At(v, *c.At)
	o := Open(found)
	isOther := func(m member) bool {
		return !m.isNamed(idFields + " " + personFields + " " + typeFields + " " + createdFields + " " + statusFields + " message")
	}
	if slices.ContainsFunc(o.members, isOther) || !openRequest(found).isOpen() {
		return found
	}

	return nil
}

// namesAnother reports whether an answer names somebody else in the field identityId, at its top or in
// the objects at its top.
func (c DataCall) namesAnother(v jsontext.Value) bool {
	top := Open(v)
	for _, o := range append(top.objects(""), top) {
		named := scalar(o.field("identityid"))
		if named != "" && PersonKey(named) != PersonKey(c.Person) {
			return true
		}
	}
	return false
}

// isData reports whether a value is the person's data: an array of objects that are no
// requests; or an object of nothing but the person, lists of objects and what the interface
// has of a person, possibly in wrappers. An object of another name beside a list may
// describe a page, and one without a list an acknowledgement.
func (c DataCall) isData(v jsontext.Value) bool {
	if v.Kind() == '[' {
		return slices.ContainsFunc(jsonvalue.Elements(v), func(e jsontext.Value) bool {
			r := openRequest(e)
			return e.Kind() == '{' && r.requestType() == "" && !r.isOpen() && !r.saysNo()
		})
	}

	if openRequest(v).isRequest(c.Person) {
		return false
	}

	for range wrappers {
		isPersonal, others, objects := c.parts(v)
		if isPersonal || others || len(objects) != 1 {
			return isPersonal && !others && len(objects) == 0
		}
		v = objects[0]
	}

	return false
}

// ofPerson are what the interface has of a person (sections 1 and 2).
const ofPerson = "identity user users person persons people profile profiles consent consents session sessions event events"

// parts returns what an object consists of. isPersonal: it has a list of objects, or
// something that the interface has of a person, which may be empty where the object names the
// person too. others: it has something else that may say anything but the person, a time and
// success. objects are the other objects in it.
func (c DataCall) parts(object jsontext.Value) (isPersonal, others bool, objects []jsontext.Value) {
	isNamed, isEmpty := false, false
	for _, m := range Open(object).members {
		switch {
		case c.isPerson(m.value):
			isNamed = true
		case m.saysYes() || isInstant(m.value):
		case !jsonvalue.Told(m.value):
			isEmpty = isEmpty || m.isNamed(ofPerson)
		case m.isNamed(describing) || isQueue(m.value):
			others = true
		case isComposite(m.value) && m.isNamed(ofPerson):
			isPersonal = true
		case m.value.Kind() == '{':
			objects = append(objects, m.value)
		case slices.ContainsFunc(jsonvalue.Elements(m.value), isComposite):
			isPersonal = true
		default:
			others = true
		}
	}
	if isNamed && isEmpty {
		isPersonal = true
	}

	return isPersonal, others, objects
}

// isQueue reports whether a value is a list in which a request stands that is open.
func isQueue(v jsontext.Value) bool {
	return slices.ContainsFunc(jsonvalue.Elements(v), func(e jsontext.Value) bool { return openRequest(e).isOpen() })
}

// isInstant reports whether a value is a time, such as that at which an answer was made.
func isInstant(v jsontext.Value) bool {
	_, ok := instant(v)
	return ok && v.Kind() == '"'
}

// isComposite reports whether a value is an object or an array.
func isComposite(v jsontext.Value) bool { return v.Kind() == '{' || v.Kind() == '[' }

// isPerson reports whether a value is the identifier of the person, or an object of nothing
// else.
func (c DataCall) isPerson(v jsontext.Value) bool {
	if inside := Open(v).onlyMember().value; inside != nil {
		v = inside
	}
	return PersonKey(scalar(v)) == PersonKey(c.Person)
}

// Bounds of a skeleton.
const (
	skeletonLevels = 8
	skeletonParts  = 400      // of an object, whose names count too, or of an array
	skeletonText   = 200      // of a name or a text, in bytes
	skeletonSize   = 64 << 10 // beyond it, only what is at the top
)

// Skeleton reads one JSON value to the end of text, and returns what DataCall.Read needs of
// it, in constant memory: what is too deep, too long or too much is left out or cut. What is
// left out of an object or array still says something. It is for values too large for
// anything but data.
func Skeleton(text io.Reader) (jsontext.Value, error) {
	var kept bytes.Buffer
	var err error
	in, out := jsontext.NewDecoder(text), jsontext.NewEncoder(&kept, jsontext.AllowDuplicateNames(true))

	for {
		kind, depth := in.PeekKind(), in.StackDepth()
		_, parts := in.StackIndex(depth)
		isEnd := kind == '}' || kind == ']'
		isDeep := depth == skeletonLevels || out.OutputOffset() > skeletonSize

		switch standIn := skeletonOf[kind]; {
		case !isEnd && parts >= skeletonParts:
			err = in.SkipValue()
		case isDeep && standIn != nil:
			err = cmp.Or(in.SkipValue(), out.WriteValue(standIn))
		default:
			var token jsontext.Token
			if token, err = in.ReadToken(); err != nil {
				break
			}
			if len(token.String()) > skeletonText {
				token = jsontext.String("…")
			}
			err = out.WriteToken(token)
		}

		if err != nil || in.StackDepth() == 0 {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}

	if _, err := in.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, cmp.Or(err, jsonvalue.ErrTrailing)
	}

	return bytes.TrimSpace(kept.Bytes()), nil
}

// skeletonOf are the objects and arrays that stand in for those that are too deep.
var skeletonOf = map[jsontext.Kind]jsontext.Value{'{': jsontext.Value(`{"…":{}}`), '[': jsontext.Value(`[{}]`)}
