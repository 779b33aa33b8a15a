package provider

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// declareWriteOnly declares the person of every action write-only, since Terraform accepts
// ephemeral values in write-only attributes only.
//
// The schemas of the actions themselves do not say so. The framework would refuse every
// value of the attribute then: it takes write-only attributes of actions for those of a
// Terraform that is too old for them.
func declareWriteOnly(actions map[string]*tfprotov6.ActionSchema) {
	for _, action := range actions {
		for _, attribute := range action.Schema.Block.Attributes {
			if attribute.Name == tfkit.ActionIdentity {
				attribute.WriteOnly = true
			}
		}
	}
}
