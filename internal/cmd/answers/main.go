// SPDX-License-Identifier: MPL-2.0

// Command answers reads a template of a page from its input, and writes it with the tables of
// package catalogue in place of the line "<!-- answers -->". It is a step of `make docs`.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/catalogue"
)

func main() {
	page, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		os.Exit(1)
	}

	var tables []string
	for _, endpoint := range catalogue.Endpoints {
		tables = append(tables, catalogue.Table(endpoint))
	}
	text := strings.NewReplacer("{{", `{{"{{"}}`).Replace(strings.Join(tables, "\n"))
	fmt.Fprint(os.Stdout, strings.Replace(string(page), "<!-- answers -->\n", text, 1))
}
