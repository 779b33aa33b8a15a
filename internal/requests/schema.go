// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// defaultTimeout limits a wait if timeouts is not configured. The service promises no
// time for anything but profiles (interface, section 8).
const defaultTimeout = 10 * time.Minute

// descriptions are the parts of requestAttributes that differ between the resources.
type descriptions struct {
	request  string // what the resource requests, such as "deletion"
	triggers string
	wait     string
}

// requestAttributes returns the attributes of a requestModel and those in others.
func requestAttributes(text descriptions, others map[string]schema.Attribute) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{
		"identity_id": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: tfkit.IdentityDescription + " Changing it replaces the resource.",
			Validators:          []validator.String{tfkit.Segment()},
			PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},

		"triggers": schema.MapAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			MarkdownDescription: text.triggers,
			Validators:          []validator.Map{mapvalidator.SizeAtMost(100)},
		},
		"wait_for_fulfilment": schema.BoolAttribute{
			Optional:            true,
			Computed:            true,
			Default:             booldefault.StaticBool(true),
			MarkdownDescription: text.wait + " Defaults to `true`.",
		},

		"request_id": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Identifier that the service assigned to the " + text.request + ". Null if it assigned none.",
		},
		"requested_at": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Time at which the service accepted the " + text.request + ", in RFC 3339 format and UTC.",
		},

		"fulfilled": schema.BoolAttribute{
			Computed:            true,
			MarkdownDescription: "Whether the " + text.request + " is known to be carried out. Every refresh checks it until then.",
		},
		"fulfilled_at": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Time at which the provider saw the " + text.request + " carried out, in RFC 3339 format and UTC. Null until then.",
		},
	}

	maps.Copy(attributes, others)

	return attributes
}

// requestBlocks returns the blocks of a requestModel.
func requestBlocks() map[string]schema.Block {
	return map[string]schema.Block{"timeouts": tfkit.TimeoutsBlock(defaultTimeout)}
}
