// SPDX-License-Identifier: MPL-2.0

//go:build !unix

package clitest

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func send(p *os.Process, _ Interrupt) error { return p.Kill() }
