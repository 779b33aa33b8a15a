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

// Written is what a run knows of the people that its objects write and withdraw, or whose
// data they delete. A write or a withdrawal counts as done after the service has confirmed
// its PATCH, with the values that it left: what was not sent, or not confirmed, is never
// taken for done. That an object looks after a person counts from before its first request
// on, because from then on no other object may withdraw the person.
//
// A run is one process of the provider. Terraform starts one for each provider block, and
// others for the plan and for the apply, and none of them knows of the others. It creates
// objects before, while and after it destroys others, and passes nothing from one to the
// next: without a record, a renamed object would withdraw what its successor has written.
//
// The zero value is ready to use, and safe for concurrent use. A person takes 50 to 90
// bytes, regardless of the length of the identity.
type Written struct {
	mu     sync.Mutex
	people map[[16]byte]traces // by a digest of scope and person: a run may concern millions of people
}

// A role is what an object does about a person.
type role int

const (
	keeps   role = iota // looks after the person
	relies              // takes what was done about the person for done, by the plan
	opposes             // undoes that, or does it again, by the plan
	roles               // how many there are
)

// traces are what is known about a person.
type traces struct {
	first   [roles]*Object // in each role
	left    client.Choice  // what the last confirmed write of the run has left, if hasLeft
	hasLeft bool
	isShown bool // the service has shown a record
}

// other returns the first object in a role, if it is another one than by, which may be nil.
func (t traces) other(by *Object, in role) (other *Object, isOther bool) {
	other = t.first[in]
	return other, other != nil && (by == nil || by.number != other.number)
}

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

// Keep records that an object looks after a person, whether or not anything is sent. If
// another object of this run does, it returns that one instead.
func (w *Written) Keep(by *Object, p client.Person) (other *Object, shared bool) {
	return w.record(by, keeps, keeps, keyOf(p))
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
	w.change(person, func(t *traces) {
		t.first[as] = cmp.Or(t.first[as], by)
		other, opposed = t.other(by, opposing)
	})

	return other, opposed
}

// Keeper returns the object that looks after a person, if it is another one than by. Nothing
// of the person may be withdrawn then. To decide that, it must be called from
// client.ConsentUpdate.Superseded, while the person is locked.
func (w *Written) Keeper(by *Object, p client.Person) (other *Object, superseded bool) {
	return w.of(p).other(by, keeps)
}

// Leave records what a confirmed write or withdrawal has left. It must be called from
// client.ConsentUpdate.Confirmed, while the person is locked.
func (w *Written) Leave(choice client.Choice, p client.Person) {
	w.change(keyOf(p), func(t *traces) { t.left, t.hasLeft, t.isShown = choice, true, true })
}

// Left returns what the last confirmed write of this run has left, or else prior, which may
// be nil.
func (w *Written) Left(p client.Person, prior *client.Choice) *client.Choice {
	if t := w.of(p); t.hasLeft {
		return &t.left
	}
	return prior
}

// Show records that the service has shown a consent record of a person. As none can be removed
// there, an answer without one is an error from then on.
func (w *Written) Show(p client.Person) {
	w.change(keyOf(p), func(t *traces) { t.isShown = true })
}

// IsShown reports whether the service has shown a record of a person in this run.
func (w *Written) IsShown(p client.Person) bool {
	return w.of(p).isShown
}

// of returns what is known about a person.
func (w *Written) of(p client.Person) traces {
	w.mu.Lock()
	defer w.mu.Unlock()

	return w.people[keyOf(p)]
}

// change changes what is known about a person.
func (w *Written) change(person [16]byte, change func(*traces)) {
	w.mu.Lock()
	defer w.mu.Unlock()

	if w.people == nil {
		w.people = map[[16]byte]traces{}
	}

	t := w.people[person]
	change(&t)
	w.people[person] = t
}

func keyOf(p client.Person) [16]byte {
	digest := sha256.Sum256(fmt.Appendf(nil, "%q", []string{p.Scope.OrgID, p.Scope.ProjectID, p.Scope.AccountID, p.Identity}))
	return [16]byte(digest[:])
}
