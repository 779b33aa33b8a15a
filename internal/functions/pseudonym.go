// SPDX-License-Identifier: MPL-2.0

package functions

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

const (
	// leastKey is the shortest key of a pseudonym, in bytes.
	leastKey = 16

	// pseudonymBytes is how much of the digest a pseudonym has. 128 bits keep billions of
	// people apart.
	pseudonymBytes = 16
)

var _ function.Function = pseudonym{}

// NewPseudonym returns the function pseudonym.
func NewPseudonym() function.Function { return pseudonym{} }

type pseudonym struct{}

func (pseudonym) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "pseudonym"
}

func (pseudonym) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Name a person without showing the person",
		MarkdownDescription: "Returns 32 hexadecimal characters that stand for a person: the first 16 bytes of the HMAC-SHA-256 of the identity. Use them as keys of `for_each`, so that resource addresses show nobody.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "identity_id",
				MarkdownDescription: "The person's ID, as the service knows it.",
			},
			function.StringParameter{
				Name:                "key",
				MarkdownDescription: fmt.Sprintf("A secret of at least %d bytes.", leastKey),
			},
		},
		Return: function.StringReturn{},
	}
}

func (pseudonym) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var identity, key string
	resp.Error = req.Arguments.Get(ctx, &identity, &key)
	if resp.Error != nil {
		return
	}

	if err := client.ValidateSegment(identity); err != nil {
		resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("The identity %v", err))
		return
	}
	if len(key) < leastKey {
		resp.Error = function.NewArgumentFuncError(1, fmt.Sprintf("The key is too short: it needs at least %d bytes", leastKey))
		return
	}

	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(identity))
	resp.Error = resp.Result.Set(ctx, hex.EncodeToString(mac.Sum(nil)[:pseudonymBytes]))
}
