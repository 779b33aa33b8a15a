// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// The lines around the figures of a measurement in a page.
const (
	sectionBegins = "<!-- bench: %s -->\n"
	sectionEnds   = "<!-- bench ends -->\n"
)

// page is a Markdown file with a section for each measurement.
type page struct {
	file, made string // its path, and a sentence that says how the figures were made
}

// newPage returns the page in a file, for a run with a CLI and arguments.
func newPage(file, cli string, args []string, day time.Time) page {
	chosen := strings.TrimPrefix(strings.Join(args, " "), "-page "+file+" ")

	return page{file: file, made: fmt.Sprintf("Measured on %s with %s on %s/%s, %d processors: `make figures BENCHARGS=%q`.",
		day.Format(time.DateOnly), cli, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), chosen)}
}

// put replaces the section of a measurement.
func (p page) put(measurement, figures string) error {
	text, err := os.ReadFile(p.file)
	if err != nil {
		return err
	}

	head, rest, begins := bytes.Cut(text, fmt.Appendf(nil, sectionBegins, measurement))
	_, tail, ends := bytes.Cut(rest, []byte(sectionEnds))
	if !begins || !ends {
		return fmt.Errorf("%s has no section for %s", p.file, measurement)
	}

	section := fmt.Sprintf(sectionBegins, measurement) + figures + "\n" + p.made + "\n" + sectionEnds

	return os.WriteFile(p.file, bytes.Join([][]byte{head, tail}, []byte(section)), 0o600)
}
