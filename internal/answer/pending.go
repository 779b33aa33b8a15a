// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// PendingRecord is one entry of the pending list. What is not recognised is absent, and
// only in JSON.
type PendingRecord struct {
	ID          Optional[string]
	Identity    Optional[string]
	RequestType Optional[string] // one of RequestTypes
	CreatedAt   Optional[time.Time]
	Status      Optional[string]
	// Progress is what all statuses, errors and flags of the record say; Unclear where they
	// disagree, which Disagrees reports, or are not known.
	Progress  Progress
	Disagrees bool
	Code      string // of a failure
	JSON      []byte // the complete record
}

// Is reports whether the record is of one of the request types.
func (r PendingRecord) Is(requestTypes ...string) bool {
	requestType, known := r.RequestType.Get()
	return known && slices.Contains(requestTypes, requestType)
}

// PendingList is the pending list as far as it was recognised.
type PendingList struct {
	// Records are in the order of their time, then id, then text, whatever the order of
	// the service.
	Records []PendingRecord
	// Gap says why the list is not whole, and which setting admits it; empty where it is
	// whole. It never holds a value of the list.
	Gap string
	// Cached reports that a cache has kept the answer for some time, and Date is when the
	// service made it; zero if it does not say so.
	Cached bool
	Date   time.Time
}

// ListCall is a call that answers with the pending list, and the settings for it.
type ListCall struct {
	IdentityField  string   // the last name of wire.pending.identity
	IgnoredMembers []string // the last names of wire.ignored
	EndedStatuses  []string // wire.pending.statuses, ended
	// Continued reports that a header says that there is more. The interface names no
	// pages (section 8), so that there is no way to ask for them.
	Continued bool
}

// Read returns the list of an answer: an array of objects, at the top or in one container.
// It is whole where nothing stands beside it but nulls, counts that agree with it, and what
// wire.ignored names. The error of an answer without a list is a *Error.
func (c ListCall) Read(v jsontext.Value) (PendingList, error) {
	top := Open(v)
	top.members = slices.DeleteFunc(top.members, c.ignores) // they say nothing, not even no
	if top.saysNo(outcomes) {
		return PendingList{}, refused()
	}

	found, beside, problem := c.find(v, 0)
	if problem != nil {
		return PendingList{}, problem
	}

	elements := jsonvalue.Elements(found)
	isCount := func(m member) bool {
		_, ofAll := Counted(m.name)
		return ofAll && string(m.value) == strconv.Itoa(len(elements))
	}
	beside = slices.DeleteFunc(beside, isCount)

	list := PendingList{}
	if c.Continued {
		list.Gap = Partial("a Link or Content-Range header says that there is more")
	} else if len(beside) > 0 {
		list.Gap = Beside("beside its list it has ", names(beside)).Error()
	}

	for _, element := range elements {
		if element.Kind() != '{' {
			list.Gap = Partial("it holds an entry that is no object")
			continue
		}
		list.Records = append(list.Records, c.record(element))
	}
	list.Sort()

	return list, nil
}

// Sort puts the records in their order.
func (l PendingList) Sort() {
	slices.SortFunc(l.Records, func(a, b PendingRecord) int {
		return cmp.Or(a.CreatedAt.value.Compare(b.CreatedAt.value), cmp.Compare(a.ID.value, b.ID.value), bytes.Compare(a.JSON, b.JSON))
	})
}

// Partial returns the gap of a list that only its user can declare to be whole.
func Partial(why string) string {
	return (&Error{Why: why, Advice: Admits(`wire.pending.use = "partial"`)}).Error()
}

// ignores reports whether wire.ignored names a member.
func (c ListCall) ignores(m member) bool {
	return slices.ContainsFunc(c.IgnoredMembers, func(entry string) bool {
		name, only, _ := strings.Cut(entry, "=")
		return sameWord(name, m.name) && (only == "" || only == string(m.value) || only == jsonvalue.Text(m.value))
	})
}

// containerLevels is how deep the list may be in containers.
const containerLevels = 3

