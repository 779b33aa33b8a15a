package tfkit

import (
	"crypto/sha256"
	"strconv"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Written remembers whose consent the objects of one run manage, write and withdraw.
// Terraform creates objects before, while and after it destroys others and hands
// nothing from one to the next, so that a renamed object would withdraw what its
// successor has written.
//
// The zero value is ready for use; it is safe for concurrent use. A person takes 40 to 70
// bytes, whatever the length of the identity.
type Written struct {
	mu      sync.Mutex
	objects []string       // labels by number
	named   map[string]int // numbers of objects that have a name
	people  map[personKey]traces
}

// personKey is a digest of a person in a scope: a run may concern millions of people.
type personKey [16]byte

// traces are the objects that have to do with a person, by number; zero is none.
type traces struct {
	manages, writes, withdraws int32
}

// Object stands for one object of the configuration in a run.
type Object struct {
	number int32
	label  string
}

// String returns the type of the object, and its name where it has one.
func (o Object) String() string { return o.label }

// Object returns the object of a resource type. A name tells objects of one type apart
// and must hold nothing personal; objects of the same type and name are the same. Without
// a name, every call returns another object: Terraform does not tell a provider the
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

// Manage notes that an object is about a person, as a refresh or a plan sees it. It
// returns another object of this run that is about the same person, if there is one.
func (w *Written) Manage(by Object, scope client.Scope, identity string) (other Object, shared bool) {
	w.mu.Lock()
	defer w.mu.Unlock()

	key := keyOf(scope, identity)
	t := w.people[key]
	if t.manages != 0 && t.manages != by.number {
		return w.object(t.manages), true
	}

	t.manages = by.number
	w.people[key] = t

	return Object{}, false
}

// Write notes that an object writes the consent of a person in this run. Call it before
// anything is sent, also where it turns out that nothing has to be sent. It returns
// another object that has written the same person in this run, if there is one.
func (w *Written) Write(by Object, scope client.Scope, identity string) (other Object, shared bool) {
	w.mu.Lock()
	defer w.mu.Unlock()

	key := keyOf(scope, identity)
	t := w.people[key]
	if t.writes != 0 && t.writes != by.number {
		return w.object(t.writes), true
	}

	t.writes = by.number
	w.people[key] = t

	return Object{}, false
}

// Withdraw notes that an object withdraws the consent of a person in this run, unless
// another object writes it: then it returns that one, and nothing may be sent. Call it
// from client.ConsentUpdate.Superseded, while the person is locked.
func (w *Written) Withdraw(by Object, scope client.Scope, identity string) (other Object, superseded bool) {
	w.mu.Lock()
	defer w.mu.Unlock()

	key := keyOf(scope, identity)
	t := w.people[key]
	if t.writes != 0 && t.writes != by.number {
		if t.withdraws == by.number { // it was asked before, and has sent nothing since
			t.withdraws = 0
			w.people[key] = t
		}
		return w.object(t.writes), true
	}

	t.withdraws = by.number
	w.people[key] = t

	return Object{}, false
}

// Withdrawn reports whether an object of this run has withdrawn the consent of a person:
// five clauses that are false are not the person's choice then.
func (w *Written) Withdrawn(scope client.Scope, identity string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()

	return w.people[keyOf(scope, identity)].withdraws != 0
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

// WarnShared says that two objects are about one person. It names what is known of them,
// and never the person.
func WarnShared(diags *diag.Diagnostics, a, b Object, scope client.Scope) {
	diags.AddWarning("Two objects manage the consent of one person",
		"In the scope "+describeScope(scope)+", the consent of one person is managed by two objects: "+a.String()+" and "+b.String()+". "+
			"Where they differ, each apply undoes the other one, and the plan never stays empty.\n\n"+
			"What to do: keep one of them and take the other one out of the configuration, with on_destroy = \"retain\" applied first.")
}

// WarnSuperseded says that a withdrawal was not sent, since another object of the run
// writes the same person.
func WarnSuperseded(diags *diag.Diagnostics, by Object, scope client.Scope) {
	diags.AddWarning("Not withdrawn, another object writes it",
		"on_destroy is \"withdraw\", and in the same run another object ("+by.String()+") writes the consent of the same person in the scope "+describeScope(scope)+". "+
			"Nothing was withdrawn; Terraform forgets the destroyed object only.\n\n"+
			"What to do: nothing, if the object was renamed; a moved block says so to Terraform and avoids the replacement. To withdraw the consent, set the five clauses of the other object to false.")
}
