package answer

import (
	"errors"
	"io"

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
// seen, the error is a *Problem for an answer that is neither the data nor a receipt.
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

	return Receipt{}, &Problem{
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
	for element := range jsonvalue.EachElement(v) {
		r := openRequest(element, "")
		_, hasType := r.requestType().Get()
		if element.Kind() == '{' && !r.isOpen() && !r.saysNo() && !hasType {
			return true
		}
	}

	composites, full := 0, false
	for _, m := range Open(v).members {
		if m.isNamed(paging) && jsonvalue.Told(m.value) {
			return false
		}
		if isComposite := m.value.Kind() == '{' || m.value.Kind() == '['; isComposite && !m.isNamed(describing) {
			composites++
			full = full || jsonvalue.Told(m.value)
		}
	}

	return full || composites > 1 // an empty wrapper is no data of a person without data
}

// paging are members that lead to a further page.
const paging = "next nextpage nextlink nextcursor nexttoken nextpagetoken odatanextlink hasmore hasnext more istruncated"

// Skeleton reads one JSON value to the end of text, and returns what Read needs of it, in
// constant memory: the members at its top, with stand-ins for what they hold. It is for
// values too large for anything but data, so that texts and numbers are left out.
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
		if err == nil {
			err = jsonvalue.ErrTrailing
		}
		return nil, err
	}

	return v, nil
}

func skeleton(decoder *jsontext.Decoder) (jsontext.Value, error) {
	switch decoder.PeekKind() {
	case '{':
		return skeletonOfObject(decoder)
	case '[':
		return skeletonOfArray(decoder)
	}
	return jsontext.Value("null"), decoder.SkipValue()
}

func skeletonOfObject(decoder *jsontext.Decoder) (jsontext.Value, error) {
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}

	members := map[string]jsontext.Value{}
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, err
		}

		key := name.String()
		if v, held := standIns[decoder.PeekKind()]; held && len(members) < 1000 {
			members[key] = v
		}
		if err := decoder.SkipValue(); err != nil {
			return nil, err
		}
	}

	_, err := decoder.ReadToken()

	return jsontext.Value(jsonvalue.FormatObject(members)), err
}

// standIns are what stands for a member of a large object.
var standIns = map[jsontext.Kind]jsontext.Value{
	'{': jsontext.Value(`{"":{}}`), '[': jsontext.Value(`[{}]`), 't': jsontext.Value("true"), 'f': jsontext.Value("false"),
}

func skeletonOfArray(decoder *jsontext.Decoder) (jsontext.Value, error) {
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}

	elements := jsontext.Value("[]")
	for first := true; decoder.PeekKind() != ']'; first = false {
		var err error
		if first && decoder.PeekKind() == '{' {
			var element jsontext.Value
			element, err = skeletonOfObject(decoder)
			elements = jsontext.Value("[" + string(element) + "]")
		} else {
			err = decoder.SkipValue()
		}
		if err != nil {
			return nil, err
		}
	}

	_, err := decoder.ReadToken()

	return elements, err
}
