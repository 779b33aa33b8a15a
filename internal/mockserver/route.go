// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"net/http"
	"net/url"
	"regexp"
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
	operation, method, template string
	handle                      func(*Server, *call) Response

	pattern *regexp.Regexp // of escaped paths, so that an escaped slash stays within its segment
}

// The prefixes of the two families of the compliance group.
const (
	projectPrefix = "/v1/org/{orgId}/project/{projectId}/compliance"
	accountPrefix = "/v1/account/{accountId}/compliance"
)

// routes are the plain routes and, under both prefixes, those of the compliance group.
var routes = func() []*route {
	list := []*route{
		{operation: OpLogin, method: http.MethodPost, template: "/v1/auth/login/jwt", handle: (*Server).login},
		{operation: OpGetCurrentUser, method: http.MethodGet, template: "/v1/user/self", handle: (*Server).currentUser},
		{operation: OpExportRecords, method: http.MethodGet, template: "/v1/org/{orgId}/project/{projectId}/export", handle: (*Server).exportRecords},
	}

	getConsent := func(s *Server, c *call) Response { return s.read(&s.consents, c) }
	getProfile := func(s *Server, c *call) Response { return s.read(&s.profiles, c) }
	for _, prefix := range []string{projectPrefix, accountPrefix} {
		consent, profile, allData := prefix+"/user/{identityId}/consent", prefix+"/user/{identityId}/profile", prefix+"/user/{identityId}/all-data"
		list = append(list,
			&route{operation: OpUpdateConsent, method: http.MethodPatch, template: consent, handle: (*Server).updateConsent},
			&route{operation: OpGetConsent, method: http.MethodGet, template: consent, handle: getConsent},
			&route{operation: OpGetProfile, method: http.MethodGet, template: profile, handle: getProfile},
			&route{operation: OpUpdateProfile, method: http.MethodPatch, template: profile, handle: (*Server).updateProfile},
			&route{operation: OpGetAllData, method: http.MethodGet, template: allData, handle: (*Server).getAllData},
			&route{operation: OpDeleteAllData, method: http.MethodDelete, template: allData, handle: (*Server).enqueue},
			&route{operation: OpListPendingRequests, method: http.MethodGet, template: prefix + "/pending-requests", handle: (*Server).listPendingRequests},
		)
	}

	variable := regexp.MustCompile(`\{(\w+)\}`)
	for _, r := range list {
		r.pattern = regexp.MustCompile("^" + variable.ReplaceAllString(r.template, `(?P<$1>[^/]+)`) + "$")
	}

	return list
}()

// findRoute returns the route of a request and its variables, decoded once, or nil.
func findRoute(method, escapedPath string) (*route, map[string]string) {
	for _, r := range routes {
		if r.method != method {
			continue
		}
		if values := r.pattern.FindStringSubmatch(escapedPath); values != nil {
			vars := map[string]string{}
			for i, name := range r.pattern.SubexpNames() {
				vars[name], _ = url.PathUnescape(values[i]) // EscapedPath is well-formed
			}
			return r, vars
		}
	}

	return nil, nil
}

// checkPath makes a violation of a path that is not exactly percent-encoded: an
// identifier of section 2 is one path segment, and nothing on the way to the service may
// read it in two ways.
func (s *Server) checkPath(c *call, r *http.Request) {
	path := r.URL.EscapedPath()

	// EscapedPath encodes some characters that the request line may have had as they are.
	// The request line may begin with a prefix that was removed from the URL.
	line, _, _ := strings.Cut(r.RequestURI, "?")
	exact := line == "" || strings.HasSuffix(line, path)
	for segment := range strings.SplitSeq(path, "/") {
		value, _ := url.PathUnescape(segment)
		encoded := strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
		exact = exact && value != "." && value != ".." && encoded == segment
	}

	if !exact {
		s.violate("%s: a segment of the path is \".\" or \"..\", or not percent-encoded exactly: the unreserved characters of RFC 3986 "+
			"as they are, every other byte in upper-case hexadecimal (section 2, Identifiers)", c.route.operation)
	}
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
