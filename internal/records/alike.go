// SPDX-License-Identifier: MPL-2.0

package records

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// commonNames bounds how many names records are compared by.
const commonNames = 100

// isAlike reports whether an object in a container that is named by a kind is a record of
// that kind: it has more than half of the members that the records before it have in
// common, or more than half of its own members are among them.
//
// The interface names no member of a record (section 2), so that a single object is
// recognised by its container alone. Of several, the error, page or job that a service
// adds to them shows by having other members than they have, whatever those are called.
// Where one of two objects is no record, the second is refused, whichever that is. Records
// that differ more than that have a member that wire.export_record_member can name.
func (x *reader) isAlike(record jsontext.Value, kind Kind) bool {
	common := x.common[kind]
	if common == nil {
		return true // there is nothing to compare it with
	}

	members, shared := 0, 0
	for name := range jsonvalue.EachMember(record) {
		members++
		if slices.Contains(common, string(name)) {
			shared++
		}
		if 2*shared > len(common) {
			return true
		}
	}
	if 2*shared <= members {
		return false
	}

	// A record of few members shows that the others are optional.
	x.common[kind] = slices.DeleteFunc(common, func(name string) bool { return !hasMember(record, name) })

	return true
}

// unlike refuses an object that is not like the records of its kind before it.
func (x *reader) unlike(object jsontext.Value, kind Kind) *RefusalError {
	if x.isAlike(object, kind) {
		return nil
	}

	names := fieldNames(object)
	detail := "has too little in common with the " + kind.String() + " records before it" + described(names)
	shared := slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(x.common[kind], name) })

	return &RefusalError{Reason: ErrNoRecord, Detail: detail, Members: shared}
}

// noteMembers notes the members of the first record of a kind.
func (x *reader) noteMembers(record jsontext.Value, kind Kind) {
	if x.common[kind] != nil {
		return
	}

	for name := range jsonvalue.EachMember(record) {
		if len(x.common[kind]) == commonNames {
			break
		}
		x.common[kind] = append(x.common[kind], string(name))
	}
}

// hasMember reports whether an object has a member of this name.
func hasMember(object jsontext.Value, want string) bool {
	for name := range jsonvalue.EachMember(object) {
		if string(name) == want {
			return true
		}
	}
	return false
}
