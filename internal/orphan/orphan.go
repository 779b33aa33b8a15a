// SPDX-License-Identifier: MPL-2.0

// Package orphan tells the provider when the process that started it has ended. A
// Terraform that is killed does not ask the provider to stop: its connection breaks,
// which cancels every change, and the provider's process would stay behind for ever.
package orphan

import (
	"os"
	"runtime"
	"time"
)

// Watch returns a channel that is closed within a second of the end of the parent process.
// PR_SET_PDEATHSIG of Linux reports the end of the parent's thread, and not of the parent.
func Watch() <-chan struct{} {
	gone := make(chan struct{})
	parent := os.Getppid() // now: the parent may have ended before the goroutine runs
	go func() {
		defer close(gone)
		if runtime.GOOS == "windows" {
			waitByHandle()
			return
		}

		// The system gives the children of a process that has ended to another.
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()

		for os.Getppid() == parent {
			<-ticker.C
		}
	}()

	return gone
}

// waitByHandle returns when the parent has ended. On Windows, the number of a process that has
// ended can be given to another; a handle goes on standing for the first.
func waitByHandle() {
	parent, err := os.FindProcess(os.Getppid())
	if err == nil {
		_, err = parent.Wait() // there, it need not be a child
	}
	if err != nil {
		select {} // nobody to wait for
	}
}
