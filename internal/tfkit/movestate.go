// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// StateMovers returns the mover for resources of generic providers with a path that ends with last,
// such as "consent". It takes over the person and the scope; begin has the other attributes of the
// moved state. A resource with another path is left alone, and Terraform says that it cannot be moved.
// The provider is not configured then: the first refresh reads what the service holds.
func StateMovers(last string, begin map[string]any) []resource.StateMover {
	move := func(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
		found := personPath.FindStringSubmatch(genericPath(req))
		if len(found) != 5 || found[4] != last {
			return
		}

		// Without an organization, the second part is the account.
		identity, err := parseImportID(strings.TrimPrefix(strings.Join(found[1:4], "/"), "/"))
		if err != nil {
			Problem{
				Summary: "The path cannot be moved",
				Detail:  "The path in the state of the " + req.SourceTypeName + " cannot be used: " + err.Error() + ".",
				InState: "the resource of the other provider; nothing was moved",
				Do:      "remove the moved block, and put the block of the " + req.SourceTypeName + " back: without it, a plan destroys what that resource manages.",
			}.AddError(&resp.Diagnostics)

			return
		}

		access(ctx, resp.TargetState.SetAttribute, identity.attributes(), &resp.Diagnostics)
		resp.Diagnostics.Append(resp.TargetIdentity.Set(ctx, identity)...)
		ObjectIn(ctx, resp.TargetPrivate, req.SourceTypeName)
		for name, value := range begin {
			resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root(name), value)...)
		}
	}

	return []resource.StateMover{{StateMover: move}}
}

// genericPath returns the path of the requests of a generic provider's resource; empty for any
// other resource. Everything else in its state stays behind: bodies, answers and credentials.
func genericPath(req resource.MoveStateRequest) string {
	var state struct {
		ID       string `json:"id"`
		ObjectID string `json:"object_id"`
		Path     string `json:"path"`
		ReadPath string `json:"read_path"`
	}
	if req.SourceRawState == nil || json.Unmarshal(req.SourceRawState.JSON, &state) != nil {
		return ""
	}

	// OpenTofu before 1.12.4 passes a wrong host and namespace, so only the last part of the
	// provider's address counts.
	address := req.SourceProviderAddress
	switch address[strings.LastIndex(address, "/")+1:] + "." + req.SourceTypeName {
	case "restful.restful_resource": // the ID is the path that is read
		return cmp.Or(state.ID, state.Path)
	case "restapi.restapi_object":
		return strings.ReplaceAll(cmp.Or(state.ReadPath, state.Path+"/{id}"), "{id}", cmp.Or(state.ObjectID, state.ID))
	}

	return ""
}

// personPath matches the path of a person in either path family (interface, section 4). What
// stands before /v1/, and a query, do not count.
var personPath = regexp.MustCompile(`^(?:[^?#]*/)?v1/(?:org/([^/?#]+)/project|account)/([^/?#]+)/compliance/user/([^/?#]+)/([^/?#]+)/?(?:[?#].*)?$`)