// find returns the array of an answer and the members beside it: the only array at the top
// or in the first object that holds one.
func (c ListCall) find(v jsontext.Value, depth int) (list jsontext.Value, beside []member, _ *Error) {
	if v.Kind() == '[' {
		return v, nil, nil
	}

	isLeft := func(m member) bool { return c.ignores(m) || isNull(m.value) }
	isOther := func(m member) bool { return m.value.Kind() != '[' }
	members := slices.DeleteFunc(Open(v).members, isLeft)
	arrays := slices.DeleteFunc(slices.Clone(members), isOther)
	if len(arrays) > 1 {
		return nil, nil, &Error{
			Why:    "the answer holds more than one array, " + Shown(names(arrays)) + ", and which of them is the list of pending requests is not known",
			Advice: Admits("wire.ignored with the names of the others"),
		}
	}

	for i, m := range members {
		if isOther(m) && (len(arrays) == 1 || m.value.Kind() != '{' || depth == containerLevels) {
			continue
		}
		if list, beside, _ := c.find(m.value, depth+1); list != nil {
			return list, append(beside, slices.Delete(members, i, i+1)...), nil
		}
	}

	return nil, nil, &Error{
		Why:    "no list of pending requests was recognised in the answer",
		Advice: Admits(`wire.pending.use = "ignored"`),
	}
}

// names returns the names of members as the service spells them.
func names(members []member) []string {
	var list []string
	for _, m := range members {
		list = append(list, m.name)
	}
	return list
}

// record returns the fields of a record, at its top or below wrappers.
func (c ListCall) record(v jsontext.Value) PendingRecord {
	r := openRequest(v, c.IdentityField)
	status, person := scalar(r.field(statusFields)), identifier(r.field(r.person))

	failure := r.field("error")
	code := cmp.Or(scalar(r.field(codeFields)), scalar(failure))
	if inside := Open(failure); failure.Kind() == '{' {
		code = cmp.Or(scalar(inside.field(codeFields)), scalar(inside.field("message")))
	}

	progress, disagrees := c.progress(r)

	return PendingRecord{
		ID:          optionalText(r.id(person)),
		Identity:    optionalText(person),
		RequestType: optionalText(r.requestType()),
		CreatedAt:   r.createdAt(),
		Status:      optionalText(status),
		Progress:    progress,
		Disagrees:   disagrees,
		Code:        code,
		JSON:        v,
	}
}

// progress returns what a record says of its request, on all levels: by each status, and by errors
// and flags, which can only say that it failed. An end of a request that says nothing else, or that
// is pending, is Unclear.
func (c ListCall) progress(r request) (progress Progress, disagrees bool) {
	var said []Progress
	for _, o := range r.levels {
		for _, m := range o.members {
			if status := scalar(m.value); m.isNamed(statusFields) && status != "" {
				said = append(said, c.meaning(status))
			}
		}
		if o.saysNo(flags) {
			said = append(said, Failed)
		}
	}

	hasEnd := r.field(endFields) != nil
	said = slices.Compact(slices.Sorted(slices.Values(said)))
	switch {
	case len(said) > 1:
		return Unclear, true
	case len(said) == 1 && said[0] != Waiting:
		return said[0], false
	case hasEnd:
		return Unclear, len(said) == 1
	}

	return Waiting, false
}

// meaning returns what a status means by the settings, or else by itself.
func (c ListCall) meaning(status string) Progress {
	if slices.ContainsFunc(c.EndedStatuses, func(ended string) bool { return sameWord(ended, status) }) {
		return Ended
	}
	return progressOf(status)
}

// PersonKeys returns the PersonKey of every text and number in the record, other than words for its
// type and status.
func (r PendingRecord) PersonKeys() []string { return personKeys(nil, r.JSON) }

func personKeys(keys []string, v jsontext.Value) []string {
	if text := scalar(v); text != "" {
		keys = append(keys, PersonKey(text))
	}
	for _, element := range jsonvalue.Elements(v) {
		keys = personKeys(keys, element)
	}
	for _, m := range Open(v).members {
		if !m.isNamed(typeFields + " " + statusFields) {
			keys = personKeys(keys, m.value)
		}
	}

	return keys
}
