package outfile

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// runOf identifies a run by its process: by the number and the start time. Numbers alone
// are reused.
func runOf(process int) (string, bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", process)
	if err != nil {
		return "", false
	}

	start := info.Proc.P_starttime
	return fmt.Sprintf("%d.%d.%d", process, start.Sec, start.Usec), true
}
