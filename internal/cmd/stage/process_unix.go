//go:build unix

package stage

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup keeps a terminal's Ctrl-C from reaching the process directly: the demo
// passes it on once, where two would make Terraform give up its state.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func interrupt(p *os.Process) error {
	return p.Signal(os.Interrupt)
}

// killGroup ends what a process that did not end by itself has left running, such
// as Terraform's plugins.
func killGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
}
