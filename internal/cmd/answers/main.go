// SPDX-License-Identifier: MPL-2.0

// Command answers reads a page from its input, as a template whose actions stand in HTML comments, and writes it with
// the answers of package catalogue, by endpoint. It is a step of `make docs`.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/template"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/catalogue"
)

func main() {
	if err := write(os.Stdout, os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		os.Exit(1)
	}
}

func write(out io.Writer, in io.Reader) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	page, err := template.New("page").Delims("<!--", "-->").Funcs(template.FuncMap{"code": code, "cell": cell}).Parse(string(text))
	if err != nil {
		return err
	}

	answers := map[string][]catalogue.Answer{}
	for _, a := range catalogue.All() {
		answers[string(a.Endpoint)] = append(answers[string(a.Endpoint)], a)
	}

	return page.Execute(out, answers)
}

// code returns a text as code in a cell, cut behind 300 bytes.
func code(text string) string {
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "…"
	}
	return "`" + cell(strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", " ↵ ")) + "`"
}

// cell escapes what would end a cell, and what the generator of the documentation would take for an action.
func cell(text string) string { return strings.NewReplacer("|", `\|`, "{{", `{{"{{"}}`).Replace(text) }
