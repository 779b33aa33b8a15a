// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
)

// Diagnostics are those of one call of the protocol.
type Diagnostics []*tfprotov6.Diagnostic

// Errors returns the errors as "summary: detail (attribute)".
func (d Diagnostics) Errors() []string { return d.texts(tfprotov6.DiagnosticSeverityError) }

// Warnings returns the warnings as "summary: detail (attribute)".
func (d Diagnostics) Warnings() []string { return d.texts(tfprotov6.DiagnosticSeverityWarning) }

func (d Diagnostics) texts(severity tfprotov6.DiagnosticSeverity) (texts []string) {
	for _, one := range d {
		text := one.Summary + ": " + one.Detail
		if len(one.Attribute.Steps()) > 0 {
			text += fmt.Sprintf(" (%s)", one.Attribute)
		}
		if one.Severity == severity {
			texts = append(texts, text)
		}
	}

	return texts
}

// WantText fails the test where no text contains all the words. Without words, it fails where there is a text.
func WantText(tb testing.TB, texts []string, words ...string) {
	tb.Helper()
	for _, text := range texts {
		if len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			return
		}
	}

	if len(words)+len(texts) > 0 {
		tb.Errorf("nothing says %q, only:\n%s", words, strings.Join(texts, "\n---\n"))
	}
}

// WantAlone fails the test where anything but the file is in its folder. A new file has a second
// name there until Terraform has recorded it, which WantAlone takes as done.
func WantAlone(tb testing.TB, path string) {
	tb.Helper()
	outfile.Confirm(path)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || slices.ContainsFunc(entries, func(entry os.DirEntry) bool { return entry.Name() != filepath.Base(path) }) {
		tb.Errorf("something was left behind: %v, %v", entries, err)
	}
}

// KillUnrecorded leaves a file that this process has written as it is if the process is killed before
// Terraform has recorded the file. It fails the test where the next process could not tell.
func KillUnrecorded(tb testing.TB, path string) {
	tb.Helper()
	if !outfile.IsUnrecorded(path) {
		tb.Fatal("the next process takes the file for somebody else's")
	}

	outfile.Confirm(path) // ends the lock of this process
	sum := sha256.Sum256([]byte(filepath.Base(path)))
	if err := os.Link(path, filepath.Join(filepath.Dir(path), fmt.Sprintf(".analytics-%x.tmp", sum[:8]))); err != nil {
		tb.Fatal(err)
	}
}
