package requests

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// note is what private state says of a request that is not fulfilled: why the next
// plan has something to do, or nothing more can come.
type note string

const (
	none note = ""
	// interrupted: the run ended while it waited, and the next apply goes on.
	interrupted note = "interrupted"
	// ready: the data can be fetched.
	ready note = "ready"
	// ended: the request failed or left the list without its effect. An object that
	// takes its place has to send another.
	ended note = "ended"
)

const noteKey = "request"

func noteIn(ctx context.Context, private tfkit.PrivateReader) note {
	value, _ := private.GetKey(ctx, noteKey)
	var text string
	if json.Unmarshal(value, &text) != nil {
		return none
	}
	return note(text)
}

func (n note) write(ctx context.Context, private tfkit.PrivateWriter) diag.Diagnostics {
	if n == none {
		return private.SetKey(ctx, noteKey, nil)
	}
	return private.SetKey(ctx, noteKey, []byte(`"`+string(n)+`"`))
}
