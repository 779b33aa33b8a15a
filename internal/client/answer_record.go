package client

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// record is an object of an answer whose fields are read by name. The interface
// shows no answer's fields, so unknown ones are ignored and missing ones are
// absent; a known field with another type, or spelled with other capitals, is an
// error rather than a guess. The first error stays.
type record struct {
	path    string
	members map[string]jsontext.Value
	err     error
}

// findRecord descends through wrappers until an object has one of the known
// fields. Without one it returns the innermost object, and false.
func findRecord(v jsontext.Value, known, wrappers []string) (*record, bool) {
	r := &record{path: "$", members: jsonvalue.Members(v)}
	for range 3 {
		if r.hasAny(known) {
			return r, true
		}
		name, ok := r.onlyObject(wrappers)
		if !ok {
			break
		}
		r = &record{path: r.path + "." + name, members: jsonvalue.Members(r.members[name])}
	}
	return r, r.hasAny(known)
}

// isEmpty reports an object without members, or with wrappers around nothing only.
func (r *record) isEmpty(wrappers []string) bool {
	for name, v := range r.members {
		if v.Kind() != 'n' || !slices.Contains(wrappers, name) {
			return false
		}
	}
	return true
}

func (r *record) hasAny(known []string) bool {
	for name := range r.members {
		if slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) {
			return true
		}
	}
	return false
}

func (r *record) onlyObject(wrappers []string) (string, bool) {
	for _, name := range wrappers {
		if r.members[name].Kind() == '{' {
			return name, true
		}
	}
	return "", false
}

// member finds a known field; a name that differs by its capitals only is refused,
// because two readers would understand it differently.
func (r *record) member(name string) (jsontext.Value, bool) {
	v, ok := r.members[name]
	for other := range r.members {
		if other != name && strings.EqualFold(other, name) {
			r.fail("%s.%s is spelled with other capitals", r.path, name)
		}
	}
	return v, ok
}

func (r *record) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *record) boolean(name string) Optional[bool] {
	v, ok := r.member(name)
	switch {
	case !ok:
		return Optional[bool]{}
	case v.Kind() == 'n':
		return Null[bool]()
	case v.Kind() == 't' || v.Kind() == 'f':
		return Some(v.Kind() == 't')
	}
	r.mismatch(name, "a boolean", v)
	return Optional[bool]{}
}

func (r *record) text(name string) Optional[string] {
	v, ok := r.member(name)
	switch {
	case !ok:
		return Optional[string]{}
	case v.Kind() == 'n':
		return Null[string]()
	case v.Kind() == '"':
		return Some(jsonvalue.Text(v))
	}
	r.mismatch(name, "a string", v)
	return Optional[string]{}
}

func (r *record) instant(name string) Optional[time.Time] {
	v, ok := r.member(name)
	switch {
	case !ok:
		return Optional[time.Time]{}
	case v.Kind() == 'n':
		return Null[time.Time]()
	}
	if t, ok := readInstant(v); ok {
		return Some(t)
	}
	r.mismatch(name, "an RFC 3339 time or milliseconds since 1970", v)
	return Optional[time.Time]{}
}

func (r *record) mismatch(name, expected string, v jsontext.Value) {
	r.fail("%s.%s: expected %s, found %s", r.path, name, expected, jsonvalue.KindName(v.Kind()))
}
