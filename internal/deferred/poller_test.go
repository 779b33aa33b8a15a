// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

// polling runs a test in virtual time against a list that is read with f.
func polling(t *testing.T, f func(context.Context) error, test func(t *testing.T, p *pollers)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		list := func(ctx context.Context, _ client.Scope) (decode.PendingList, error) {
			return decode.PendingList{}, f(ctx)
		}
		test(t, &pollers{list: list, scopes: map[client.Scope]*poller{}})
	})
}

// poll returns when a listing began that is later than another one, for somebody who has begun to wait now.
func (p *pollers) poll(ctx context.Context, after time.Time) (time.Time, error) {
	seen, err := p.snapshot(ctx, client.Person{}, after, time.Now())
	return seen.Began, err
}

func always(context.Context) error { return nil }

// All who wait get the error of one reading, also of one that panics. Who wants a later one reads again.
func TestPoller_failureIsThatOfAllWhoWait(t *testing.T) {
	t.Parallel()
	reads := 0
	polling(t, func(context.Context) error {
		reads++
		<-time.After(300 * time.Millisecond)
		if reads == 1 {
			panic("canary")
		}
		return nil
	}, func(t *testing.T, p *pollers) {
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() {
				if _, err := p.poll(t.Context(), time.Time{}); !transport.IsClass(err, transport.ClassInternal) {
					t.Errorf("the error is %v", err)
				}
			})
		}
		group.Wait()
		if _, err := p.poll(t.Context(), time.Now()); err != nil || reads != 2 {
			t.Errorf("who comes later gets %v after %d readings", err, reads)
		}
	})
}

// A reading that ends with its reader is nobody else's. One that gives up early, because its reader has
// little time left, would fail all others.
func TestPoller_readerThatGivesUpIsReplaced(t *testing.T) {
	t.Parallel()
	polling(t, func(ctx context.Context) error {
		if _, bounded := ctx.Deadline(); bounded {
			return errors.New("there is no time to wait for what Retry-After asks")
		}
		return transport.Pause(ctx, 30*time.Second)
	}, func(t *testing.T, p *pollers) {
		hurried, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()

		var group sync.WaitGroup
		group.Go(func() {
			if _, err := p.poll(hurried, time.Time{}); err == nil || hurried.Err() == nil {
				t.Errorf("the reader gets %v", err)
			}
		})
		synctest.Wait()
		if began, err := p.poll(t.Context(), time.Time{}); err != nil || began.IsZero() {
			t.Errorf("who has the time gets %v", err)
		}
		group.Wait()
	})
}

// The list is read less often the longer somebody has waited, and never in step.
func TestPoller_intervalsGrow(t *testing.T) {
	t.Parallel()
	for waited, want := range map[time.Duration]time.Duration{
		0: pollFloor, -time.Hour: pollFloor, 2 * time.Minute: 12 * time.Second, 24 * time.Hour: pollCeiling,
	} {
		polling(t, always, func(t *testing.T, p *pollers) {
			seen := map[time.Duration]bool{}
			last, _ := p.poll(t.Context(), time.Time{})
			for range 50 {
				next, err := p.snapshot(t.Context(), client.Person{}, time.Now(), time.Now().Add(-waited))
				interval := next.Began.Sub(last)
				if err != nil || interval < want || interval > want+want/10 {
					t.Fatalf("after %v the interval is %v (%v)", waited, interval, err)
				}
				seen[interval], last = true, next.Began
			}
			if len(seen) < 2 {
				t.Errorf("after %v every interval is the same", waited)
			}
		})
	}
}
