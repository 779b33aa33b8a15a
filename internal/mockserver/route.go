// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Operations (section 4), as the contract names them. Both families of paths have the
// same names; Request.Scope tells them apart.
const (
	OpLogin               = "login"
	OpGetCurrentUser      = "getCurrentUser"
	OpUpdateConsent       = "updateConsent"
	OpGetConsent          = "getConsent"
	OpGetProfile          = "getProfile"
	OpUpdateProfile       = "updateProfile"
	OpGetAllData          = "getAllData"
	OpDeleteAllData       = "deleteAllData"
	OpListPendingRequests = "listPendingRequests"
	OpExportRecords       = "exportRecords"
)

// route is one operation of section 4.
type route struct {
	operation     string
	method        string
	template      string
	authenticated bool
	handle        func(*Server, *call) Response
	segments      []segment // of the template
}

// The prefixes of the two families of the compliance group.
const (
	projectPrefix = "/v1/org/{orgId}/project/{projectId}/compliance"
	accountPrefix = "/v1/account/{accountId}/compliance"
)

var routes = table([]route{
	{operation: OpLogin, method: http.MethodPost, template: "/v1/auth/login/jwt", handle: (*Server).login},
	{operation: OpGetCurrentUser, method: http.MethodGet, template: "/v1/user/self", authenticated: true, handle: (*Server).currentUser},
	{operation: OpExportRecords, method: http.MethodGet, template: "/v1/org/{orgId}/project/{projectId}/export", authenticated: true, handle: (*Server).exportRecords},
}, []route{
	{operation: OpUpdateConsent, method: http.MethodPatch, template: "/user/{identityId}/consent", handle: (*Server).updateConsent},
	{operation: OpGetConsent, method: http.MethodGet, template: "/user/{identityId}/consent", handle: (*Server).getConsent},
	{operation: OpGetProfile, method: http.MethodGet, template: "/user/{identityId}/profile", handle: (*Server).getProfile},
	{operation: OpUpdateProfile, method: http.MethodPatch, template: "/user/{identityId}/profile", handle: (*Server).updateProfile},
	{operation: OpGetAllData, method: http.MethodGet, template: "/user/{identityId}/all-data", handle: (*Server).getAllData},
	{operation: OpDeleteAllData, method: http.MethodDelete, template: "/user/{identityId}/all-data", handle: (*Server).deleteAllData},
	{operation: OpListPendingRequests, method: http.MethodGet, template: "/pending-requests", handle: (*Server).listPendingRequests},
})

// table returns the plain routes and, under both prefixes, those of the compliance
// group, all of which are authenticated.
func table(plain, compliance []route) []*route {
	list := make([]*route, 0, len(plain)+2*len(compliance))
	for _, r := range plain {
		list = append(list, &r)
	}

	for _, prefix := range []string{projectPrefix, accountPrefix} {
		for _, r := range compliance {
			r.template = prefix + r.template
			r.authenticated = true
			list = append(list, &r)
		}
	}

	for _, r := range list {
		r.segments = parseTemplate(r.template)
	}

	return list
}

// findRoute returns the route of a request and its decoded variables, or nil. It
// matches the escaped path, so that an escaped slash stays within its segment.
func findRoute(method, escapedPath string) (*route, map[string]string) {
	segments := strings.Split(escapedPath, "/")

	for _, r := range routes {
		if r.method != method {
			continue
		}
		if vars, ok := r.match(segments); ok {
			return r, vars
		}
	}

	return nil, nil
}

// match returns the decoded variables of a path; false if the path is not the route's.
func (r *route) match(path []string) (map[string]string, bool) {
	if len(path) != len(r.segments) {
		return nil, false
	}

	vars := map[string]string{}
	for i, s := range r.segments {
		if !s.match(path[i], vars) {
			return nil, false
		}
	}

	return vars, true
}

// segment is a segment of a template: a literal or the name of a variable.
type segment struct{ literal, variable string }

func parseTemplate(template string) []segment {
	var segments []segment
	for text := range strings.SplitSeq(template, "/") {
		segments = append(segments, newSegment(text))
	}
	return segments
}

func newSegment(text string) segment {
	if name, ok := strings.CutPrefix(text, "{"); ok {
		return segment{variable: strings.TrimSuffix(name, "}")}
	}
	return segment{literal: text}
}

// match reports whether text matches the segment, and adds a variable to vars, decoded
// once. A variable is never empty.
func (s segment) match(text string, vars map[string]string) bool {
	if s.variable == "" {
		return text == s.literal
	}

	value, err := url.PathUnescape(text)
	if err != nil || value == "" {
		return false
	}

	vars[s.variable] = value

	return true
}

// mustBeOperation panics on a name that is no operation, which would match nothing.
// The empty name stands for all operations.
func mustBeOperation(name string) {
	if name != "" && !slices.ContainsFunc(routes, func(r *route) bool { return r.operation == name }) {
		panic("mockserver: there is no operation " + name)
	}
}

// Scope is the project of an organization, or the account of the older path family,
// whose data a request is about (section 2, Identifiers). That the two families share
// no data is an assumption.
type Scope struct {
	OrgID, ProjectID string
	AccountID        string
}

// valid reports whether the scope belongs to exactly one family.
func (s Scope) valid() bool {
	if s.AccountID != "" {
		return s.OrgID == "" && s.ProjectID == ""
	}
	return s.OrgID != "" && s.ProjectID != ""
}
