// SPDX-License-Identifier: MPL-2.0

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
