package requests

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// kind names what a resource asks for.
type kind struct {
	operation string // one of client.Operations
	noun      string // such as "deletion"
	call      string // the operation of section 4, as errors name it
	method    string
}

// named is a request id for people, escaped and cut: it is the service's text.
func named(id string) string {
	if id == "" {
		return "without an id"
	}
	return tfkit.QuoteID(id)
}

const shownOthers = 10

func (k kind) warnAdopted(diags *diag.Diagnostics, r client.Request) {
	if !r.Adopted {
		k.warnOthers(diags, r)
		return
	}
	text := "The service has a pending " + k.noun + " of this person already, request " + named(r.ID) + ". It was taken over: nothing was sent, and this object stands for that request now."
	if len(r.Others) > 0 {
		text += "\n\n" + k.others(r)
	}
	diags.AddWarning("A pending "+k.noun+" was taken over", text)
}

func (k kind) warnOthers(diags *diag.Diagnostics, r client.Request) {
	if len(r.Others) > 0 {
		diags.AddWarning("The "+k.noun+" is pending more than once", k.others(r))
	}
}

func (k kind) others(r client.Request) string {
	shown := r.Others[:min(len(r.Others), shownOthers)]
	names := make([]string, len(shown))
	for i, id := range shown {
		names[i] = named(id)
	}
	text := fmt.Sprintf("Beside it %d more of the same kind are pending for this person, which Terraform leaves alone: %s", len(r.Others), strings.Join(names, ", "))
	if len(r.Others) > len(shown) {
		text += ", …"
	}
	return text + "."
}

func (k kind) warnKnown(diags *diag.Diagnostics, t *ticket) {
	diags.AddWarning("No second "+k.noun+" was sent",
		"This run has met a "+k.noun+" of the same person with the same triggers before, request "+named(t.RequestID.ValueString())+" of "+t.RequestedAt.ValueString()+
			": that of the object that this one replaces, or of another one for the same person. It was taken over, and nothing was sent.\n\n"+
			"What to do: nothing. To send another one, change triggers.")
}

func (k kind) warnGone(diags *diag.Diagnostics, t *ticket) {
	diags.AddWarning("The "+k.noun+" left the list without its effect",
		"Request "+named(t.RequestID.ValueString())+" is no longer pending, and the person's profile is still there: the service has dropped it, or new data has come in since.\n\n"+
			"In state now: the request, with fulfilled = false.\nWhat to do: ask the operator of the service about the request. To send another one, change triggers or replace the object.")
}

func (k kind) warnRejected(diags *diag.Diagnostics, t *ticket, code string) {
	diags.AddWarning("The "+k.noun+" failed",
		"The service accepted request "+named(t.RequestID.ValueString())+" and then failed it"+because(code)+".\n\n"+
			"In state now: the request, with fulfilled = false.\nWhat to do: remove the cause, then change triggers or replace the object to send another one.")
}

func (k kind) warnStatus(diags *diag.Diagnostics, t *ticket, status string) {
	diags.AddWarning("Unknown status of the "+k.noun,
		"The service gives request "+named(t.RequestID.ValueString())+" the status "+strconv.Quote(status)+", which this version of the provider does not know. It is treated as pending.")
}

func because(code string) string {
	if code == "" {
		return ""
	}
	return " with the code " + strconv.Quote(code)
}
