// SPDX-License-Identifier: MPL-2.0

// Package cli is the command `mockserver` of the provider's binary: the service in memory,
// for tests of modules.
package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// Name is the first argument that selects the command.
const Name = "mockserver"

// Process is what the command has of its process. Tests have their own.
type Process struct {
	Args           []string // after the name of the program
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string
	// ParentExited is closed when the process that started this one has ended.
	ParentExited <-chan struct{}
}

// OSProcess returns this process.
func OSProcess(parentGone <-chan struct{}) Process {
	return Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Environ: os.Environ(), ParentExited: parentGone,
	}
}

// usage is what -help prints before the flags.
const usage = `terraform-provider-analytics mockserver [flags] [-- COMMAND [ARGUMENT …]]

It holds consents, profiles, deferred requests and exports in memory, and forgets them when it ends. It is a model of
the service's interface description, and has never been compared with a live service.

With a command, it serves until that command ends, and takes over its exit status. The command gets the provider's
environment variables for this server, and none of those that name another service or its credentials:

   terraform-provider-analytics mockserver -seed seed.json -- terraform test

Without a command, it prints these variables and serves until it is interrupted, or until the process that has started
it ends. A shell reads them from a file:

   terraform-provider-analytics mockserver >service.env &

Every request is a line on standard error, without values, people or credentials.

`

// Run runs the command and returns the exit status of the process: 0 where the server was
// ended, that of the command it has run, or 2 where nothing could be served.
func Run(ctx context.Context, p Process) (status int) {
	o, err := p.parse()
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}

	if err == nil {
		status, err = p.serve(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, Name+":", err)
		return 2
	}

	return status
}

// options are what the arguments say.
type options struct {
	server      *mockserver.Server
	seed        mockserver.Seed // which the server has
	credentials string
	log         io.Writer // of the requests
	forms       []string
	listForms   bool
	command     []string
}

// flags returns the flags, which set the options.
func (o *options) flags() *flag.FlagSet {
	flags := flag.NewFlagSet(Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Func("seed", "begin with the users, secret keys, consents, profiles, data and exports of the JSON `FILE`", func(file string) error {
		text, err := os.ReadFile(file)
		if err == nil {
			o.seed, err = mockserver.ReadSeed(text)
		}
		return err
	})
	flags.Func("credentials", "give credentials of a `KIND`: key (ANALYTICS_API_SECRET_KEY, the default) or login (ANALYTICS_EMAIL, ANALYTICS_PASSWORD)", oneOf(&o.credentials, "key", "login"))
	flags.Func("form", "answer as these answers of the catalogue of answers do, with `NAME,…`; -forms lists them", func(names string) error {
		o.forms = append(o.forms, strings.Split(names, ",")...)
		return nil
	})
	flags.BoolVar(&o.listForms, "forms", false, "list the names for -form, and end")
	flags.Func("wire", "expect requests as this `JSON` says, as in ANALYTICS_WIRE: places of parameters, format of a time, parameter for the kind of records", func(text string) error {
		return json.Unmarshal([]byte(text), &o.server.Wire, json.RejectUnknownMembers(true))
	})
	flags.Func("clock", "start the service's clock at `TIME`, such as 2026-01-15T09:30:00Z, instead of now", func(text string) error {
		start, err := time.Parse(time.RFC3339, text)
		began := time.Now() // which may be further apart than a Duration holds
		o.server.Now = func() time.Time { return start.Add(time.Since(began)) }

		return err
	})
	flags.DurationVar(&o.server.FulfilmentDelay, "fulfilment-delay", 0, "fulfil a deferred request `DURATION` after it is accepted, such as 5s")
	flags.DurationVar(&o.server.Latency, "latency", 0, "wait `DURATION` before each answer, such as 50ms")
	flags.IntVar(&o.server.ExportRecords, "export-records", 0, "give `N` invented events to each exported day that the seed does not have")
	flags.Func("export-shape", "answer an export as a `SHAPE`: object (the default), array or ndjson", oneOf(&o.server.Export.Shape, mockserver.ExportObject, mockserver.ExportArray, mockserver.ExportNDJSON))
	flags.Func("log", "append the requests to `FILE` instead of writing them to standard error", func(file string) (err error) {
		o.log, err = os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		return err
	})

	return flags
}

// parse reads the arguments and the seed. The error is flag.ErrHelp once help, or the list of forms, was printed.
func (p Process) parse() (options, error) {
	o := options{server: &mockserver.Server{}, credentials: "key", log: p.Stderr}

	flags := o.flags()
	err := flags.Parse(p.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(p.Stdout)
		fmt.Fprint(p.Stdout, usage)
		flags.PrintDefaults()
	case err == nil && o.listForms:
		for _, form := range mockserver.Forms() {
			fmt.Fprintln(p.Stdout, form.Name)
		}
		err = flag.ErrHelp
	case err == nil:
		o.command = flags.Args()
		o.seed = reachable(o.seed)
		o.server.Add(o.seed)
		err = o.server.Take(o.forms...)
	}

	return o, err
}

// oneOf returns what sets a flag with one of some values.
func oneOf(to *string, values ...string) func(string) error {
	return func(value string) error {
		*to = value
		if !slices.Contains(values, value) {
			return errors.New("it is one of " + strings.Join(values, ", "))
		}
		return nil
	}
}

// serve serves until the command has ended, or, without one, until ctx or the parent ends.
func (p Process) serve(ctx context.Context, o options) (status int, err error) {
	requests := stdlog.New(o.log, "", 0)
	o.server.OnRequest = func(r mockserver.Request) { // without values, people or credentials
		requests.Printf("%d %s %s %s: %d in %.1f ms", r.Seq, cmp.Or(r.Operation, "-"), r.Method, cmp.Or(r.Template, "-"), r.Status, r.Took.Seconds()*1000)
		o.server.Reset() // so that it can run for long
	}

	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}

	service := &http.Server{Handler: o.server, ReadHeaderTimeout: time.Minute, ErrorLog: stdlog.New(io.Discard, "", 0)}
	go func() { _ = service.Serve(listener) }()
	defer service.Close()

	environment := environmentOf(listener.Addr(), o.seed, o.credentials)
	if len(o.command) > 0 {
		return p.run(ctx, o.command, environment)
	}
	if _, err := io.WriteString(p.Stdout, printed(environment)); err != nil {
		return 0, err
	}

	select {
	case <-ctx.Done():
	case <-p.ParentExited:
	}

	return 0, nil
}

