// SPDX-License-Identifier: MPL-2.0

// Package cli is the command `mockserver` of the provider's binary: the service in memory,
// for tests of modules.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/urfave/cli/v3"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// Name is the first argument that selects the command.
const Name = "mockserver"

// exitFailed is the exit status where nothing could be served.
const exitFailed = 2

// Process is what the command has of its process. Tests have their own.
type Process struct {
	Args           []string // after the name of the program
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string
	// ParentGone is closed when the process that started this one has ended.
	ParentGone <-chan struct{}
}

// OSProcess returns this process.
func OSProcess(parentGone <-chan struct{}) Process {
	return Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Environ: os.Environ(), ParentGone: parentGone,
	}
}

const description = `It holds consents, profiles, deferred requests and exports in memory, and forgets them when
it ends. It is a model of the service's interface description, and has never been compared
with a live service.

With a command, it serves until that command ends, and takes over its exit status. The
command gets the provider's environment variables for this server, and none of those that
name another service or its credentials:

   terraform-provider-analytics mockserver -seed seed.json -- terraform test

Without a command, it prints these variables and serves until it is interrupted, or until
the process that has started it ends. A shell reads them from a file:

   terraform-provider-analytics mockserver >service.env &

Every request is a line on standard error, without values, people or credentials.`

// Run runs the command and returns the exit status of the process: 0 where the server was
// ended, that of the command it has run, or 2 where nothing could be served.
func Run(ctx context.Context, p Process) int {
	status := 0
	command := &cli.Command{
		Name:            Name,
		Usage:           "a service in memory, to test modules against",
		UsageText:       "terraform-provider-analytics mockserver [flags] [-- COMMAND [ARGUMENT …]]",
		Description:     description,
		Flags:           flags(),
		HideHelpCommand: true,
		Writer:          p.Stdout,
		ErrWriter:       p.Stderr,
		OnUsageError:    func(_ context.Context, _ *cli.Command, err error, _ bool) error { return err },
		Action: func(ctx context.Context, flags *cli.Command) (err error) {
			if flags.Bool("forms") {
				for _, form := range mockserver.Forms() {
					fmt.Fprintln(p.Stdout, form.Name)
				}
				return nil
			}
			status, err = p.serve(ctx, flags)
			return err
		},
	}

	if err := command.Run(ctx, p.Args); err != nil {
		fmt.Fprintln(p.Stderr, Name+":", err)
		return exitFailed
	}

	return status
}

func flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "seed", Usage: "begin with the users, secret keys, consents, profiles, data and exports of the JSON `FILE`"},
		&cli.StringFlag{Name: "credentials", Usage: "give credentials of a `KIND`: key (ANALYTICS_API_SECRET_KEY) or login (ANALYTICS_EMAIL, ANALYTICS_PASSWORD)", Value: "key", Validator: oneOf("key", "login")},
		&cli.StringSliceFlag{Name: "form", Usage: "answer as these answers of the catalogue of answers do, with `NAME,…`"},
		&cli.BoolFlag{Name: "forms", Usage: "list the names for -form, and end"},
		&cli.StringFlag{Name: "wire", Usage: "expect requests as this `JSON` says, as in ANALYTICS_WIRE: places of parameters, format of a time, parameter for the kind of records"},
		&cli.TimestampFlag{Name: "clock", Usage: "start the service's clock at `TIME`, such as 2026-01-15T09:30:00Z, instead of now", Config: cli.TimestampConfig{Layouts: []string{time.RFC3339}}},
		&cli.DurationFlag{Name: "fulfilment-delay", Usage: "fulfil a deferred request `DURATION` after it is accepted, such as 5s"},
		&cli.DurationFlag{Name: "latency", Usage: "wait `DURATION` before each answer, such as 50ms"},
		&cli.IntFlag{Name: "export-records", Usage: "give `N` invented events to each exported day that the seed does not have"},
		&cli.StringFlag{Name: "export-shape", Usage: "answer an export as a `SHAPE`: object, array or ndjson", Value: mockserver.ExportObject, Validator: oneOf(mockserver.ExportObject, mockserver.ExportArray, mockserver.ExportNDJSON)},
		&cli.StringFlag{Name: "log", Usage: "append the requests to `FILE` instead of writing them to standard error"},
	}
}

func oneOf(values ...string) func(string) error {
	return func(value string) error {
		if !slices.Contains(values, value) {
			return errors.New("it is one of " + strings.Join(values, ", "))
		}
		return nil
	}
}

// newServer returns the server that the flags describe, and what it has been seeded with.
func newServer(flags *cli.Command) (*mockserver.Server, mockserver.Seed, error) {
	server := &mockserver.Server{
		Latency: flags.Duration("latency"), FulfilmentDelay: flags.Duration("fulfilment-delay"), ExportRecords: flags.Int("export-records"),
		Export: mockserver.ExportAnswer{Shape: flags.String("export-shape")},
	}
	if flags.IsSet("clock") {
		start, began := flags.Timestamp("clock"), time.Now() // which may be further apart than a Duration holds
		server.Now = func() time.Time { return start.Add(time.Since(began)) }
	}
	if err := json.Unmarshal([]byte(cmp.Or(flags.String("wire"), "{}")), &server.Wire, json.RejectUnknownMembers(true)); err != nil {
		return nil, mockserver.Seed{}, fmt.Errorf("-wire: %w", err)
	}
	if err := server.Take(flags.StringSlice("form")...); err != nil {
		return nil, mockserver.Seed{}, fmt.Errorf("-form: %w; -forms lists them", err)
	}
	seed, err := readSeed(flags.String("seed"))
	server.Add(seed)

	return server, seed, err
}

// serve serves until the command has ended, or, without one, until ctx or the parent ends.
func (p Process) serve(ctx context.Context, flags *cli.Command) (status int, err error) {
	server, seed, err := newServer(flags)
	if err != nil {
		return 0, err
	}

	requests := stdlog.New(p.Stderr, "", 0)
	if file := flags.String("log"); file != "" {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return 0, fmt.Errorf("-log: %w", err)
		}
		defer f.Close()
		requests.SetOutput(f)
	}
	server.OnRequest = func(r mockserver.Request) {
		requests.Print(logged(r))
		server.Reset() // so that it can run for long
	}

	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}

	service := &http.Server{Handler: server, ReadHeaderTimeout: time.Minute, ErrorLog: stdlog.New(io.Discard, "", 0)}
	go func() { _ = service.Serve(listener) }()
	defer service.Close()

	environment := environmentOf(listener.Addr(), seed, flags.String("credentials"))
	if command := flags.Args().Slice(); len(command) > 0 {
		return p.run(ctx, command, environment)
	}
	if _, err := io.WriteString(p.Stdout, printed(environment)); err != nil {
		return 0, err
	}

	select {
	case <-ctx.Done():
	case <-p.ParentGone:
	}

	return 0, nil
}

// logged returns the line of a request in the log, without values, people or credentials. Its
// first words are the request's number, operation, method and template; an unknown path has "-"
// for operation and template.
func logged(r mockserver.Request) string {
	return fmt.Sprintf("%d %s %s %s: %d in %.1f ms", r.Seq, cmp.Or(r.Operation, "-"), r.Method, cmp.Or(r.Template, "-"), r.Status, r.Took.Seconds()*1000)
}
