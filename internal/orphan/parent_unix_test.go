//go:build unix

package orphan

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestOrphan_anotherParentIsNoticedWithinASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var pid atomic.Int64

		pid.Store(4711)
		noticed := make(chan struct{})
		go func() {
			waitWhile(func() int { return int(pid.Load()) })
			close(noticed)
		}()

		<-time.After(time.Hour)

		select {
		case <-noticed:
			t.Fatal("the parent is there, and was taken for gone")
		default:
		}

		pid.Store(1)
		began := time.Now()
		<-noticed
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestOrphan_changesUnderWayEndFirst(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ takes, waits time.Duration }{
		"nothing under way":       {0, 0},
		"a change that ends":      {3 * time.Second, 3 * time.Second},
		"a change that ends late": {time.Hour, Grace},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				work := &Work{}
				if tc.takes > 0 {
					work.changes.Add(1)
					time.AfterFunc(tc.takes, work.changes.Done)
				}

				began := time.Now()
				work.Wait(Grace)
				if waited := time.Since(began); waited != tc.waits {
					t.Errorf("waited %v, want %v", waited, tc.waits)
				}
				<-time.After(2 * time.Hour)
			})
		})
	}
}