// replaced are the variables that name a service or hold its credentials. Those of another service are removed.
var replaced = []string{
	"ANALYTICS_BASE_URL", "ANALYTICS_API_SECRET_KEY", "ANALYTICS_EMAIL", "ANALYTICS_PASSWORD", "ANALYTICS_TOKEN",
	"ANALYTICS_ORG_ID", "ANALYTICS_PROJECT_ID", "ANALYTICS_ACCOUNT_ID", "ANALYTICS_HEADERS", "ANALYTICS_CA_CERT_FILE",
}

// reachable returns a seed with a user and a secret key, invented where it has none: a server that nobody can talk to
// is of no use.
func reachable(seed mockserver.Seed) mockserver.Seed {
	if len(seed.Users) == 0 {
		seed.Users = []mockserver.SeedUser{{Email: "operator@example.com", Password: rand.Text()}}
	}
	if len(seed.SecretKeys) == 0 {
		seed.SecretKeys = []string{rand.Text()}
	}

	return seed
}

// environmentOf returns the provider's configuration for a server, as NAME=value, with one
// kind of credentials, since the provider refuses both, and with the first project or account in the
// seed. The address comes last, so that a program that waits for it has the rest.
func environmentOf(addr net.Addr, seed mockserver.Seed, credentials string) []string {
	environment := []string{"ANALYTICS_API_SECRET_KEY=" + seed.SecretKeys[0]}
	if credentials == "login" {
		environment = []string{"ANALYTICS_EMAIL=" + seed.Users[0].Email, "ANALYTICS_PASSWORD=" + seed.Users[0].Password}
	}

	scope := cmp.Or(seed.Scope(), mockserver.Scope{OrgID: "org-demo", ProjectID: "web"})
	if scope.AccountID != "" {
		environment = append(environment, "ANALYTICS_ACCOUNT_ID="+scope.AccountID)
	} else {
		environment = append(environment, "ANALYTICS_ORG_ID="+scope.OrgID, "ANALYTICS_PROJECT_ID="+scope.ProjectID)
	}

	return append(environment, "ANALYTICS_BASE_URL=http://"+addr.String())
}

// printed returns the environment as lines for a POSIX shell, which also remove the variables of
// another service.
func printed(environment []string) string {
	var lines strings.Builder
	lines.WriteString("unset " + strings.Join(replaced, " ") + "\n")
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		lines.WriteString("export " + name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'\n")
	}

	return lines.String()
}

// run runs a command with an environment and returns its exit status. An interrupt in a terminal reaches the
// command by itself, and a second one would make Terraform give up its state. SIGTERM is passed on, and is
// sent where the parent ends.
func (p Process) run(ctx context.Context, command, environment []string) (int, error) {
	running, terminate := signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM)
	defer terminate()
	go func() {
		select {
		case <-p.ParentExited:
			terminate()
		case <-running.Done():
		}
	}()

	cmd := exec.CommandContext(running, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Stdin, p.Stdout, p.Stderr
	cmd.Env = environment
	for _, entry := range p.Environ {
		if name, _, _ := strings.Cut(entry, "="); !slices.Contains(replaced, name) {
			cmd.Env = append(cmd.Env, entry)
		}
	}

	err := cmd.Run()
	if cmd.ProcessState == nil {
		return 0, fmt.Errorf("the command cannot be run: %w", err)
	}

	return cmd.ProcessState.ExitCode(), nil
}
