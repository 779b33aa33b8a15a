// SPDX-License-Identifier: MPL-2.0

package orphan

import (
	"os"

	"golang.org/x/sys/windows"
)

// waitForParent returns when the parent has ended. It waits on a handle, since the
// number of a process that has ended can be given to another.
func waitForParent() {
	handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(os.Getppid())) //nolint:gosec // numbers of processes are 32 bits wide here
	if err != nil {
		select {} // nobody to wait for
	}
	defer func() { _ = windows.CloseHandle(handle) }()

	_, _ = windows.WaitForSingleObject(handle, windows.INFINITE)
}
