package client

import (
	"context"
	"errors"
	"time"
)

// staleAfter is how long a comparison is valid. Its write follows without a wait, so that a
// longer time means that the machine stood still.
const staleAfter = time.Second

// errOutdated is the cause of the error of a write that was not sent, because too much time
// had passed since its comparison.
var errOutdated = errors.New("the write was not sent, because its comparison was out of date")

// admission is a slot of the gate, and two turns, for a comparison and the write that
// follows from it. They are sent one right after the other, so that what was compared is
// what is overwritten.
//
// An admission is used by one goroutine.
type admission struct {
	gate  *gate
	turns int // not used yet

	compared time.Time // when the answer to the comparison arrived
	mark     int       // of the credential of the comparison
}

type admissionKey struct{}

// admissionFrom returns the admission of a request's context; nil where it carries none.
func admissionFrom(ctx context.Context) *admission {
	a, _ := ctx.Value(admissionKey{}).(*admission)
	return a
}

// admit waits for a slot and for two turns, and returns the context for the comparison and
// the write. The caller calls leave.
func (g *gate) admit(ctx context.Context) (_ context.Context, a *admission, err error) {
	if err := g.takeSlot(ctx); err != nil {
		return nil, nil, err
	}

	a = &admission{gate: g}
	if err := a.renew(ctx); err != nil {
		a.leave()
		return nil, nil, err
	}

	return context.WithValue(ctx, admissionKey{}, a), a, nil
}

// renew waits until there are two turns again, for another comparison and write.
func (a *admission) renew(ctx context.Context) error {
	if err := a.gate.waitTurns(ctx, 2-a.turns); err != nil {
		return err
	}

	a.turns = 2
	return nil
}

// leave releases the slot and an unused turn.
func (a *admission) leave() {
	if a.turns > 0 {
		a.gate.giveBack()
	}
	a.gate.leave()
}

// enter uses a turn for a request. A comparison that is repeated waits for a further turn,
// and leaves the write its own. A write does not wait, since its comparison would be out of
// date: it fails with errOutdated.
func (a *admission) enter(ctx context.Context) error {
	isWrite := callFrom(ctx).op.effect
	if isWrite && (a.turns == 0 || a.gate.remaining() > 0) {
		return outdated()
	}
	if !isWrite && a.turns < 2 {
		return a.gate.waitTurns(ctx, 1)
	}

	a.turns--

	return ctx.Err()
}

// answered notes that the answer to the comparison has arrived.
func (a *admission) answered() { a.compared = time.Now() }

// mayLeave is called right before a request is sent with the credential of that mark. It
// fails with errOutdated for a write that does not follow right after its comparison, or after
// a login in between.
func (k *call) mayLeave(ctx context.Context, mark int) error {
	a := admissionFrom(ctx)
	if a == nil {
		return nil
	}

	if !k.op.effect {
		a.mark = mark
		return nil
	}

	if mark != a.mark || time.Since(a.compared) > staleAfter {
		return outdated()
	}

	return nil
}

// outdated returns the error with the cause errOutdated. No layer repeats it: the write
// needs another comparison.
func outdated() error {
	return &Error{Class: ClassCancelled, Detail: errOutdated.Error(), cause: errOutdated}
}
