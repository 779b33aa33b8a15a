package client

import (
	"context"
	"errors"
	"time"
)

// staleAfter is how long a comparison is good for. Nobody waits between a comparison and
// its write, so more than this means that the machine stood still.
const staleAfter = time.Second

// errHeld is the cause of the error of a write that did not leave, because it was held
// after its comparison.
var errHeld = errors.New("the write was held after its comparison")

// admission is one stay inside the gate for a comparison and the write that follows from
// it: one slot, and a turn for each of them. Both leave one right after the other, so that
// what was compared is what is written over.
//
// An admission is used by one goroutine.
type admission struct {
	gate  *gate
	turns int // that are left

	compared time.Time // when the answer of the comparison was there
	mark     int       // of the credential of the comparison
}

type admissionKey struct{}

func admissionFrom(ctx context.Context) *admission {
	a, _ := ctx.Value(admissionKey{}).(*admission)
	return a
}

// admit waits for a slot and for the turns of a comparison and a write. The context is
// for both requests. leave has to be called.
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

// renew waits for the turns of another comparison and write.
func (a *admission) renew(ctx context.Context) error {
	if err := a.gate.waitTurns(ctx, 2-a.turns); err != nil {
		return err
	}

	a.turns = 2
	return nil
}

// leave ends the admission.
func (a *admission) leave() {
	if a.turns > 0 {
		a.gate.giveBack()
	}
	a.gate.leave()
}

// enter lets a request of the admission through. A comparison that is repeated waits for
// another turn, and leaves the one of the write alone; a write does not wait, since its
// comparison would be out of date.
func (a *admission) enter(ctx context.Context) error {
	if callFrom(ctx).op.effect {
		if a.turns == 0 || a.gate.remaining() > 0 {
			return held()
		}
		a.turns--
		return ctx.Err()
	}

	if a.turns < 2 {
		return a.gate.waitTurns(ctx, 1)
	}
	a.turns--
	return ctx.Err()
}

// answered notes that the answer of the comparison is there.
func (a *admission) answered() { a.compared = time.Now() }

// mayLeave is asked for each request right before it leaves, with its credential. A write
// may leave only right after its comparison, and not after a login in between.
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
		return held()
	}
	return nil
}

// held returns the error of a write that did not leave. No layer repeats it: the write
// needs another comparison.
func held() error {
	return &Error{Class: ClassCancelled, Detail: errHeld.Error(), cause: errHeld}
}
