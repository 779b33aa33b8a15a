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
	operation, method, template string
	handle                      func(*Server, *Request) Response
}

// The prefixes of the two families of the compliance group.
const (
	projectPrefix = "/v1/org/{orgId}/project/{projectId}/compliance"
	accountPrefix = "/v1/account/{accountId}/compliance"
)

// routes are the plain routes and, under both prefixes, those of the compliance group.
var routes = slices.Concat([]route{
	{OpLogin, http.MethodPost, "/v1/auth/login/jwt", (*Server).login},
	{OpGetCurrentUser, http.MethodGet, "/v1/user/self", (*Server).currentUser},
	{OpExportRecords, http.MethodGet, "/v1/org/{orgId}/project/{projectId}/export", (*Server).exportRecords},
}, compliance(projectPrefix), compliance(accountPrefix))

func compliance(prefix string) []route {
	user := prefix + "/user/{identityId}"

	return []route{
		{OpUpdateConsent, http.MethodPatch, user + "/consent", (*Server).updateConsent},
		{OpGetConsent, http.MethodGet, user + "/consent", func(s *Server, c *Request) Response { return s.read(&s.consents, c) }},
		{OpGetProfile, http.MethodGet, user + "/profile", func(s *Server, c *Request) Response { return s.read(&s.profiles, c) }},
		{OpUpdateProfile, http.MethodPatch, user + "/profile", (*Server).updateProfile},
		{OpGetAllData, http.MethodGet, user + "/all-data", (*Server).getAllData},
		{OpDeleteAllData, http.MethodDelete, user + "/all-data", (*Server).enqueue},
		{OpListPendingRequests, http.MethodGet, prefix + "/pending-requests", (*Server).listPendingRequests},
	}
}

// findRoute returns the route of a request, or nil, and its variables, decoded once. It
// compares escaped segments, so that an escaped slash stays within its segment.
func findRoute(method, escapedPath string) (*route, map[string]string) {
	segments := strings.Split(escapedPath, "/")
	for _, r := range routes {
		vars := map[string]string{}
		matches := func(name, segment string) bool {
			if !strings.HasPrefix(name, "{") {
				return name == segment
			}
			vars[strings.Trim(name, "{}")], _ = url.PathUnescape(segment) // EscapedPath is well-formed
			return segment != ""
		}
		if r.method == method && slices.EqualFunc(strings.Split(r.template, "/"), segments, matches) {
			return &r, vars
		}
	}

	return nil, nil
}

// check makes violations of what no client that follows sections 2, 4 and 5 would send: an
// unknown operation, a path that is not exactly percent-encoded, and more or fewer credentials than
// one, or than none for the login.
func (s *Server) check(c *Request, r *http.Request) {
	path := r.URL.EscapedPath()
	if c.route == nil {
		s.Violate("there is no such operation: %s %s", r.Method, path)
		return
	}

	// An identifier is one path segment, and nothing on the way to the service may read it
	// in two ways. EscapedPath encodes some characters that the request line may have had as
	// they are. The request line may begin with a prefix that was removed from the URL.
	line, _, _ := strings.Cut(r.RequestURI, "?")
	exact := line == "" || strings.HasSuffix(line, path)
	for segment := range strings.SplitSeq(path, "/") {
		value, _ := url.PathUnescape(segment)
		encoded := strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
		exact = exact && value != "." && value != ".." && encoded == segment
	}
	if !exact {
		s.Violate("%s: a segment of the path is \".\" or \"..\", or not percent-encoded exactly: the unreserved characters of RFC 3986 "+
			"as they are, every other byte in upper-case hexadecimal (section 2, Identifiers)", c.route.operation)
	}

	want := 1
	if c.route.operation == OpLogin {
		want = 0
	}
	if n := len(r.Header.Values("Authorization")) + len(r.URL.Query()[secretParameter]); n != want {
		s.Violate("%s came with %d credentials, not %d (section 5)", c.route.operation, n, want)
	}
}

// Scope is the project of an organization, or the account of the older path family,
// whose data a request is about (section 2, Identifiers). That the two families share
// no data is an assumption.
type Scope struct {
	OrgID     string `json:"org_id"`
	ProjectID string `json:"project_id"`
	AccountID string `json:"account_id"`
}

// valid reports whether the scope belongs to exactly one family.
func (s Scope) valid() bool {
	if s.AccountID != "" {
		return s.OrgID == "" && s.ProjectID == ""
	}
	return s.OrgID != "" && s.ProjectID != ""
}
