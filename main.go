// Command terraform-provider-analytics is the Terraform provider analytics.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor/cli"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/orphan"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// version is set by the release.
var version = "dev"

const address = "registry.terraform.io/terraform-analytics/analytics"

func main() {
	if len(os.Args) > 1 && os.Args[1] == cli.Name {
		os.Exit(runDoctor())
	}

	debug := flag.Bool("debug", false, "serve for a debugger, and print what TF_REATTACH_PROVIDERS has to be set to")
	flag.Parse()

	silenceStandardLogger()
	silenceUnreadLogs(os.Environ(), os.Setenv) //nolint:forbidigo // nothing else runs yet

	if err := serve(*debug); err != nil {
		fail(err)
	}
}

// runDoctor examines a service for a person, without Terraform. The first interrupt ends it
// in order, which restores a consent that it has written.
func runDoctor() int {
	silenceStandardLogger()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	return cli.Run(ctx, cli.OSProcess(version))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func serve(debug bool) error {
	work := &orphan.Work{}
	newServer := func() tfprotov6.ProviderServer {
		return work.Count(provider.NewServer(version, os.Getenv))
	}

	if debug {
		// The debugger is the parent, and may end before this process does.
		return tf6server.Serve(address, newServer, tf6server.WithManagedDebug())
	}

	parent := orphan.Watch()
	go endAfter(parent, work)
	surviveFirstTerminate(parent)

	return tf6server.Serve(address, newServer)
}

// endAfter ends the process after its parent. The work under way was cancelled with the
// parent's connection, and has a moment to finish: the outcome of a request that was sent is
// found out, and no file is left half written.
func endAfter(parent *orphan.Parent, work *orphan.Work) {
	<-parent.Gone()
	work.Wait(orphan.Grace)
	os.Exit(1)
}

// surviveFirstTerminate ignores one SIGTERM while the parent lives. If the process group
// receives a SIGTERM, Terraform asks the provider to stop and saves what it still returns,
// which would be lost if the provider ended at once. Terraform ends this process when it is
// done. A second SIGTERM ends it in any case.
func surviveFirstTerminate(parent *orphan.Parent) {
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)
	go func() {
		select {
		case <-parent.Gone():
		case <-terminate:
		}
		signal.Stop(terminate)
	}()
}

// silenceStandardLogger discards what libraries log with package log. net/http logs what it
// has received, such as an unsolicited answer, and Terraform would write that to its own log.
func silenceStandardLogger() { log.SetOutput(io.Discard) }

// silenceUnreadLogs turns the loggers off if no TF_LOG variable is set. They would spend a
// good part of the CPU time on trace lines that nobody reads.
func silenceUnreadLogs(environment []string, setenv func(key, value string) error) {
	for _, entry := range environment {
		if strings.HasPrefix(entry, "TF_LOG") {
			return
		}
	}

	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_PROVIDER", "TF_LOG_PROVIDER_ANALYTICS"} {
		if err := setenv(name, "off"); err != nil {
			fail(err)
		}
	}
}
