// SPDX-License-Identifier: MPL-2.0

package functions

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

var _ function.Function = importID{}

// NewImportID returns the function import_id.
func NewImportID() function.Function { return importID{} }

type importID struct{}

func (importID) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "import_id"
}

func (importID) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Build the import ID of a person",
		MarkdownDescription: "Returns the import ID of `analytics_consent` and `analytics_profile` for a person, with each part percent-encoded. " +
			"Do not use `urlencode` for this: it writes a space as `+`, which is another person.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "identity_id",
				MarkdownDescription: "The person's ID, as the service knows it.",
			},
		},
		VariadicParameter: function.StringParameter{
			Name: "scope",
			MarkdownDescription: "Where the person is: nothing for the scope of the provider block, one value for an account, " +
				"or two values for an organization and a project.",
		},
		Return: function.StringReturn{},
	}
}

func (importID) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var identity string
	var scope []string
	resp.Error = req.Arguments.Get(ctx, &identity, &scope)
	if resp.Error != nil {
		return
	}
	if len(scope) > 2 {
		resp.Error = function.NewArgumentFuncError(3, "The scope has at most two values: an organization and a project")
		return
	}

	parts := append([]string{identity}, scope...)
	for i, part := range parts {
		if err := client.ValidateSegment(part); err != nil {
			resp.Error = function.NewArgumentFuncError(int64(i), fmt.Sprintf("The value %v", err))
			return
		}
		parts[i] = url.PathEscape(part)
	}
	resp.Error = resp.Result.Set(ctx, strings.Join(append(parts[1:], parts[0]), "/"))
}
