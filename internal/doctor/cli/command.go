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
	"github.com/mattn/go-isatty"
	"github.com/mitchellh/go-wordwrap"

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

It finds out how a service answers what its interface leaves open, and which settings the provider needs for it. The
provider's environment variables configure the service: all credentials and both path families that are set are tried.

Exit status: 0 if all is ok, 1 if something differs or is unknown, 2 if something is broken or nothing could be examined.

`

// Run runs the command and returns the exit status of the process: that of the report, or
// 2 where nothing could be examined.
func Run(ctx context.Context, p Process) int {
	o, err := p.parse()
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err == nil {
		err = p.confirm(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "doctor:", err)
		return 2
	}

	report := doctor.Examine(ctx, o.Options)
	if o.json {
		err = json.MarshalWrite(p.Stdout, report, jsontext.WithIndent("  "))
	} else {
		err = screen.Execute(p.Stdout, report)
	}
	if err != nil {
		return 2 // nobody reads it
	}

	return report.ExitStatus
}

// options are what the flags and the environment say.
type options struct {
	doctor.Options

	json, yes bool
}

// parse reads the flags and the environment. The error is flag.ErrHelp once help was printed.
func (p Process) parse() (o options, err error) {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	o.Version, o.Day = p.Version, today.AddDate(0, 0, -1)
	flags := flag.NewFlagSet(Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.Identity, "identity", "", "read consent and profile of the person `ID`")
	flags.BoolVar(&o.Rehearse, "rehearse", false, "do everything once, with an invented person or, for a service that accepts only people whom it knows, with that of -identity")
	flags.DurationVar(&o.Timeout, "timeout", 10*time.Minute, "how long the requests of a rehearsal may take")
	flags.BoolVar(&o.yes, "yes", false, "delete everything of the person of -identity without asking; needed without a terminal")
	flags.BoolVar(&o.json, "json", false, "print the report as JSON")
	flags.Func("day", "read the export of the UTC day `YYYY-MM-DD`; default is yesterday", func(text string) (err error) {
		o.Day, err = time.Parse(time.DateOnly, text)
		return err
	})
	if err = flags.Parse(p.Args[1:]); errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(p.Stdout)
		fmt.Fprint(p.Stdout, usage)
		flags.PrintDefaults()
	}

	var problems []string
	o.Client, o.Scope, problems = provider.ReadEnvironment(p.Version, p.Getenv)
	for problem, isThere := range map[string]bool{
		"it takes flags only; -help lists them":                flags.NArg() > 0,
		"-day must be a UTC day that is over":                  !o.Day.Before(today),
		"-timeout must be at least 1s":                         o.Timeout < time.Second,
		"-rehearse writes, and ANALYTICS_READ_ONLY forbids it": o.Rehearse && o.Client.ReadOnly,
	} {
		if isThere {
			problems = append(problems, problem)
		}
	}
	if len(problems) > 0 {
		err = cmp.Or(err, errors.New(strings.Join(problems, "\n")))
	}

	return o, err
}

// confirm has the user type the identity again before everything of the person is deleted. Without a
// person who can answer, it refuses. It ends with the context.
func (p Process) confirm(ctx context.Context, o options) error {
	if !o.Rehearse || o.Identity == "" || o.yes {
		return nil
	}
	if !p.Interactive {
		return errors.New("-rehearse -identity deletes everything of a person; without a terminal to ask in, it needs -yes")
	}

	fmt.Fprint(p.Stderr, "Everything of the person given with -identity will be deleted: the profile and all data\n"+
		"are erased, and the consent is overwritten with invented choices and then withdrawn. Nothing\n"+
		"brings it back. If this is a test person, type the identity again: ")
	if typed(ctx, p.Stdin) != o.Identity {
		return errors.New("the identity was not typed again, so nothing was sent")
	}

	return nil
}

// typed returns the line that is typed next; nothing if ctx ends before.
func typed(ctx context.Context, stdin io.Reader) (line string) {
	lines := make(chan string, 1) // nobody may wait for it any more
	go func() {
		line, _ := bufio.NewReader(stdin).ReadString('\n')
		lines <- line
	}()

	select {
	case line = <-lines:
	case <-ctx.Done():
	}

	return strings.TrimRight(line, "\r\n")
}

// screen is the report for people.
var screen = template.Must(template.New("report").Funcs(template.FuncMap{"item": item, "wrap": wordwrap.WrapString}).Parse(
	`analytics doctor {{.Version}}
{{$group := ""}}{{range .Findings}}
{{- if ne .Group $group}}{{$group = .Group}}
{{.Group}}
{{end}}{{item (printf "  %-8s %-24s " .Word .Check) (wrap .Text 43)}}{{end}}
For the provider block
{{- range .Setup}}
  {{.}}
{{- end}}
{{if .WireBlock}}{{item "  " .WireBlock}}{{else if eq .Result "ok"}}  no wire settings: the defaults fit
{{else}}  no wire settings were found
{{end}}
{{with .NotAnswered}}Not answered
{{range .}}{{item "  - " (wrap . 72)}}{{end}}
{{end}}{{.Result}}, exit status {{.ExitStatus}}
`))

// item returns a text behind its head, with further lines below the text.
func item(head, text string) string {
	return head + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+strings.Repeat(" ", len(head))) + "\n"
}
