// SPDX-License-Identifier: MPL-2.0

// Package command begins and ends the commands of this repository in one way.
package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a command until it ends or the process is interrupted, which ends ctx. An error
// is printed behind the name of the command, and the exit status is 1.
func Main(name string, run func(ctx context.Context, args []string, stdout, stderr io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()

	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}
