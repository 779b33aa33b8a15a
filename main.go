// The Terraform provider analytics.
package main

import (
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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/orphan"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// version is set by the release.
var version = "dev"

const address = "registry.terraform.io/terraform-analytics/analytics"

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger, and print what TF_REATTACH_PROVIDERS has to be set to")
	flag.Parse()
	silenceStandardLogger()
	silenceUnreadLogs(os.Environ(), os.Setenv) //nolint:forbidigo // nothing else runs yet

	if err := serve(*debug); err != nil {
		fail(err)
	}
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
		// Whoever debugs is the parent, and may end before the process does.
		return tf6server.Serve(address, newServer, tf6server.WithManagedDebug())
	}

	parent := orphan.Watch()
	go endAfter(parent, work)
	surviveFirstTerminate(parent)
	return tf6server.Serve(address, newServer)
}

// endAfter ends the process after its parent. What is under way was cancelled with the
// parent's connection, and has a moment to come to its end: a request that was sent is
// settled, and no file is left half written.
func endAfter(parent *orphan.Parent, work *orphan.Work) {
	<-parent.Gone()
	work.Wait(orphan.Grace)
	os.Exit(1)
}

// surviveFirstTerminate ignores one SIGTERM while the parent is there. Terraform
// answers a SIGTERM to the process group by asking for a stop and saving what the
// provider still returns; a provider that is gone by then has lost it. Terraform ends
// this process when it is done; a second SIGTERM ends it in any case.
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

// silenceStandardLogger drops what libraries write to the logger of package log.
// net/http writes there what it has received, such as an answer that nobody asked for,
// and Terraform puts it into its own log.
func silenceStandardLogger() { log.SetOutput(io.Discard) }

// silenceUnreadLogs turns the loggers off where no TF_LOG variable is set: they
// would write trace lines that nobody reads, for a good part of the CPU time.
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
