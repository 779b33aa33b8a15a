package provider

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Requests about list resources and actions. Their answers are streams, which are read
// after the request has returned.

func (g guard) ValidateListResourceConfig(ctx context.Context, req *tfprotov6.ValidateListResourceConfigRequest) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return guarded(ctx, req, g.next.ValidateListResourceConfig, func(d diagnostics) *tfprotov6.ValidateListResourceConfigResponse {
		return &tfprotov6.ValidateListResourceConfigResponse{Diagnostics: d}
	})
}

func (g guard) ListResource(ctx context.Context, req *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	failed := func(d diagnostics) tfprotov6.ListResourceResult { return tfprotov6.ListResourceResult{Diagnostics: d} }
	stream, err := guarded(ctx, req, g.next.ListResource, func(d diagnostics) *tfprotov6.ListResourceServerStream {
		return &tfprotov6.ListResourceServerStream{Results: only(failed(d))}
	})
	if err != nil {
		return nil, err
	}

	return &tfprotov6.ListResourceServerStream{Results: func(push func(tfprotov6.ListResourceResult) bool) {
		defer g.streams.begin()()
		c := &consumer[tfprotov6.ListResourceResult]{push: push}
		defer c.recoverWith(func() tfprotov6.ListResourceResult { return failed(panicDiagnostics(ctx)) })
		stream.Results(c.take)
	}}, nil
}

func (g guard) ValidateActionConfig(ctx context.Context, req *tfprotov6.ValidateActionConfigRequest) (*tfprotov6.ValidateActionConfigResponse, error) {
	return guarded(ctx, req, g.next.ValidateActionConfig, func(d diagnostics) *tfprotov6.ValidateActionConfigResponse {
		return &tfprotov6.ValidateActionConfigResponse{Diagnostics: d}
	})
}

func (g guard) PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return guarded(ctx, req, g.next.PlanAction, func(d diagnostics) *tfprotov6.PlanActionResponse {
		return &tfprotov6.PlanActionResponse{Diagnostics: d}
	})
}

// InvokeAction guards what the framework does itself. It runs the method Invoke of an
// action in a goroutine of its own, where only the action can recover.
func (g guard) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	failed := func(d diagnostics) tfprotov6.InvokeActionEvent {
		return tfprotov6.InvokeActionEvent{Type: tfprotov6.CompletedInvokeActionEventType{Diagnostics: d}}
	}
	stream, err := guarded(ctx, req, g.next.InvokeAction, func(d diagnostics) *tfprotov6.InvokeActionServerStream {
		return &tfprotov6.InvokeActionServerStream{Events: only(failed(d))}
	})
	if err != nil {
		return nil, err
	}

	return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
		defer g.streams.begin()()
		c := &consumer[tfprotov6.InvokeActionEvent]{push: push}
		defer c.recoverWith(func() tfprotov6.InvokeActionEvent { return failed(panicDiagnostics(ctx)) })

		// The framework stops reading an action's progress when its consumer goes away, and
		// the action would wait for ever to report more. So everything is taken; the
		// context is cancelled by then, so that the action ends soon.
		stream.Events(func(event tfprotov6.InvokeActionEvent) bool {
			c.take(event)
			return true
		})
	}}, nil
}

// stopLimit is how long a stop waits for streams. An interrupted one ends within two
// seconds.
const stopLimit = 2 * time.Second

// openStreams are the streams that are being read. It is safe for concurrent use.
type openStreams struct {
	mu   sync.Mutex
	open map[chan struct{}]bool // closed when the stream has ended
}

// begin adds a stream, and returns a function to be called when it has ended.
func (s *openStreams) begin() (end func()) {
	ended := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[ended] = true

	return func() {
		close(ended)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, ended)
	}
}

// wait waits until the streams that are open now have ended, and at most for limit.
func (s *openStreams) wait(limit time.Duration) {
	s.mu.Lock()
	open := maps.Clone(s.open)
	s.mu.Unlock()

	late := time.After(limit)
	for ended := range open {
		select {
		case <-ended:
		case <-late:
			return
		}
	}
}

// only returns a stream of one element.
func only[E any](element E) func(func(E) bool) {
	return func(push func(E) bool) { push(element) }
}

// consumer is what reads a stream.
type consumer[E any] struct {
	push func(E) bool

	gone bool // it takes no more
	busy bool // it has an element and has not returned
}

// take hands an element over, unless the consumer is gone. It reports whether the
// consumer takes more.
func (c *consumer[E]) take(element E) bool {
	if c.gone {
		return false
	}

	c.busy = true
	c.gone = !c.push(element)
	c.busy = false

	return !c.gone
}

// recoverWith ends the stream with a last element if its producer has panicked. It panics
// again if the consumer has.
func (c *consumer[E]) recoverWith(last func() E) {
	reason := recover()
	if reason == nil {
		return
	}
	if c.busy {
		panic(reason)
	}

	c.take(last())
}
