// SPDX-License-Identifier: MPL-2.0

//go:build !windows

package orphan

import (
	"os"
	"time"
)

// interval is how often a process looks for its parent. PR_SET_PDEATHSIG of Linux does
// not help: it reports the end of the thread that started the process, not of the parent.
const interval = time.Second

// waitForParent returns when another process has become the parent: the system gives
// the children of one that has ended to another.
func waitForParent() { waitWhile(os.Getppid) }

func waitWhile(parent func() int) {
	first := parent()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()

	for parent() == first {
		<-ticker.C
	}
}
