// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// DataCall is a call that may answer with all data of a person.
type DataCall struct {
	Person string
	// Member is the value of wire.all_data_member.
	Member string
	// Seen reports that the person's own request was in the pending list and has left it.
	Seen bool
	// Continued reports that the answer links to a further page.
	Continued bool
}

// Read returns the receipt that an answer to the call is; Delivered where it is the data.
// Without wire.all_data_member, the first answer is never the data. Once the request was
// seen, the error is a *Error for an answer that is neither the data nor a receipt.
func (c DataCall) Read(status int, v jsontext.Value) (Receipt, error) {
	const ok = 200
	receipt, err := ReadReceipt(status, v, c.Person)
	if status != ok {
		return receipt, err
	}

	marked, isMarked := c.marked(v)
	if isMarked && (err == nil || jsonvalue.Told(marked)) {
		receipt.Delivered, receipt.ID, receipt.NotUnderstood = true, "", ""
		return receipt, nil
	}
	if err != nil || receipt.NotUnderstood == "" || !c.Seen {
		return receipt, err
	}
	if c.Member == "" && !c.Continued && c.isData(v) {
		receipt.Delivered, receipt.NotUnderstood = true, ""
		return receipt, nil
	}

	return Receipt{}, &Error{
		Why:     "the answer is not recognised as the person's data; it is " + receipt.NotUnderstood,
		Setting: "wire.all_data_member, the name of a member that the data has at its top,",
	}
}

// marked returns the member that wire.all_data_member names, at the top of an object or in
// the first element of an array.
func (c DataCall) marked(v jsontext.Value) (jsontext.Value, bool) {
	for element := range jsonvalue.EachElement(v) {
		v = element
		break
	}
	inside, has := jsonvalue.Members(v)[c.Member]

	return inside, has && c.Member != ""
}

// isData reports whether a value is the person's data: an object that consists of objects
// and arrays, beside nothing but the person; or an array of objects that are no requests.
// The only member of an object may be the data in a wrapper, or a page of it: beside its
// lists may stand no more than beside the whole.
func (c DataCall) isData(v jsontext.Value) bool {
	if v.Kind() == '[' {
		return slices.ContainsFunc(jsonvalue.Elements(v), func(e jsontext.Value) bool {
			r := openRequest(e, "")
			_, hasType := r.requestType().Get()

			return e.Kind() == '{' && !hasType && !r.isOpen() && !r.saysNo()
		})
	}

	parts := c.parts(v)
	if parts.others || len(parts.composites) == 0 {
		return false
	}

	for len(parts.composites) == 1 {
		inside := parts.composites[0]
		if !jsonvalue.Told(inside) {
			return false // an empty wrapper is no data
		}
		if inside.Kind() == '[' {
			return !parts.others
		}
		parts = c.parts(inside)
	}

	isList := func(v jsontext.Value) bool { return v.Kind() == '[' }

	return !parts.others || !slices.ContainsFunc(parts.composites, isList)
}

// dataParts are what an object consists of.
type dataParts struct {
	composites []jsontext.Value // objects and arrays, other than those that describe the answer
	others     bool             // something else says anything, and does not name the person
}

func (c DataCall) parts(object jsontext.Value) dataParts {
	var parts dataParts
	for _, m := range Open(object).members {
		isComposite := m.value.Kind() == '{' || m.value.Kind() == '['
		switch {
		case isComposite && !m.isNamed(describing):
			parts.composites = append(parts.composites, m.value)
		case jsonvalue.Told(m.value) && PersonKey(scalar(m.value)) != PersonKey(c.Person):
			parts.others = true
		}
	}

	return parts
}

// Skeleton reads one JSON value to the end of text, and returns what Read needs of it, in
// constant memory: the upper levels of its objects, the first object of its arrays, and what
// names the person. It is for values too large for anything but data: other texts and
// numbers become true, and what is empty is left out.
func (c DataCall) Skeleton(text io.Reader) (jsontext.Value, error) {
	const levels = 4
	decoder := jsontext.NewDecoder(text)
	v, err := c.skeleton(decoder, levels)
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}

	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, cmp.Or(err, jsonvalue.ErrTrailing)
	}

	return v, nil
}

// skeleton returns the skeleton of the next value; null where it has none.
func (c DataCall) skeleton(decoder *jsontext.Decoder, levels int) (jsontext.Value, error) {
	kind := decoder.PeekKind()
	if kind != '{' && kind != '[' {
		v, err := decoder.ReadValue()
		return c.standIn(v), err
	}
	if levels == 0 {
		return jsontext.Value(`[{}]`), decoder.SkipValue()
	}

	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	inside := c.skeletonOfArray
	if kind == '{' {
		inside = c.skeletonOfObject
	}

	v, err := inside(decoder, levels-1)
	if err != nil {
		return nil, err
	}

	_, err = decoder.ReadToken()

	return v, err
}

func (c DataCall) skeletonOfObject(decoder *jsontext.Decoder, levels int) (jsontext.Value, error) {
	const limit = 100
	members := map[string]jsontext.Value{}
	for decoder.PeekKind() == '"' {
		token, err := decoder.ReadToken()
		if err != nil {
			return nil, err
		}

		name := token.String()
		v, err := c.skeleton(decoder, levels)
		if err != nil {
			return nil, err
		}
		if v.Kind() != 'n' && len(members) < limit {
			members[name] = v
		}
	}

	return jsontext.Value(jsonvalue.FormatObject(members)), nil
}

// skeletonOfArray returns an array of the first object, or else of true, which stands for
// any element.
func (c DataCall) skeletonOfArray(decoder *jsontext.Decoder, levels int) (jsontext.Value, error) {
	first := ""
	for kind := decoder.PeekKind(); kind != ']' && kind != 0; kind = decoder.PeekKind() {
		if kind != '{' || first != "" && first != "true" {
			first = cmp.Or(first, "true")
			if err := decoder.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}

		v, err := c.skeleton(decoder, levels)
		if err != nil {
			return nil, err
		}
		first = string(v)
	}

	return jsontext.Value("[" + first + "]"), nil
}

// standIn returns what stands for a scalar in a skeleton.
func (c DataCall) standIn(v jsontext.Value) jsontext.Value {
	switch {
	case v.Kind() == 't' || v.Kind() == 'f' || PersonKey(scalar(v)) == PersonKey(c.Person):
		return v.Clone()
	case jsonvalue.Told(v):
		return jsontext.Value("true")
	}
	return jsontext.Value("null")
}
