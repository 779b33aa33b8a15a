package acctest

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Diagnostics are those of one call of the protocol.
type Diagnostics []*tfprotov6.Diagnostic

// Errors returns the errors as "summary: detail (attribute)".
func (d Diagnostics) Errors() []string { return d.texts(tfprotov6.DiagnosticSeverityError) }

// Warnings returns the warnings as "summary: detail (attribute)".
func (d Diagnostics) Warnings() []string { return d.texts(tfprotov6.DiagnosticSeverityWarning) }

func (d Diagnostics) texts(severity tfprotov6.DiagnosticSeverity) []string {
	var texts []string
	for _, one := range d {
		if one.Severity != severity {
			continue
		}

		text := one.Summary + ": " + one.Detail
		if one.Attribute != nil && len(one.Attribute.Steps()) > 0 {
			text += fmt.Sprintf(" (%s)", one.Attribute)
		}
		texts = append(texts, text)
	}

	return texts
}
