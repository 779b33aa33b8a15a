// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// Document is what private state holds of an object that stands for a request.
type Document struct {
	Version int `json:"version"`
	// Submission is the one that the object stands for.
	Submission deferred.Submission `json:"submission,omitzero"`
	// Unanswered is one that an apply sent without learning the outcome; the next apply
	// continues from it.
	Unanswered deferred.Submission `json:"unanswered,omitzero"`
	// Values are what package profile remembers of members.
	Values jsontext.Value `json:"values,omitempty"`
	// Unread is the setting with which the data of a request that was carried out were not
	// recognised; empty if there is none.
	Unread string `json:"unread,omitempty"`
	// Asked is how often the data were asked for with that setting, and another request was
	// queued in place of an answer with the data.
	Asked int `json:"asked,omitempty"`
}

// documentKey is the key of the document in private state, and version the one that is written.
const (
	documentKey = "request"
	version     = 1
)

// Keys of private state in earlier versions of the provider.
const (
	keySubmission = "submission"
	keyUnanswered = "unanswered"
	keyValues     = "values"
)

// Read returns the document in private state, or what earlier versions have stored in its place.
func Read(ctx context.Context, private tfkit.Private) Document {
	d := Document{}
	if text, _ := private.GetKey(ctx, documentKey); len(text) > 0 {
		_ = json.Unmarshal(text, &d) // it is what Write has stored
		return d
	}

	submission, _ := private.GetKey(ctx, keySubmission)
	unanswered, _ := private.GetKey(ctx, keyUnanswered)
	d.Submission, d.Unanswered = deferred.Decode(submission), deferred.Decode(unanswered)
	d.Values, _ = private.GetKey(ctx, keyValues)

	return d
}

// Write stores the document, and removes what earlier versions have stored.
func (d Document) Write(ctx context.Context, private tfkit.Private) (diags diag.Diagnostics) {
	d.Version = version
	text, _ := json.Marshal(d) // cannot fail for texts, flags and times of this era
	diags.Append(private.SetKey(ctx, documentKey, text)...)
	for _, key := range []string{keySubmission, keyUnanswered, keyValues} {
		diags.Append(private.SetKey(ctx, key, nil)...)
	}

	return diags
}
