// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// genericState is what tells the path of a request in the state of a generic provider's
// resource. Everything else in it stays behind: bodies, answers and credentials.
type genericState struct {
	ID       string `json:"id"`
	ObjectID string `json:"object_id"`
	Path     string `json:"path"`
	ReadPath string `json:"read_path"`
}

// moveSource is a resource of a generic provider whose state can become that of ours.
type moveSource struct {
	provider string // the last part of the provider's address
	typeName string
	pathOf   func(genericState) string
}

var moveSources = []moveSource{
	{provider: "restful", typeName: "restful_resource", pathOf: restfulPath},
	{provider: "restapi", typeName: "restapi_object", pathOf: restapiPath},
}

// restfulPath returns the path of a restful_resource. Its id is the path that is read.
func restfulPath(s genericState) string {
	if s.ID != "" {
		return s.ID
	}
	return s.Path
}

// restapiPath returns the path that a restapi_object reads.
func restapiPath(s genericState) string {
	id := s.ObjectID
	if id == "" {
		id = s.ID
	}

	if s.ReadPath == "" {
		return s.Path + "/" + id
	}

	return strings.ReplaceAll(s.ReadPath, "{id}", id)
}

// StateMovers returns the movers that take over the person and the scope from resources of
// generic providers whose path ends with the part last, such as "consent". begin adds the
// other attributes that the moved state begins with.
//
// The provider is not configured when Terraform moves state, so nothing is asked of the
// service: the first refresh reads what it holds.
func StateMovers(last string, begin map[string]any) []resource.StateMover {
	var movers []resource.StateMover
	for _, source := range moveSources {
		m := mover{source, last, begin}
		movers = append(movers, resource.StateMover{StateMover: m.move})
	}

	return movers
}

// mover moves the state of one source to one resource.
type mover struct {
	moveSource

	last  string         // the last part of the path
	begin map[string]any // what the moved state has besides the person and the scope
}

// matches reports whether a request is about this source. OpenTofu before 1.12.4 passes a
// wrong host and namespace, so only the last part of the address counts.
func (m moveSource) matches(req resource.MoveStateRequest) bool {
	address := req.SourceProviderAddress
	return req.SourceTypeName == m.typeName && address[strings.LastIndex(address, "/")+1:] == m.provider
}

// move sets the target state. It leaves a resource alone whose path is another one;
// Terraform then says that it cannot be moved.
func (m mover) move(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	var state genericState
	if !m.matches(req) || req.SourceRawState == nil || json.Unmarshal(req.SourceRawState.JSON, &state) != nil {
		return
	}

	person, ok := personInPath(m.pathOf(state), m.last)
	if !ok {
		return
	}

	identity, valid := person.decode()
	if !valid {
		Problem{
			Summary: "The path cannot be moved",
			Detail:  "The path in the state of the " + m.typeName + " names a person, an organization, a project or an account that the service could not hold.",
			InState: "the object of the other provider; nothing was moved",
			Do:      "import the person into this resource, and take the other object out of state with a removed block.",
		}.AddError(&resp.Diagnostics)

		return
	}

	identity.write(ctx, &resp.TargetState, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.TargetIdentity.Set(ctx, identity)...)
	for name, value := range m.begin {
		resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root(name), value)...)
	}
}

// encodedPerson is a person in a path of the interface (section 4), percent-encoded.
type encodedPerson struct{ org, project, account, identity string }

// personInPath finds the person in a path that ends with the part last. It reports false
// for any other path. What stands before /v1/, and a query, do not count.
func personInPath(text, last string) (encodedPerson, bool) {
	text, _, _ = strings.Cut(text, "#")
	text, _, _ = strings.Cut(text, "?")
	text = "/" + strings.Trim(text, "/")

	for found := true; found; {
		_, text, found = strings.Cut(text, "/v1/")
		if person, ok := personInParts(strings.Split(text, "/"), last); found && ok {
			return person, true
		}
		text = "/" + text
	}

	return encodedPerson{}, false
}

// personInParts is personInPath for the parts behind /v1/, in either path family.
func personInParts(p []string, last string) (encodedPerson, bool) {
	switch {
	case len(p) == 8 && p[0] == "org" && p[2] == "project" && p[4] == "compliance" && p[5] == "user" && p[7] == last:
		return encodedPerson{org: p[1], project: p[3], identity: p[6]}, true
	case len(p) == 6 && p[0] == "account" && p[2] == "compliance" && p[3] == "user" && p[5] == last:
		return encodedPerson{account: p[1], identity: p[4]}, p[1] != ""
	}
	return encodedPerson{}, false
}

// decode returns the identity, and reports false if a part cannot be one of the service's.
func (p encodedPerson) decode() (identity Identity, valid bool) {
	valid = true
	decoded := func(part string) string {
		text, err := url.PathUnescape(part)
		valid = valid && err == nil && client.ValidateSegment(text) == nil
		return text
	}

	var scope client.Scope
	if p.account != "" {
		scope.AccountID = decoded(p.account)
	} else {
		scope.OrgID, scope.ProjectID = decoded(p.org), decoded(p.project)
	}

	return NewIdentity(scope, decoded(p.identity)), valid
}
