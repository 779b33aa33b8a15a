// SPDX-License-Identifier: MPL-2.0

// Package cli is the command `doctor` of the provider's binary: its flags, its questions,
// and its report as text or JSON.
package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/template"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v3"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// Name is the first argument that selects the command.
const Name = "doctor"

// settle is our assumption, since the interface does not say how soon a write shows.
const settle = 2 * time.Second

// Process is what the command has of its process. Tests have their own.
type Process struct {
	Args           []string // after the name of the program
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Version        string
	// Interactive reports whether a person can answer questions.
	Interactive bool
	// Settle is how long a read of the service may lag behind a write.
	Settle time.Duration
}

// OSProcess returns this process.
func OSProcess(version string) Process {
	return Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Version: version,
		Interactive: isatty.IsTerminal(os.Stdin.Fd()) && isatty.IsTerminal(os.Stderr.Fd()), Settle: settle,
	}
}

// Run runs the command and returns the exit status of the process: that of the report, or
// 2 where nothing could be examined.
func Run(ctx context.Context, p Process) int {
	status := 0 // of -help
	o := doctor.Options{Version: p.Version, Settle: p.Settle}
	var asJSON, yes bool

	command := &cli.Command{
		Name:      Name,
		Usage:     "find out how a service answers what its interface leaves open",
		UsageText: "terraform-provider-analytics doctor [-identity ID [-write [-yes]]] [-json]",
		Description: "The provider's environment variables (ANALYTICS_BASE_URL, …) configure the service. Several credentials and both path families may be set: each is tried.\n\n" +
			"Without flags, nobody is read and nothing is written. Requests that the service queues are never sent.\n\n" +
			"Exit status: 0 if all is ok, 1 if something differs or is unknown, 2 if something is broken or nothing could be examined.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "identity", Usage: "read consent and profile of the person `ID`", Destination: &o.Identity},
			&cli.BoolFlag{Name: "write", Usage: "write the consent of that person, a test person, and restore it", Destination: &o.Write},
			&cli.BoolFlag{Name: "yes", Usage: "do not ask before writing; needed without a terminal", Destination: &yes},
			&cli.TimestampFlag{
				Name: "day", Usage: "read the export of the UTC day `YYYY-MM-DD`; default is yesterday", Destination: &o.Day,
				Config: cli.TimestampConfig{Layouts: []string{time.DateOnly}},
			},
			&cli.BoolFlag{Name: "json", Usage: "print the report as JSON", Destination: &asJSON},
		},
		HideHelpCommand: true,
		Writer:          p.Stdout,
		ErrWriter:       p.Stderr,
		ExitErrHandler:  func(context.Context, *cli.Command, error) {},
		OnUsageError:    func(_ context.Context, _ *cli.Command, err error, _ bool) error { return err },
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return errors.New("it takes flags only; -help lists them")
			}
			if err := p.complete(&o); err != nil {
				return err
			}
			if o.Write && !yes {
				if err := p.confirm(o.Identity); err != nil {
					return err
				}
			}

			report := doctor.Examine(ctx, o)
			status = report.ExitStatus
			if !asJSON {
				return screen.Execute(p.Stdout, report)
			}

			encoder := json.NewEncoder(p.Stdout)
			encoder.SetIndent("", "  ")
			encoder.SetEscapeHTML(false)

			return encoder.Encode(report)
		},
	}

	if err := command.Run(ctx, p.Args); err != nil {
		fmt.Fprintln(p.Stderr, "doctor:", err)
		return 2
	}

	return status
}

// complete adds to the flags what the environment says. A day that is not over is refused,
// since exporting it is not advised (section 8).
func (p Process) complete(o *doctor.Options) error {
	if o.Write && o.Identity == "" {
		return errors.New("-write needs -identity, the identity of a test person")
	}

	today := time.Now().UTC().Truncate(24 * time.Hour)
	if o.Day.IsZero() {
		o.Day = today.AddDate(0, 0, -1)
	}
	if !o.Day.Before(today) {
		return errors.New("-day must be a UTC day that is over")
	}

	var problems []string
	o.Client, o.Scope, problems = provider.ReadEnvironment(p.Version, p.Getenv)
	if len(problems) > 0 {
		return errors.New(strings.Join(problems, "\n"))
	}
	if o.Write && o.Client.ReadOnly {
		return errors.New("-write writes, and ANALYTICS_READ_ONLY forbids it")
	}

	return nil
}

// confirm has the user type the identity again before the consent of the person is written. Without
// a person who can answer, it refuses.
func (p Process) confirm(identity string) error {
	if !p.Interactive {
		return errors.New("-write changes the consent of a person; without a terminal to ask in, it needs -yes")
	}

	answers := bufio.NewScanner(p.Stdin)
	fmt.Fprint(p.Stderr, "The consent of the person given with -identity will be written several times with\n"+
		"invented choices, and restored afterwards. A person who has no consent record keeps one\n"+
		"that refuses everything. If this is a test person, type the identity again: ")
	if !answers.Scan() || answers.Text() != identity {
		return errors.New("that is another identity, so nothing was sent")
	}

	return nil
}

// screen is the report for people.
var screen = template.Must(template.New("report").Funcs(template.FuncMap{"item": item, "wrap": wrap}).Parse(
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
{{item (or .WireBlock "no wire settings: as far as the command could see, the defaults fit") "  "}}
Not answered
{{range .NotAnswered}}{{item (print .Question ": " .Why | wrap) "  - "}}{{end}}
{{.Result}}, exit status {{.ExitStatus}}; {{.Requests}} answers, {{.LoginAttempts}} of them to logins
`))

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
