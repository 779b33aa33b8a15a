package outfile

import (
	"fmt"
	"os"
	"strings"
)

// runOf identifies a run by its process: by the number and the start time, in clock ticks
// since the machine was booted. Numbers alone are reused, in containers soon.
func runOf(process int) (string, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return "", false
	}

	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", false
	}

	// The name in parentheses may hold spaces; starttime is the 20th field behind it.
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return "", false
	}

	return fmt.Sprintf("%s.%d.%s", strings.TrimSpace(string(boot)), process, fields[19]), true
}
