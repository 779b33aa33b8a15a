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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/orphan"
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
		switch os.Args[1] {
		case doctor.Name:
			os.Exit(runForPerson(func(ctx context.Context) int { return doctor.Run(ctx, doctor.OSProcess(version)) }))
		case mockserver.Name:
			parentGone := orphan.Watch()
			os.Exit(runForPerson(func(ctx context.Context) int { return mockserver.Run(ctx, mockserver.OSProcess(parentGone)) }))
		}
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

// runForPerson runs a command for a person, without Terraform. An interrupt, a closed terminal
// and every other signal that asks to end do so in order: doctor says what is left of a rehearsal.
func runForPerson(run func(context.Context) int) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()

	return run(ctx)
}

// serve answers Terraform until Terraform ends the process. It does what tf6server.Serve does,
// which takes no interceptors. options are added to those of the gRPC server.
func serve(options ...grpc.ServerOption) {
	guard := provider.NewServer(version, os.Getenv)
	options = append(options, grpc.MaxRecvMsgSize(256<<20), grpc.MaxSendMsgSize(256<<20))

	surviveFirstTerminate()

	gone := orphan.Watch()
	go func() {
		// The work under way was cancelled with the parent's connection, and has a moment to
		// finish: the outcome of a request that was sent is found out, and no file is left half
		// written.
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

// surviveFirstTerminate ignores one SIGTERM. If the process group receives a SIGTERM, Terraform
// asks the provider to stop and saves what it still returns, which would be lost if the provider
// ended at once. Terraform ends this process when it is done. A second SIGTERM ends it in any
// case.
func surviveFirstTerminate() {
	first, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(first, stop)
}

// silenceUnreadLogs turns the loggers off if no TF_LOG variable is set. They would spend a
// good part of the CPU time on trace lines that nobody reads.
func silenceUnreadLogs(environment []string, setenv func(key, value string) error) {
	if slices.ContainsFunc(environment, func(entry string) bool { return strings.HasPrefix(entry, "TF_LOG") }) {
		return
	}
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_PROVIDER", "TF_LOG_PROVIDER_ANALYTICS"} {
		_ = setenv(name, "off")
	}
}
