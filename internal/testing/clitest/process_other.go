// SPDX-License-Identifier: MPL-2.0

//go:build !unix

package clitest

import (
	"os"
	"os/exec"
	"syscall"
)

func ownGroup(*exec.Cmd) {}

func signalGroup(p *os.Process, _ syscall.Signal) error { return p.Kill() }
