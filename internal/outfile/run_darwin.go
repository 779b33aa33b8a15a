package outfile

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// runOf identifies a process by its number and the time of its start: numbers alone
// come again.
func runOf(process int) (string, bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", process)
	if err != nil {
		return "", false
	}
	start := info.Proc.P_starttime
	return fmt.Sprintf("%d.%d.%d", process, start.Sec, start.Usec), true
}
