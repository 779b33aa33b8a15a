//go:build unix

package orphan

import (
	"os"
	"time"
)

// interval is how often a process looks for its parent. PR_SET_PDEATHSIG of Linux would
// tell, but it goes by the thread that started the process, and Go moves between threads.
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
