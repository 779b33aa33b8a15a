// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
)

// Keys of private state. KeySubmission holds the submission that the object stands for.
// KeyUnanswered holds one that an apply sent without learning the outcome; the next apply
// continues from it.
const (
	KeySubmission = "submission"
	KeyUnanswered = "unanswered"
)

type (
	// PrivateReader reads private state.
	PrivateReader interface {
		GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	}
	// PrivateWriter writes private state.
	PrivateWriter interface {
		SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
	}
)

// ReadSubmission returns the submission under a key of private state; the zero value if it
// holds none.
func ReadSubmission(ctx context.Context, private PrivateReader, key string) deferred.Submission {
	text, _ := private.GetKey(ctx, key)
	return deferred.Decode(text)
}

// writeSubmission stores a submission under a key of private state. The zero value removes
// it.
func writeSubmission(ctx context.Context, private PrivateWriter, key string, s deferred.Submission) diag.Diagnostics {
	if s.State == deferred.Idle {
		return private.SetKey(ctx, key, nil)
	}
	return private.SetKey(ctx, key, s.Encode())
}
