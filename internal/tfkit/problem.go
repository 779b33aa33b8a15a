package tfkit

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// Problem is a diagnostic in the form that all of them share: what happened, what is in
// state now, and what to do. It must not hold secrets or personal data.
type Problem struct {
	// Summary is a headline of at most 60 characters, without a full stop.
	Summary string
	// Detail says what happened, in whole sentences.
	Detail string
	// InState completes the sentence "In state now: …", without its full stop; empty if
	// the state does not matter.
	InState string
	// Do completes the sentence "What to do: …", with its full stop; empty for nothing.
	Do string
	// At is the attribute that the problem is about; empty for none.
	At path.Path
}

// AddError reports the problem as an error.
func (p Problem) AddError(diags *diag.Diagnostics) {
	if len(p.At.Steps()) == 0 {
		diags.AddError(p.Summary, p.text())
		return
	}

	diags.AddAttributeError(p.At, p.Summary, p.text())
}

// AddWarning reports the problem as a warning.
func (p Problem) AddWarning(diags *diag.Diagnostics) {
	if len(p.At.Steps()) == 0 {
		diags.AddWarning(p.Summary, p.text())
		return
	}

	diags.AddAttributeWarning(p.At, p.Summary, p.text())
}

// text returns the detail, followed by a paragraph with the state and what to do, if given.
func (p Problem) text() string {
	var next []string
	if p.InState != "" {
		next = append(next, "In state now: "+p.InState+".")
	}
	if p.Do != "" {
		next = append(next, "What to do: "+p.Do)
	}

	if len(next) == 0 {
		return p.Detail
	}

	return p.Detail + "\n\n" + strings.Join(next, "\n")
}
