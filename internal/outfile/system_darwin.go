package outfile

import (
	"errors"
	"fmt"
	"os"

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

// openUnnamed reports that files without a name are not supported.
func openUnnamed(*os.Root) (f *os.File, ok bool) { return nil, false }

func linkUnnamed(*os.Root, *os.File, string) error { return errors.ErrUnsupported }

// startWriteback does nothing: the final fsync writes the whole file.
func startWriteback(*os.File, int64, int64) {}
