// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

var (
	// listed matches what is known of an exchange with the service, after a line that says what happened, lines of a file
	// by cause, lines that begin with two blanks, such as commands, and digests.
	listed = regexp.MustCompile(`(?s)(?:\n[^\n]+\n)?Operation: .*?(?:\n\n|$)|(?m:^.* \(\d+\): lines? .*$)|(?m:^  .*$)|\S{64,}`)
	word   = regexp.MustCompile(`\S*\pL\S*`)
)

// wantShort fails the test for a warning of more than 60 words, which nobody reads. Lists and numbers are not counted.
func (p *Provider) wantShort(diags []*tfprotov6.Diagnostic) {
	p.t.Helper()
	for _, d := range diags {
		words := word.FindAllString(listed.ReplaceAllString(d.Detail, ""), -1)
		if d.Severity == tfprotov6.DiagnosticSeverityWarning && len(words) > 60 {
			p.t.Errorf("the warning %q has %d words:\n%s", d.Summary, len(words), d.Detail)
		}
	}
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

// WantAlone fails the test where anything but the file is in its folder. It takes the file as recorded by Terraform.
func WantAlone(tb testing.TB, path string) {
	tb.Helper()
	outfile.Confirm(path)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		tb.Error(err)
	}
	for _, entry := range entries {
		if entry.Name() != filepath.Base(path) {
			tb.Errorf("%s was left behind", entry.Name())
		}
	}
}

// KillUnrecorded leaves a new file as a process does that is killed before Terraform has recorded the file. It fails the
// test where the next process could not tell.
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

// spelled returns the spellings in which a service or a gateway may quote a value.
func spelled(v string) []string {
	forms := []string{
		v, strings.ToUpper(v), strings.ToLower(v), strings.ToLower(url.QueryEscape(v)), url.QueryEscape(url.QueryEscape(v)),
		html.EscapeString(v), strings.ReplaceAll(v, "/", `\/`), hex.EncodeToString([]byte(v)),
	}
	for _, around := range []string{"", "x", "xy"} {
		forms = append(forms, base64.StdEncoding.EncodeToString([]byte(around+v)), base64.RawURLEncoding.EncodeToString([]byte(v+around)))
	}

	return forms
}

// QuotedBack returns the body of an error that repeats values in every spelling, and others as they are.
func QuotedBack(tb testing.TB, values []string, others ...string) []byte {
	tb.Helper()
	var fields []map[string]string
	for _, v := range values {
		for i, form := range spelled(v) {
			fields = append(fields, map[string]string{"field": fmt.Sprintf("f%d", i), "message": "no " + form + " is known"})
		}
	}
	body, err := json.Marshal(map[string]any{"error": map[string]any{"code": "E1", "message": "no " + strings.Join(append(others, values...), " ")}, "errors": fields})
	if err != nil {
		tb.Fatal(err)
	}

	return body
}

// WantNoCanary fails the test if an output holds a value in any spelling.
func WantNoCanary(tb testing.TB, where, written string, values ...string) {
	tb.Helper()
	for _, v := range values {
		quoted := strings.Trim(strconv.Quote(v), `"`)
		segment := strings.ReplaceAll(url.QueryEscape(v), "+", "%20")
		inJSON, _ := json.Marshal(v) // with & as \u0026, in states and plans too
		forms := append(spelled(v), quoted, strings.Trim(strconv.Quote(quoted), `"`), string(inJSON[1:len(inJSON)-1]),
			url.QueryEscape(v), url.PathEscape(v), segment, strings.ToLower(segment))
		for shift := range 3 { // base64 of text around the value shows it in one of three ways
			for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				encoded := encoding.EncodeToString([]byte(strings.Repeat("x", shift) + v))
				forms = append(forms, encoded[4:len(encoded)-4])
			}
		}

		for _, form := range forms {
			if i := strings.Index(written, form); i >= 0 {
				tb.Errorf("%s holds a canary, behind %q", where, written[max(0, i-80):i])
			}
		}
	}
}
