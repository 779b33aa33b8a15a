package tfkit

import (
	"crypto/sha256"
	"strconv"
	"sync"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Written records which people the objects of one run manage, write and withdraw.
// Terraform creates objects before, while and after it destroys others, and passes nothing
// from one to the next. Without a record, a renamed object would withdraw what its
// successor has written.
//
// The zero value is ready to use, and safe for concurrent use. A person takes 40 to 70
// bytes, regardless of the length of the identity.
type Written struct {
	mu      sync.Mutex
	objects []string       // labels by number
	named   map[string]int // numbers of objects that have a name
	people  map[personKey]traces
}

// personKey is a digest of a person in a scope: a run may concern millions of people.
type personKey [16]byte

// A role is what an object does about a person in a run.
type role int

const (
	manages role = iota
	writes
	withdraws
	roles // how many there are
)

// traces are the numbers of the objects in each role for a person; zero is none.
type traces [roles]int32

// Object identifies one object of the configuration within a run.
type Object struct {
	number int32
	label  string
}

// String returns the type of the object, and its name if it has one.
func (o Object) String() string { return o.label }

// Object returns an object of a resource type. A name distinguishes objects of one type and
// must hold nothing personal: objects of the same type and name are the same. Without a
// name, every call returns another object, because Terraform does not tell a provider the
// address, and refreshes or applies an object once in a run.
func (w *Written) Object(resourceType, name string) Object {
	w.mu.Lock()
	defer w.mu.Unlock()

	label := resourceType
	if name != "" {
		label += " with " + name
		if number, known := w.named[label]; known {
			return Object{int32(number), label} //nolint:gosec // objects of a run
		}
	}

	if len(w.objects) == 0 {
		w.objects = []string{""}
		w.named = map[string]int{}
		w.people = map[personKey]traces{}
	}
	w.objects = append(w.objects, label)
	number := len(w.objects) - 1
	if name != "" {
		w.named[label] = number
	}

	return Object{int32(number), label} //nolint:gosec // objects of a run
}

// Manage records that an object is about a person, as a refresh or a plan sees it. If
// another object of this run is about the same person, it returns that one instead.
func (w *Written) Manage(by Object, scope client.Scope, identity string) (other Object, shared bool) {
	return w.record(by, manages, keyOf(scope, identity))
}

// Write records that an object writes a person in this run. If another object has written
// the same person, it returns that one instead. It must be called before anything is sent,
// also if nothing turns out to be sent.
func (w *Written) Write(by Object, scope client.Scope, identity string) (other Object, shared bool) {
	return w.record(by, writes, keyOf(scope, identity))
}

// record records the first object that acts in a role, and returns that one to every other
// object that asks for the same role.
func (w *Written) record(by Object, as role, person personKey) (other Object, taken bool) {
	w.mu.Lock()
	defer w.mu.Unlock()

	t := w.people[person]
	if t[as] != 0 && t[as] != by.number {
		return w.object(t[as]), true
	}

	t[as] = by.number
	w.people[person] = t

	return Object{}, false
}

// Withdraw records that an object withdraws the consent of a person in this run. If another
// object writes the person, it returns that one instead, and nothing may be sent. It must be
// called from client.ConsentUpdate.Superseded, while the person is locked.
func (w *Written) Withdraw(by Object, scope client.Scope, identity string) (other Object, superseded bool) {
	w.mu.Lock()
	defer w.mu.Unlock()

	person := keyOf(scope, identity)
	t := w.people[person]

	superseded = t[writes] != 0 && t[writes] != by.number
	if !superseded {
		t[withdraws] = by.number
		w.people[person] = t

		return Object{}, false
	}

	// An earlier call allowed the withdrawal, and this one stops it before it is sent.
	if t[withdraws] == by.number {
		t[withdraws] = 0
		w.people[person] = t
	}

	return w.object(t[writes]), true
}

// Withdrawn reports whether an object of this run has withdrawn the consent of a person. If
// so, five clauses that are false are not the person's choice.
func (w *Written) Withdrawn(scope client.Scope, identity string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()

	return w.people[keyOf(scope, identity)][withdraws] != 0
}

func (w *Written) object(number int32) Object { return Object{number, w.objects[number]} }

func keyOf(scope client.Scope, identity string) (key personKey) {
	h := sha256.New()
	for _, part := range []string{scope.OrgID, scope.ProjectID, scope.AccountID, identity} {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}

	copy(key[:], h.Sum(nil))
	return key
}
