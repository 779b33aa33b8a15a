// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// attemptLink bounds one attempt, from the sending of the request to the end of its answer, by
// request_timeout. An answer that streams may take any time; the limit is for each of its silences.
type attemptLink struct {
	next    http.RoundTripper
	timeout time.Duration
}

func (l attemptLink) RoundTrip(req *http.Request) (*http.Response, error) {
	parent, c := req.Context(), callOf(req.Context())
	c.known.Attempts++

	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		if c.Op.Effect && c.sent.Load() {
			_ = Pause(ctx, interruptGrace)
		}
		cancel(context.Cause(parent))
	})
	b := &attemptBody{ReadCloser: http.NoBody, ctx: ctx, cancel: cancel, stop: stop, timeout: l.timeout}
	b.limit = b.after("no answer, or one that stalled: it was not complete within")

	resp, err := l.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		err = cmp.Or(context.Cause(ctx), err)
		_ = b.Close()
		return nil, err
	}

	b.ReadCloser, resp.Body = resp.Body, b
	b.streams = c.Op.Streams && resp.StatusCode/100 == 2
	if b.streams {
		b.sums = digestsOf(resp)
		b.limit.Stop()
	}

	return resp, nil
}

// interruptGrace is how long an attempt of a write that was sent goes on after an interrupt:
// its outcome could not be found out otherwise.
const interruptGrace = 700 * time.Millisecond

// attemptBody is the body of an answer. Its attempt ends when it is closed.
type attemptBody struct {
	io.ReadCloser

	ctx      context.Context //nolint:containedctx // of the attempt, which lasts as long as its answer
	cancel   context.CancelCauseFunc
	stop     func() bool // stops waiting for the end of the caller's context
	isClosed atomic.Bool

	timeout time.Duration
	limit   *time.Timer // of the whole attempt
	streams bool        // the timeout is for each read
	turn    *gate       // which the attempt leaves at its end; nil if it has taken none
	failure error       // with which the network ended the answer
	sums    digests     // of what was read of a stream
}

// after returns a timer that cancels the attempt after the timeout. late says what has not happened
// by then.
func (b *attemptBody) after(late string) *time.Timer {
	return time.AfterFunc(b.timeout, func() {
		b.cancel(&Error{Class: ClassTimeout, Detail: late + " " + b.timeout.String() + " (request_timeout)"})
	})
}

// Read reads from the answer. Its error is why the attempt has ended, if it has.
func (b *attemptBody) Read(p []byte) (int, error) {
	if b.streams {
		defer b.after("the answer stalled: nothing more of it came for").Stop()
	}

	n, err := b.ReadCloser.Read(p)
	for _, sum := range b.sums {
		sum.Write(p[:n])
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.failure = cmp.Or(context.Cause(b.ctx), err)
		return n, b.failure
	}

	return n, err
}

// Close closes the answer and ends its attempt. Closing it again does nothing.
func (b *attemptBody) Close() error {
	if b.isClosed.Swap(true) {
		return nil
	}

	err := b.ReadCloser.Close()
	b.limit.Stop()
	b.stop()
	b.cancel(nil)
	if b.turn != nil {
		b.turn.leave(0)
	}

	return err
}
