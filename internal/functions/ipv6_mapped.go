// SPDX-License-Identifier: MPL-2.0

package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
)

var _ function.Function = ipv6Mapped{}

// NewIPv6Mapped returns the function ipv6_mapped.
func NewIPv6Mapped() function.Function { return ipv6Mapped{} }

type ipv6Mapped struct{}

func (ipv6Mapped) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "ipv6_mapped"
}

func (ipv6Mapped) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Write an IP address as an IPv6 address",
		MarkdownDescription: "Returns the canonical form of an IPv6 address. An IPv4 address is mapped into IPv6, as the service stores it: " +
			"`192.0.2.1` becomes `::ffff:192.0.2.1`. Two addresses are the same exactly if their results are equal.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "address",
				MarkdownDescription: "An IPv6 or IPv4 address, without a zone and without a prefix length.",
			},
		},
		Return: function.StringReturn{},
	}
}

func (ipv6Mapped) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	resp.Error = req.Arguments.Get(ctx, &text)
	if resp.Error != nil {
		return
	}

	address, err := formats.Address.Parse(text)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, "The address "+err.Error())
		return
	}

	resp.Error = resp.Result.Set(ctx, client.MappedIPv6(address))
}
