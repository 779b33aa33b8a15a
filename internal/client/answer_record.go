package client

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// record is an object of an answer whose fields are read by name. The interface shows no
// answer's fields, so that unknown ones are ignored and missing ones are absent. A known
// field of another type, or spelled with other capitals, is an error and not a guess. The
// first error stays.
type record struct {
	path    string
	members map[string]jsontext.Value
	err     error
}

// newRecord returns the object v; without members where v is no object. path says where it
// is in the answer.
func newRecord(path string, v jsontext.Value) *record {
	return &record{path: path, members: jsonvalue.Members(v)}
}

// inner returns the object in a member.
func (r *record) inner(name string) *record {
	return newRecord(r.path+"."+name, r.members[name])
}

// findRecord descends through wrappers, up to two of them, until an object has one of the
// known fields. Without one it returns the innermost object, and false.
func findRecord(v jsontext.Value, known, wrappers []string) (*record, bool) {
	r := newRecord("$", v)
	for range 3 {
		if r.hasAny(known) {
			return r, true
		}

		name, ok := r.wrapper(wrappers)
		if !ok {
			return r, false
		}
		r = r.inner(name)
	}

	return r, r.hasAny(known)
}

// wrapper returns the first of the wrappers that is an object.
func (r *record) wrapper(wrappers []string) (name string, ok bool) {
	i := slices.IndexFunc(wrappers, func(name string) bool { return r.members[name].Kind() == '{' })
	if i < 0 {
		return "", false
	}
	return wrappers[i], true
}

// isEmpty reports whether the object has no members, or only wrappers that are null.
func (r *record) isEmpty(wrappers []string) bool {
	for name, v := range r.members {
		if v.Kind() != 'n' || !slices.Contains(wrappers, name) {
			return false
		}
	}
	return true
}

// hasAny reports whether the object has one of the fields, in any capitals.
func (r *record) hasAny(fields []string) bool {
	for name := range r.members {
		if slices.ContainsFunc(fields, func(field string) bool { return strings.EqualFold(field, name) }) {
			return true
		}
	}
	return false
}

// member returns a field, and whether the object has it. A name that differs only by its
// capitals is an error, because two readers would understand it differently.
func (r *record) member(name string) (jsontext.Value, bool) {
	for other := range r.members {
		if other != name && strings.EqualFold(other, name) {
			r.fail("%s.%s is spelled with other capitals", r.path, name)
		}
	}

	v, ok := r.members[name]
	return v, ok
}

// fail notes an error, unless there is one already.
func (r *record) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *record) boolean(name string) Optional[bool] {
	return readField(r, name, "a boolean", func(v jsontext.Value) (bool, bool) {
		return v.Kind() == 't', v.Kind() == 't' || v.Kind() == 'f'
	})
}

func (r *record) text(name string) Optional[string] {
	return readField(r, name, "a string", func(v jsontext.Value) (string, bool) {
		return jsonvalue.Text(v), v.Kind() == '"'
	})
}

func (r *record) instant(name string) Optional[time.Time] {
	return readField(r, name, "an RFC 3339 time or milliseconds since 1970", readInstant)
}

// readField returns a field of the object. expected says what read accepts, for the error
// about any other value.
func readField[T any](r *record, name, expected string, read func(jsontext.Value) (T, bool)) Optional[T] {
	v, ok := r.member(name)
	if !ok {
		return Optional[T]{}
	}
	if v.Kind() == 'n' {
		return Null[T]()
	}

	value, ok := read(v)
	if !ok {
		r.fail("%s.%s: expected %s, found %s", r.path, name, expected, jsonvalue.KindName(v.Kind()))
		return Optional[T]{}
	}

	return Some(value)
}
