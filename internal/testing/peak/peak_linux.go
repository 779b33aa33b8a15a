// SPDX-License-Identifier: MPL-2.0

package peak

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// highest returns the highest peak, in bytes, of the wanted processes that run now; 0
// where none of them does.
func highest(wanted func(program, folder string) bool) (peak float64) {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		// A process may end at any moment; what cannot be read of it is empty.
		program, _ := os.Readlink(filepath.Join(process, "exe"))
		folder, _ := os.Readlink(filepath.Join(process, "cwd"))
		if program == "" || folder == "" || !wanted(program, folder) {
			continue
		}

		status, _ := os.ReadFile(filepath.Join(process, "status"))
		peak = max(peak, highWaterMark(status))
	}

	return peak
}

// highWaterMark reads the line "VmHWM:  123 kB" of a process's status.
func highWaterMark(status []byte) float64 {
	for line := range bytes.Lines(status) {
		var kilobytes float64
		if _, err := fmt.Sscanf(string(line), "VmHWM: %f kB", &kilobytes); err == nil {
			return kilobytes * 1024
		}
	}
	return 0
}
