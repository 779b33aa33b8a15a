// The program mockserver is the analytics service in memory, to try the provider
// against without a service:
//
//	go run ./internal/cmd/mockserver
//
// It prints the environment that configures the provider, for a shell to evaluate,
// and a line of JSON for every request. It ends with Ctrl-C.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mockserver:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	addr, seed  string
	latency     time.Duration
	fulfilment  time.Duration
	credentials string
	wire        mockserver.Wire
	export      mockserver.ExportAnswer
	records     int
}

// Which credentials the printed environment has. The provider refuses a configuration
// with both.
const (
	withKey   = "key"
	withLogin = "login"
)

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("mockserver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.addr, "addr", "127.0.0.1:0", "where to listen; port 0 is any free one")
	flags.StringVar(&o.seed, "seed", "", "JSON `FILE` with users, secret keys, consents, profiles, data and exports to begin with")
	flags.DurationVar(&o.latency, "latency", 0, "how long every answer takes, such as 50ms")
	flags.DurationVar(&o.fulfilment, "fulfilment-delay", 0, "how long after it is accepted a deferred request is fulfilled, such as 5s")
	flags.StringVar(&o.credentials, "credentials", withKey, "what to print: key (ANALYTICS_API_SECRET_KEY) or login (ANALYTICS_EMAIL and ANALYTICS_PASSWORD)")
	flags.StringVar(&o.wire.LoginParametersIn, "login-parameters-in", mockserver.InJSON, "where the login's parameters are expected: json, form or query")
	flags.StringVar(&o.wire.ConsentParametersIn, "consent-parameters-in", mockserver.InJSON, "where the consent's parameters are expected: json, form or query")
	flags.IntVar(&o.records, "export-records", 0, "how many events every day of an export has that the seed does not; 1000000 are about 400 MB")
	flags.StringVar(&o.export.Shape, "export-shape", mockserver.ExportObject, "shape of an export: object, nested, array or ndjson")
	flags.StringVar(&o.export.Encoding, "export-encoding", "", "content coding of an export: gzip or zstd; empty is none")
	flags.StringVar(&o.wire.ExportKindParameter, "export-kind-parameter", "", "query parameter that an export has to choose person, session or event with; empty is none")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, errors.New("there are flags only")
	}

	return o, o.validate()
}

func (o options) validate() error {
	if o.records < 0 {
		return errors.New("-export-records is a number from 0")
	}
	if o.credentials != withKey && o.credentials != withLogin {
		return fmt.Errorf("-credentials is %s or %s", withKey, withLogin)
	}
	return errors.Join(o.wire.Validate(), o.export.Validate())
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	seed, err := readSeed(o.seed)
	if err != nil {
		return err
	}

	server := &mockserver.Server{
		Latency: o.latency, FulfilmentDelay: o.fulfilment, Wire: o.wire, DiscardLog: true, OnRequest: logTo(stderr),
		Export: o.export, ExportRecords: o.records,
	}
	server.Add(seed)
	listening, err := server.Listen(ctx, o.addr)
	if err != nil {
		return err
	}

	return serve(ctx, listening, stdout, environment(listening.URL, seed, o.credentials))
}

// serve prints how to reach the server, and serves until ctx ends.
func serve(ctx context.Context, listening *mockserver.Listening, stdout io.Writer, environment string) error {
	if _, err := io.WriteString(stdout, environment); err != nil {
		return errors.Join(err, listening.Stop())
	}

	select {
	case <-ctx.Done():
	case <-listening.Done():
	}

	return listening.Stop()
}
