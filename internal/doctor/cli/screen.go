// SPDX-License-Identifier: MPL-2.0

package cli

import (
	"fmt"
	"strings"
	"text/template"

	"github.com/jedib0t/go-pretty/v6/text"
)

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
