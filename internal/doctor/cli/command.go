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
	"time"

	"github.com/urfave/cli/v3"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// Name is the first argument that selects the command.
const Name = "doctor"

// exitUsage is the exit status where nothing could be examined.
const exitUsage = 2

// Numbers of records of an export that are read at most, by default and by -records.
const (
	presetRecords = 100
	limitRecords  = 100_000
)

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
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Version: version, Interactive: isTerminal(os.Stdin) && isTerminal(os.Stderr),
		Settle: settle,
	}
}

// isTerminal reports whether a file is a character device other than the null device.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// settings are the flags.
type settings struct {
	json, write, yes bool
	identity, day    string
	records          int
}

// Run runs the command and returns the exit status of the process: that of the report, or
// 2 where nothing could be examined.
func Run(ctx context.Context, p Process) int {
	status := 0 // of -help
	var s settings

	command := &cli.Command{
		Name:      Name,
		Usage:     "find out how a service answers what its interface leaves open",
		UsageText: "terraform-provider-analytics doctor [-identity ID [-write [-yes]]] [-json]",
		Description: "The provider's environment variables (ANALYTICS_BASE_URL, …) configure the service. Several credentials and both path families may be set: each is tried.\n\n" +
			"Without flags, nobody is read and nothing is written. Requests that the service queues are never sent.\n\n" +
			"Exit status: 0 if all is ok, 1 if something differs or is unknown, 2 if something is broken or nothing could be examined.",
		Flags:           s.flags(),
		HideHelpCommand: true,
		Writer:          p.Stdout,
		ErrWriter:       p.Stderr,
		ExitErrHandler:  func(context.Context, *cli.Command, error) {},
		OnUsageError:    func(_ context.Context, _ *cli.Command, err error, _ bool) error { return err },
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return errors.New("it takes flags only; -help lists them")
			}
			var err error
			status, err = p.examine(ctx, s)
			return err
		},
	}

	if err := command.Run(ctx, p.Args); err != nil {
		fmt.Fprintln(p.Stderr, "doctor:", err)
		return exitUsage
	}

	return status
}

func (s *settings) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "identity", Usage: "read consent and profile of the person `ID`", Destination: &s.identity},
		&cli.BoolFlag{Name: "write", Usage: "write the consent of that person, a test person, and restore it", Destination: &s.write},
		&cli.BoolFlag{Name: "yes", Usage: "do not ask before writing; needed without a terminal", Destination: &s.yes},
		&cli.StringFlag{Name: "day", Usage: "read the export of the UTC day `YYYY-MM-DD`; default is yesterday", Destination: &s.day},
		&cli.IntFlag{Name: "records", Usage: "read at most `N` records of that export", Value: presetRecords, Destination: &s.records},
		&cli.BoolFlag{Name: "json", Usage: "print the report as JSON", Destination: &s.json},
	}
}

// examine examines the service, prints the report and returns its exit status.
func (p Process) examine(ctx context.Context, s settings) (int, error) {
	options, err := p.options(s)
	if err != nil {
		return exitUsage, err
	}

	if s.write && !s.yes {
		if err := p.confirm(s.identity); err != nil {
			return exitUsage, err
		}
	}

	report := doctor.Examine(ctx, options)
	if !s.json {
		return report.ExitStatus, writeText(p.Stdout, report)
	}

	encoder := json.NewEncoder(p.Stdout)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)

	return report.ExitStatus, encoder.Encode(report)
}

// options returns what to examine, from the flags and the environment. A day that is not over
// is refused, since exporting it is not advised (section 8).
func (p Process) options(s settings) (doctor.Options, error) {
	o := doctor.Options{Version: p.Version, Identity: s.identity, Write: s.write, Records: s.records, Settle: p.Settle}
	if s.write && s.identity == "" {
		return o, errors.New("-write needs -identity, the identity of a test person")
	}
	if s.records < 1 || s.records > limitRecords {
		return o, fmt.Errorf("-records is a number from 1 to %d", limitRecords)
	}

	today := time.Now().UTC().Truncate(24 * time.Hour)
	o.Day = today.AddDate(0, 0, -1)
	if s.day != "" {
		var err error
		if o.Day, err = client.ParseDay(s.day); err != nil {
			return o, errors.New("-day " + err.Error())
		}
	}
	if !o.Day.Before(today) {
		return o, errors.New("-day must be a UTC day that is over")
	}

	e, problems := provider.ReadEnvironment(p.Version, p.Getenv)
	if len(problems) > 0 {
		return o, errors.New(strings.Join(problems, "\n"))
	}
	if s.write && e.Client.ReadOnly {
		return o, errors.New("-write writes, and ANALYTICS_READ_ONLY forbids it")
	}
	o.Client, o.Scope = e.Client, e.Scope

	return o, nil
}

// confirm asks twice whether the consent of the person may be written. Without a person
// who can answer, it refuses.
func (p Process) confirm(identity string) error {
	if !p.Interactive {
		return errors.New("-write changes the consent of a person; without a terminal to ask in, it needs -yes")
	}

	answers := bufio.NewScanner(p.Stdin)
	fmt.Fprint(p.Stderr, "The consent of the person given with -identity will be written several times with\n"+
		"invented choices, and restored afterwards. A person who has no consent record keeps one\n"+
		"that refuses everything. Is this a test person? Type yes: ")
	if !answers.Scan() || strings.TrimSpace(answers.Text()) != "yes" {
		return errors.New("nothing was sent")
	}

	fmt.Fprint(p.Stderr, "Type the identity again: ")
	if !answers.Scan() || answers.Text() != identity {
		return errors.New("that is another identity, so nothing was sent")
	}

	return nil
}
