// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Written is what a plan does about people: about their profiles, or the deletion of their data.
// It is of one run, which is one process of the provider, as in Consents.
//
// The zero value is ready to use, and safe for concurrent use.
type Written struct {
	mu     sync.Mutex
	people map[[16]byte]plans // by a digest of the person: a run may concern millions of people
}

// A role is what an object does about a person.
type role int

const (
	keeps   role = iota // looks after the person
	relies              // takes what was done about the person for done, by the plan
	opposes             // undoes that, or does it again, by the plan
	roles               // how many there are
)

// plans are the first objects in each role.
type plans [roles]*Object

// Object identifies one object of the configuration.
type Object struct {
	number uint32
	label  string
}

// String returns what messages call the object.
func (o *Object) String() string { return o.label }

// NewObject returns an object that differs from every other one. The label is its type,
// and what else distinguishes it for a reader. It holds nothing personal.
func NewObject(label string) *Object { return &Object{rand.Uint32(), label} } //nolint:gosec // needs no secrecy

// KeyObject is the key in private state that ObjectIn stores an object's number under. Only a state
// that was written by hand lacks it.
const KeyObject = "object"

// ObjectIn returns the object that private state belongs to. Its number is stored there the
// first time, which is its creation or import: Terraform does not tell a provider the address
// of an object.
func ObjectIn(ctx context.Context, private Private, label string) *Object {
	stored, _ := private.GetKey(ctx, KeyObject)
	if number, err := strconv.ParseUint(string(stored), 10, 32); err == nil {
		return &Object{uint32(number), label}
	}

	o := NewObject(label)
	private.SetKey(ctx, KeyObject, strconv.AppendUint(nil, uint64(o.number), 10)) // a number is always accepted

	return o
}

// unless returns the object if it is another one than by, which may be nil.
func (o *Object) unless(by *Object) (other *Object) {
	if o == nil {
		return nil
	}
	if by != nil && by.number == o.number {
		return nil
	}

	return o
}

// Keep records that an object looks after a person, whether or not anything is sent. If
// another object of this run does, it returns that one instead.
func (w *Written) Keep(by *Object, p client.Person) (other *Object, shared bool) {
	return w.record(by, keeps, keeps, keyOf(p))
}

// Keeper returns the object that looks after a person, if it is another one than by.
func (w *Written) Keeper(by *Object, p client.Person) (other *Object, is bool) {
	w.mu.Lock()
	defer w.mu.Unlock()

	other = w.people[keyOf(p)][keeps].unless(by)

	return other, other != nil
}

// PlanDone records that an object takes what was done about a person for done: it has nothing
// to write in the apply of a plan, or stands for a request that was sent. If the plan opposes
// that for another object, it returns that one.
func (w *Written) PlanDone(by *Object, p client.Person) (opposing *Object, conflict bool) {
	return w.record(by, relies, opposes, keyOf(p))
}

// PlanAgainst records that a plan undoes what was done about a person, because it destroys an
// object which withdraws the person, or does it again, because it creates an object which
// sends a request. If another object takes it for done, it returns that one.
func (w *Written) PlanAgainst(by *Object, p client.Person) (relying *Object, conflict bool) {
	return w.record(by, opposes, relies, keyOf(p))
}

// Carried forgets what was planned about a person, because it has been carried out.
func (w *Written) Carried(p client.Person) {
	w.mu.Lock()
	defer w.mu.Unlock()

	delete(w.people, keyOf(p))
}

// record records the first object in a role, and returns another one whose role opposes it.
func (w *Written) record(by *Object, as, opposing role, person [16]byte) (other *Object, opposed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()

	if w.people == nil {
		w.people = map[[16]byte]plans{}
	}

	first := w.people[person]
	first[as] = cmp.Or(first[as], by)
	w.people[person] = first
	other = first[opposing].unless(by)

	return other, other != nil
}

func keyOf(p client.Person) [16]byte {
	digest := sha256.Sum256(fmt.Appendf(nil, "%q", []string{p.Scope.OrgID, p.Scope.ProjectID, p.Scope.AccountID, p.Identity}))
	return [16]byte(digest[:])
}
