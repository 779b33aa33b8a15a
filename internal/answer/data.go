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
	if c.Member == "" && !c.Continued && isData(v) {
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

// isData reports whether a value is an object or an array of more than scalars, other than
// those that describe an answer or lead to a further page.
func isData(v jsontext.Value) bool {
	if v.Kind() == '[' {
		return slices.ContainsFunc(jsonvalue.Elements(v), func(e jsontext.Value) bool {
			r := openRequest(e, "")
			_, hasType := r.requestType().Get()

			return e.Kind() == '{' && !hasType && !r.isOpen() && !r.saysNo()
		})
	}

	o := Open(v)
	if slices.ContainsFunc(o.members, func(m member) bool { return m.isNamed(paging) && jsonvalue.Told(m.value) }) {
		return false
	}

	composites := slices.DeleteFunc(o.members, func(m member) bool {
		return m.value.Kind() != '{' && m.value.Kind() != '[' || m.isNamed(describing)
	})
	isFull := func(m member) bool { return jsonvalue.Told(m.value) }

	return slices.ContainsFunc(composites, isFull) || len(composites) > 1 // an empty wrapper alone is no data
}

// paging are members that lead to a further page.
const paging = "next nextpage nextlink nextcursor nexttoken nextpagetoken odatanextlink hasmore hasnext more istruncated"

// Skeleton reads one JSON value to the end of text, and returns what Read needs of it, in
// constant memory: the members at its top, or of the first element of an array, with
// stand-ins for what they hold. It is for values too large for anything but data, so that
// texts and numbers are left out.
func Skeleton(text io.Reader) (jsontext.Value, error) {
	decoder := jsontext.NewDecoder(text)
	v, err := skeleton(decoder)
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

// standIns are what stands for a member of a skeleton.
var standIns = map[jsontext.Kind]jsontext.Value{
	'{': jsontext.Value(`{"":{}}`), '[': jsontext.Value(`[{}]`), 't': jsontext.Value("true"), 'f': jsontext.Value("false"),
}

// skeleton returns the skeleton of the next value.
func skeleton(decoder *jsontext.Decoder) (jsontext.Value, error) {
	kind := decoder.PeekKind()
	if kind != '{' && kind != '[' {
		return jsontext.Value("null"), decoder.SkipValue()
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}

	members, first := map[string]jsontext.Value{}, jsontext.Value(nil)
	for next := decoder.PeekKind(); next != '}' && next != ']'; next = decoder.PeekKind() {
		var err error
		switch {
		case kind == '{':
			err = skeletonMember(decoder, members)
		case first == nil && next == '{':
			first, err = skeleton(decoder)
		default:
			err = decoder.SkipValue()
		}
		if err != nil {
			return nil, err
		}
	}

	_, err := decoder.ReadToken()
	if kind == '[' {
		return jsontext.Value("[" + string(first) + "]"), err
	}

	return jsontext.Value(jsonvalue.FormatObject(members)), err
}

// skeletonMember adds the stand-in of the next member.
func skeletonMember(decoder *jsontext.Decoder, members map[string]jsontext.Value) error {
	token, err := decoder.ReadToken()
	if err != nil {
		return err
	}

	const limit = 1000
	name := token.String()
	if v, held := standIns[decoder.PeekKind()]; held && len(members) < limit {
		members[name] = v
	}

	return decoder.SkipValue()
}
