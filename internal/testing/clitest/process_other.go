// SPDX-License-Identifier: MPL-2.0

//go:build !unix

package clitest

import (
	"os"
	"os/exec"
	"syscall"
)

func ownGroup(*exec.Cmd) {}

// interrupt ends the process, since only Unix has a signal that asks for it.
func interrupt(p *os.Process) error { return p.Kill() }

func signalGroup(p *os.Process, _ syscall.Signal) error { return p.Kill() }
