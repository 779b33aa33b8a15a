// SPDX-License-Identifier: MPL-2.0

// Command terraform-provider-analytics is the Terraform provider analytics.
package main

//go:generate make docs

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"google.golang.org/grpc"

	doctor "github.com/terraform-analytics/terraform-provider-analytics/internal/doctor/cli"
	mockserver "github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/cli"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// version is set by the release.
var version = "dev"

const address = "registry.terraform.io/terraform-analytics/analytics"

func main() {
	// net/http logs what it has received, such as an unsolicited answer, and Terraform would write
	// that to its own log.
	log.SetOutput(io.Discard)

	if len(os.Args) > 1 {
		runCommand(os.Args[1])
	}

	debug := flag.Bool("debug", false, "serve for a debugger, and print what TF_REATTACH_PROVIDERS has to be set to")
	flag.Parse()

	silenceUnreadLogs(os.Environ(), os.Setenv) //nolint:forbidigo // nothing else runs yet

	if !*debug {
		serve()
		return
	}
	// A debugger sees a panic where it happens, and it may end before this process does.
	server := func() tfprotov6.ProviderServer { return provider.NewServer(version, os.Getenv) }
	if err := tf6server.Serve(address, server, tf6server.WithManagedDebug()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runCommand runs a command for a person, if that is one, and ends the process. A signal that asks to end does so
// in order: doctor says what is left of a rehearsal.
func runCommand(name string) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	switch name {
	case doctor.Name:
		os.Exit(doctor.Run(ctx, doctor.OSProcess(version)))
	case mockserver.Name:
		os.Exit(mockserver.Run(ctx, mockserver.OSProcess(watchParent())))
	}
	stop()
}

// serve answers Terraform until Terraform ends the process. It does what tf6server.Serve does,
// which takes no interceptors. options are added to those of the gRPC server.
func serve(options ...grpc.ServerOption) {
	guard := provider.NewServer(version, os.Getenv)
	options = append(options, grpc.MaxRecvMsgSize(256<<20), grpc.MaxSendMsgSize(256<<20))

	// If the process group receives a SIGTERM, Terraform asks the provider to stop, saves what it still returns
	// and ends this process. A second SIGTERM ends it in any case.
	first, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(first, stop)

	gone := watchParent()
	go func() {
		// The work under way was cancelled with the parent's connection. It has a moment to find out what
		// became of a request that was sent, and to leave no file half written.
		<-gone
		guard.Wait(context.Background(), 8*time.Second)
		os.Exit(1)
	}()

	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: plugin.HandshakeConfig{
			ProtocolVersion:  6,
			MagicCookieKey:   "TF_PLUGIN_MAGIC_COOKIE",
			MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
		},
		Plugins: plugin.PluginSet{"provider": &tf6server.GRPCProviderPlugin{
			Name:         address,
			GRPCProvider: func() tfprotov6.ProviderServer { return guard },
		}},
		GRPCServer: func(transport []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(slices.Concat(transport, guard.Options(), options)...)
		},
	})

	outfile.Settle() // Terraform has recorded what it was told
}

// silenceUnreadLogs turns the loggers off if no TF_LOG variable is set. They would spend a
// good part of the CPU time on trace lines that nobody reads.
func silenceUnreadLogs(environment []string, setenv func(key, value string) error) {
	for _, entry := range environment {
		if strings.HasPrefix(entry, "TF_LOG") {
			return
		}
	}
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_PROVIDER", "TF_LOG_PROVIDER_ANALYTICS"} {
		_ = setenv(name, "off")
	}
}

// watchParent returns a channel that is closed within a second of the end of the parent process. A
// Terraform that is killed does not ask the provider to stop: its connection breaks, which cancels every
// change, and this process would stay behind for ever.
func watchParent() <-chan struct{} {
	gone := make(chan struct{})
	parent := os.Getppid() // now: the parent may have ended before the goroutine runs
	go func() {
		defer close(gone)
		if runtime.GOOS == "windows" {
			waitByHandle(parent)
			return
		}

		// The system gives the children of a process that has ended to another. PR_SET_PDEATHSIG of Linux
		// reports the end of the parent's thread, and not of the parent.
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()

		for os.Getppid() == parent {
			<-ticker.C
		}
	}()

	return gone
}

// waitByHandle returns when a process has ended. On Windows, its number can be given to another process
// then; a handle goes on standing for the first, which need not be a child.
func waitByHandle(number int) {
	process, err := os.FindProcess(number)
	if err == nil {
		_, err = process.Wait()
	}
	if err != nil {
		select {} // nobody to wait for
	}
}
