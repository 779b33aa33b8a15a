// SPDX-License-Identifier: MPL-2.0

package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor"
)

// Widths of the columns, in characters.
const (
	wordWidth  = 8
	checkWidth = 24
	textWidth  = 72
)

// writeText prints the report for people.
func writeText(out io.Writer, r *doctor.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "analytics doctor %s: %s\n", r.Version, r.Level)

	counts := map[doctor.Word]int{}
	group := ""
	for _, f := range r.Findings {
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(&b, "\n%s\n", group)
		}
		head := fmt.Sprintf("  %-*s %-*s ", wordWidth, f.Word, checkWidth, f.Check)
		b.WriteString(wrapped(head, f.Text))
		counts[f.Word]++
	}

	b.WriteString("\nFor the provider block\n")

	switch r.Setup.PathFamily {
	case "project":
		b.WriteString("  org_id and project_id, and no account_id\n")
	case "account":
		b.WriteString("  account_id, and no org_id and project_id\n")
	}
	if r.Setup.Credentials != "" {
		fmt.Fprintf(&b, "  credentials: %s\n", r.Setup.Credentials)
	}
	if r.WireBlock == "" {
		b.WriteString("  no wire settings: as far as the command could see, the defaults fit\n")
	}
	for line := range strings.Lines(r.WireBlock) {
		b.WriteString("  " + line)
	}

	b.WriteString("\nNot answered\n")
	for _, o := range r.NotAnswered {
		b.WriteString(wrapped("  - ", o.Question+": "+o.Why))
	}
	fmt.Fprintf(&b, "\n%d ok, %d unknown, %d differs, %d broken; %d answers, %d of them to logins; exit status %d\n",
		counts[doctor.OK], counts[doctor.Unknown], counts[doctor.Differs], counts[doctor.Broken], r.Requests, r.LoginAttempts, r.ExitStatus)
	_, err := io.WriteString(out, b.String())

	return err
}

// wrapped returns an item behind its head, with further lines below the item.
func wrapped(head, item string) string {
	lines := strings.Split(text.WrapSoft(item, textWidth), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return head + strings.Join(lines, "\n"+strings.Repeat(" ", len(head))) + "\n"
}
