// SPDX-License-Identifier: MPL-2.0

// Package cli is the command `doctor` of the provider's binary: its flags, its questions,
// and its report as text or JSON.
package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/template"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/mattn/go-isatty"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// Name is the first argument that selects the command.
const Name = "doctor"

// Process is what the command has of its process. Tests have their own.
type Process struct {
	Args           []string // after the name of the program
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Version        string
	// Interactive reports whether a person can answer questions.
	Interactive bool
}

// OSProcess returns this process.
func OSProcess(version string) Process {
	return Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Version: version,
		Interactive: isatty.IsTerminal(os.Stdin.Fd()) && isatty.IsTerminal(os.Stderr.Fd()),
	}
}

// usage is what -help prints before the flags.
const usage = `terraform-provider-analytics doctor [-identity ID] [-rehearse [-yes] [-timeout 10m]] [-json]

It finds out how a service answers what its interface leaves open. The provider's environment variables
(ANALYTICS_BASE_URL, …) configure the service. Several credentials and both path families may be set: each is tried.

Without flags, only a person who does not exist is read, and nothing is written. With -rehearse, everything is done
once with a person whom the command invents, and who is deleted in the end; the withdrawn consent record stays.

Exit status: 0 if all is ok, 1 if something differs or is unknown, 2 if something is broken or nothing could be examined.

`

// Run runs the command and returns the exit status of the process: that of the report, or
// 2 where nothing could be examined.
func Run(ctx context.Context, p Process) int {
	o, asJSON, err := p.parse(ctx)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}

	var report *doctor.Report
	if err == nil {
		report = doctor.Examine(ctx, o)
		err = p.print(report, asJSON)
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "doctor:", err)
		return 2
	}

	return report.ExitStatus
}

// parse reads the flags and the environment, and asks what has to be asked. The error is flag.ErrHelp once help was
// printed.
func (p Process) parse(ctx context.Context) (o doctor.Options, asJSON bool, err error) {
	flags := flag.NewFlagSet(Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.Identity, "identity", "", "read consent and profile of the person `ID`")
	flags.BoolVar(&o.Rehearse, "rehearse", false, "do everything once, with an invented person or, for a service that accepts only people whom it knows, with that of -identity")
	flags.DurationVar(&o.Timeout, "timeout", 10*time.Minute, "how long the requests of a rehearsal may take")
	yes := flags.Bool("yes", false, "delete everything of the person of -identity without asking; needed without a terminal")
	flags.BoolVar(&asJSON, "json", false, "print the report as JSON")
	flags.Func("day", "read the export of the UTC day `YYYY-MM-DD`; default is yesterday", func(text string) (err error) {
		o.Day, err = time.Parse(time.DateOnly, text)
		return err
	})

	err = flags.Parse(p.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(p.Stdout)
		fmt.Fprint(p.Stdout, usage)
		flags.PrintDefaults()
	case err == nil && flags.NArg() > 0:
		err = errors.New("it takes flags only; -help lists them")
	case err == nil:
		err = p.complete(&o)
	}
	if err == nil && o.Rehearse && o.Identity != "" && !*yes {
		err = p.confirm(ctx, o.Identity)
	}

	return o, asJSON, err
}

// print prints a report as JSON or for people.
func (p Process) print(report *doctor.Report, asJSON bool) error {
	if asJSON {
		return json.MarshalWrite(p.Stdout, report, jsontext.WithIndent("  "))
	}
	return screen.Execute(p.Stdout, report)
}

// complete adds to the flags what the environment says. A day that is not over is refused,
// since exporting it is not advised (section 8).
func (p Process) complete(o *doctor.Options) error {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	if o.Day.IsZero() {
		o.Day = today.AddDate(0, 0, -1)
	}

	var problems []string

	o.Version = p.Version
	o.Client, o.Scope, problems = provider.ReadEnvironment(p.Version, p.Getenv)
	switch {
	case o.Timeout < time.Second, o.Timeout > 24*time.Hour:
		return errors.New("-timeout must be from 1s to 24h")
	case !o.Day.Before(today):
		return errors.New("-day must be a UTC day that is over")
	case len(problems) > 0:
		return errors.New(strings.Join(problems, "\n"))
	case o.Rehearse && o.Client.ReadOnly:
		return errors.New("-rehearse writes, and ANALYTICS_READ_ONLY forbids it")
	}

	return nil
}

// confirm has the user type the identity again before everything of the person is deleted. Without a
// person who can answer, it refuses. It ends with the context.
func (p Process) confirm(ctx context.Context, identity string) error {
	if !p.Interactive {
		return errors.New("-rehearse -identity deletes everything of a person; without a terminal to ask in, it needs -yes")
	}

	fmt.Fprint(p.Stderr, "Everything of the person given with -identity will be deleted: the profile and all data\n"+
		"are erased, and the consent is overwritten with invented choices and then withdrawn. Nothing\n"+
		"brings it back. If this is a test person, type the identity again: ")
	typed := make(chan string, 1)
	go func() {
		answers := bufio.NewScanner(p.Stdin)
		answers.Scan()
		typed <- answers.Text() // nobody may wait for it any more
	}()

	select {
	case <-ctx.Done():
		return errors.New("interrupted, so nothing was sent")
	case text := <-typed:
		if text == identity {
			return nil
		}
		return errors.New("that is another identity, so nothing was sent")
	}
}

// screen is the report for people.
var screen = template.Must(template.New("report").Funcs(template.FuncMap{"item": item, "wrap": wrap, "settings": settings}).Parse(
	`analytics doctor {{.Version}}: {{.Level}}
{{$group := ""}}{{range .Findings}}
{{- if ne .Group $group}}{{$group = .Group}}
{{.Group}}
{{end}}{{item (wrap .Text) "  %-8s %-24s " .Word .Check}}{{end}}
For the provider block
{{- if eq .Setup.PathFamily "project"}}
  org_id and project_id, and no account_id
{{- else if eq .Setup.PathFamily "account"}}
  account_id, and no org_id and project_id
{{- end}}{{with .Setup.Credentials}}
  credentials: {{.}}
{{- end}}
{{item (settings .) "  "}}
Not answered
{{range .NotAnswered}}{{item (wrap .) "  - "}}{{end}}
{{.Result}}, exit status {{.ExitStatus}}; {{.Requests}} answers
`))

// settings returns the block wire, or what having none means.
func settings(r *doctor.Report) string {
	none := map[doctor.Word]string{doctor.OK: "no wire settings: the defaults fit", doctor.Broken: "no wire settings were found for what is broken"}
	return cmp.Or(r.WireBlock, none[r.Result], "no wire settings for what was seen")
}

func wrap(item string) string { return text.WrapSoft(item, 72) }

// item returns a text behind its head, with further lines below the text.
func item(text, format string, values ...any) string {
	head := fmt.Sprintf(format, values...)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return head + strings.Join(lines, "\n"+strings.Repeat(" ", len(head))) + "\n"
}
