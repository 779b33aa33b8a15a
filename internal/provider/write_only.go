package provider

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// declareWriteOnly declares the person of every action write-only, since Terraform accepts
// ephemeral values in write-only attributes only.
//
// The schemas of the actions themselves do not say so. The framework would then refuse every
// value of the attribute, as it does for versions of Terraform that are too old for
// write-only attributes.
func declareWriteOnly(actions map[string]*tfprotov6.ActionSchema) {
	for _, action := range actions {
		for _, attribute := range action.Schema.Block.Attributes {
			if attribute.Name == tfkit.ActionIdentity {
				attribute.WriteOnly = true
			}
		}
	}
}
