//go:build darwin || linux

package outfile

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// markName is the extended attribute that names the process and the run that wrote a
// file. Two configurations of the provider in one run are two processes, and Terraform
// ends each as soon as it has nothing left to do, so that no lock can last for the run.
const markName = "user.analytics.run"

// mark notes the writer in a file, and reports whether the file system supports that.
func mark(f *os.File) bool {
	run, ok := runOf(os.Getppid())
	if !ok {
		return false
	}

	return unix.Fsetxattr(int(f.Fd()), markName, fmt.Appendf(nil, "%s %d", run, os.Getpid()), 0) == nil
}

// writtenByAnother reports whether another process of this run has written the file.
func writtenByAnother(folder *os.Root, name string) bool {
	run, ok := runOf(os.Getppid())
	if !ok {
		return false
	}

	f, err := folder.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()

	text := make([]byte, 128)
	n, err := unix.Fgetxattr(int(f.Fd()), markName, text)
	if err != nil {
		return false
	}

	theirs, process, _ := strings.Cut(string(text[:n]), " ")

	return theirs == run && process != fmt.Sprint(os.Getpid())
}
