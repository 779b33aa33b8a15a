// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
)

// progressInterval is how often an action says that it is still at work.
const progressInterval = 30 * time.Second

// Progress tells the user what an action does. Terraform shows each message at once. It
// shows no more messages after an interrupt, so whatever the user has to know must be said
// before the action waits for something.
//
// The server of the provider takes all messages until the action has ended, also if
// nobody reads them any more, so that no send blocks for ever.
type Progress struct {
	send func(action.InvokeProgressEvent)
}

// ProgressOf returns the progress of an action.
func ProgressOf(resp *action.InvokeResponse) Progress { return Progress{resp.SendProgress} }

// Say sends a message. It must hold no identity, no path and no value of a person.
func (p Progress) Say(message string) {
	if p.send != nil {
		p.send(action.InvokeProgressEvent{Message: message})
	}
}

// During calls work. Every 30 seconds until work returns or the context ends, it sends
// what still returns for the time since the beginning, in short form, unless that is
// empty. still is called in another goroutine than work. Nothing is sent after During has
// returned.
func (p Progress) During(ctx context.Context, work func(), still func(since string) string) {
	ctx, end := context.WithCancel(ctx)
	var speaker sync.WaitGroup
	speaker.Go(func() {
		// A panic in this goroutine would end the process with everything in flight.
		defer func() { _ = recover() }()

		began := time.Now()
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()

		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}

			if message := still(shortDuration(time.Since(began).Round(time.Second))); message != "" {
				p.Say(message)
			}
		}
	})
	defer speaker.Wait()
	defer end()

	work()
}
