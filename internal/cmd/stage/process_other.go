//go:build !unix

package stage

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

// interrupt ends the process, since only Unix has a signal that asks for it.
func interrupt(p *os.Process) error {
	return p.Kill()
}

func killGroup(p *os.Process) {
	_ = p.Kill()
}
