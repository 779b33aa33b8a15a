// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"cmp"
	"context"
	"math/rand/v2"
	"strconv"
	"sync"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

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

// Claims records which objects of a run look after people, and what a plan does about them. A run is
// one process of the provider.
//
// The zero value is ready to use, and safe for concurrent use. A person takes about 250 bytes, with the
// identity.
type Claims struct {
	people sync.Map // of *person by client.Person; a run may concern millions
}

// person is what a run knows of a person.
type person struct {
	mu      sync.Mutex
	claims  [numClaims]*Object // the first objects that made each claim
	isSeen  bool               // a record was shown or written
	last    choice.Confirmed   // the last write that the service has confirmed
	spelled string             // the first identity that is this one in lower case
}

const (
	claimKeeps  = iota // looks after the person
	claimDone          // has nothing to do about the person, by the plan
	claimUndoes        // undoes what was done, or does it again, by the plan
	numClaims
)

// Keep records that an object looks after a person, whether or not anything is sent. It returns another
// object of this run that does, or nil.
func (c *Claims) Keep(by *Object, p client.Person) (other *Object) {
	return c.claim(by, claimKeeps, claimKeeps, p)
}

// Keeper returns the object that looks after a person, if it is another one than by, which may be nil.
func (c *Claims) Keeper(by *Object, p client.Person) (other *Object) {
	return c.claim(by, numClaims, claimKeeps, p)
}

// PlanDone records that an object takes what was done about a person for done: it has nothing
// to write in the apply of a plan, or stands for a request that was sent. It returns another object
// that undoes this by the plan, or nil.
func (c *Claims) PlanDone(by *Object, p client.Person) (undoing *Object) {
	return c.claim(by, claimDone, claimUndoes, p)
}

// PlanAgainst records that a plan undoes what was done about a person by destroying an object, or
// does it again by creating one. It returns another object that takes this for done, or nil.
func (c *Claims) PlanAgainst(by *Object, p client.Person) (done *Object) {
	return c.claim(by, claimUndoes, claimDone, p)
}

// Forget removes the claims about a person, because what was planned has been carried out.
func (c *Claims) Forget(p client.Person) { c.people.Delete(p) }

// claim records a claim of an object, unless by is nil or as is numClaims. It returns another object with
// the opposite claim.
func (c *Claims) claim(by *Object, as, opposite int, p client.Person) (other *Object) {
	found, _ := c.people.LoadOrStore(p, &person{})
	known, _ := found.(*person)
	known.mu.Lock()
	defer known.mu.Unlock()

	if by != nil && as < numClaims {
		known.claims[as] = cmp.Or(known.claims[as], by)
	}
	other = known.claims[opposite]
	if other != nil && by != nil && other.number == by.number {
		return nil
	}

	return other
}

// PartOf returns what stands for a part of what concerns a person, such as one member of the profile, in the claims of a
// run. An identity has no control characters.
func PartOf(p client.Person, part string) client.Person {
	p.Identity += "\n" + part
	return p
}
