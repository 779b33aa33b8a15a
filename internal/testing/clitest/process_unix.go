// SPDX-License-Identifier: MPL-2.0

//go:build unix

package clitest

import (
	"os"
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func send(p *os.Process, i Interrupt) error {
	if i.ToGroup {
		return syscall.Kill(-p.Pid, i.Signal)
	}
	return p.Signal(i.Signal)
}
