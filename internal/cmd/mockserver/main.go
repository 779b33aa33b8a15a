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
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/command"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func main() { command.Main("mockserver", run) }

// options are the command line.
type options struct {
	addr, seed  string
	latency     time.Duration
	fulfilment  time.Duration
	credentials string
	wire        mockserver.Wire
	export      mockserver.ExportAnswer
	dialect     string
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
	flags.StringVar(&o.dialect, "dialect", "", "answers to what the interface leaves open, such as consent_parameters=form,path_family=account; a name that does not exist lists all")
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
	if _, err := mockserver.ParseDialect(o.dialect); err != nil {
		return fmt.Errorf("-dialect: %w; there are %s", err, strings.Join(dialects(), ", "))
	}

	return errors.Join(o.wire.Validate(), o.export.Validate())
}

// dialects returns each question with its choices.
func dialects() []string {
	var all []string
	for _, q := range mockserver.Questions {
		var choices []string
		for _, c := range q.Choices {
			choices = append(choices, c.Name)
		}
		all = append(all, q.Name+"="+strings.Join(choices, "|"))
	}

	return all
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
	dialect, err := mockserver.ParseDialect(o.dialect)
	if err != nil {
		return err
	}
	if err := server.Speak(dialect); err != nil {
		return err
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

// The scope that is printed where nobody in the seed has one.
const (
	defaultOrg     = "org-demo"
	defaultProject = "web"
)

// readSeed reads a file, which may be left out, and adds a user and a secret key where
// it has none: a server that nobody can talk to is of no use.
func readSeed(file string) (mockserver.Seed, error) {
	seed, err := decodeSeed(file)
	if err != nil {
		return seed, err
	}

	if len(seed.Users) == 0 {
		seed.Users = []mockserver.SeedUser{{Email: "operator@example.com", Password: rand.Text()}}
	}
	if len(seed.SecretKeys) == 0 {
		seed.SecretKeys = []string{rand.Text()}
	}

	return seed, nil
}

func decodeSeed(file string) (mockserver.Seed, error) {
	if file == "" {
		return mockserver.Seed{}, nil
	}

	f, err := os.Open(file)
	if err != nil {
		return mockserver.Seed{}, err
	}
	defer f.Close()

	return mockserver.ReadSeed(f)
}

// environment returns the shell commands that export the provider's configuration. The
// address comes last, so that a program that waits for it has the rest.
func environment(url string, seed mockserver.Seed, credentials string) string {
	var b strings.Builder
	export := func(name, value string) { fmt.Fprintf(&b, "export %s=%s\n", name, quote(value)) }

	if credentials == withLogin {
		export("ANALYTICS_EMAIL", seed.Users[0].Email)
		export("ANALYTICS_PASSWORD", seed.Users[0].Password)
	} else {
		export("ANALYTICS_API_SECRET_KEY", seed.SecretKeys[0])
	}

	org, project := scope(seed)
	export("ANALYTICS_ORG_ID", org)
	export("ANALYTICS_PROJECT_ID", project)
	export("ANALYTICS_BASE_URL", url)

	return b.String()
}

// scope returns the organization and project of the seed's first person who has one.
func scope(seed mockserver.Seed) (org, project string) {
	for _, p := range people(seed) {
		if p.OrgID != "" {
			return p.OrgID, p.ProjectID
		}
	}
	return defaultOrg, defaultProject
}

func people(seed mockserver.Seed) []mockserver.SeedPerson {
	var all []mockserver.SeedPerson
	for _, c := range seed.Consents {
		all = append(all, c.SeedPerson)
	}
	for _, p := range seed.Profiles {
		all = append(all, p.SeedPerson)
	}
	for _, d := range seed.Data {
		all = append(all, d.SeedPerson)
	}

	return all
}

// quote quotes a text for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// markPrefix begins the identities that are no people but marks in this log:
// internal/cmd/stage asks for them to find the requests in between.
const markPrefix = "demo-mark-"

// line is how a request is logged: without values, people or credentials.
type line struct {
	Seq       int      `json:"seq"`
	Operation string   `json:"operation"`
	Method    string   `json:"method"`
	Template  string   `json:"template"`
	Path      string   `json:"path"` // the template, in which a mark is filled in
	Status    int      `json:"status"`
	Fields    []string `json:"fields,omitempty"`
	MS        float64  `json:"ms"`
}

// logTo writes one line of JSON for every request, in the order of the answers.
func logTo(out io.Writer) func(mockserver.Request) {
	lines := log.New(out, "", 0)
	return func(r mockserver.Request) {
		text, err := json.Marshal(lineOf(r))
		if err != nil {
			text = []byte(err.Error())
		}
		lines.Print(string(text))
	}
}

func lineOf(r mockserver.Request) line {
	l := line{
		Seq: r.Seq, Operation: r.Operation, Method: r.Method, Template: r.Template, Path: r.Template,
		Status: r.Status, Fields: r.Fields, MS: float64(r.Took.Microseconds()) / 1000,
	}
	if strings.HasPrefix(r.Identity, markPrefix) {
		l.Path = strings.Replace(r.Template, "{identityId}", r.Identity, 1)
	}
	return l
}
