// The Terraform provider analytics.
package main

import (
	"flag"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// version is set by the release.
var version = "dev"

const address = "registry.terraform.io/terraform-analytics/analytics"

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger, and print what TF_REATTACH_PROVIDERS has to be set to")
	flag.Parse()
	silenceUnreadLogs(os.Environ(), os.Setenv) //nolint:forbidigo // nothing else runs yet
	if err := serve(*debug); err != nil {
		log.Fatal(err)
	}
}

func serve(debug bool) error {
	var options []tf6server.ServeOpt
	if debug {
		options = append(options, tf6server.WithManagedDebug())
	} else {
		surviveFirstTerminate()
	}
	return tf6server.Serve(address, func() tfprotov6.ProviderServer {
		return provider.NewServer(version, os.Getenv)
	}, options...)
}

// surviveFirstTerminate ignores one SIGTERM. Terraform answers a SIGTERM to the
// process group by asking for a stop and saving what the provider still returns; a
// provider that is gone by then has lost it. Terraform ends this process when it is
// done; a second SIGTERM ends it in any case.
func surviveFirstTerminate() {
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)
	go func() {
		<-terminate
		signal.Stop(terminate)
	}()
}

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
			log.Fatal(err)
		}
	}
}
