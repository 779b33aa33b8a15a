// Package orphan tells the provider when the process that started it has ended. A
// Terraform that is killed does not ask the provider to stop: its connection breaks,
// which cancels every change, and the provider's process would stay behind for ever.
package orphan

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Grace is how long changes that are under way may take to end once the parent is gone.
const Grace = 8 * time.Second

// Parent is the process that started this one.
type Parent struct{ gone chan struct{} }

// Watch returns the parent, and watches it until it ends.
func Watch() *Parent {
	p := &Parent{gone: make(chan struct{})}
	go func() {
		waitForParent()
		close(p.gone)
	}()
	return p
}

// Gone returns a channel that is closed once the parent has ended.
func (p *Parent) Gone() <-chan struct{} { return p.gone }

// Work counts the changes that are under way. The zero value is ready for use.
type Work struct{ changes sync.WaitGroup }

// Wait returns when no change is under way, and after limit at the latest.
func (w *Work) Wait(limit time.Duration) {
	done := make(chan struct{})
	go func() {
		w.changes.Wait()
		close(done)
	}()

	timer := time.NewTimer(limit)
	defer timer.Stop()

	select {
	case <-done:
	case <-timer.C:
	}
}

// ProviderServer is everything that Terraform may ask of a provider.
type ProviderServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// Server is a provider whose changes are counted.
type Server struct {
	ProviderServer

	work *Work
}

// Count returns next with its changes and actions counted in w.
func (w *Work) Count(next ProviderServer) Server { return Server{next, w} }

// ApplyResourceChange counts a change until it has ended.
func (s Server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	s.work.changes.Add(1)
	defer s.work.changes.Done()
	return s.ProviderServer.ApplyResourceChange(ctx, req)
}

// InvokeAction returns the events of an action, and counts the action while they are
// read: that is when it runs.
func (s Server) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	stream, err := s.ProviderServer.InvokeAction(ctx, req)
	if err != nil {
		return nil, err
	}

	return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
		s.work.changes.Add(1)
		defer s.work.changes.Done()
		stream.Events(push)
	}}, nil
}
