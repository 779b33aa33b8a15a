package mockserver

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Operations, as the contract names them. The account family's have the same
// names: Request.Scope tells the families apart.
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
	parametersIn  func(Wire) string // nil where nothing is sent
	handle        func(*Server, *call) answer
	segments      []string
}

// The prefixes of the two families of the compliance group.
const (
	projectPrefix = "/v1/org/{orgId}/project/{projectId}/compliance"
	accountPrefix = "/v1/account/{accountId}/compliance"
)

var routes = table([]route{
	{operation: OpLogin, method: http.MethodPost, template: "/v1/auth/login/jwt", parametersIn: Wire.loginIn, handle: (*Server).login},
	{operation: OpGetCurrentUser, method: http.MethodGet, template: "/v1/user/self", authenticated: true, handle: (*Server).currentUser},
	{operation: OpExportRecords, method: http.MethodGet, template: "/v1/org/{orgId}/project/{projectId}/export", authenticated: true, handle: (*Server).exportRecords},
}, []route{
	{operation: OpUpdateConsent, method: http.MethodPatch, template: "/user/{identityId}/consent", parametersIn: Wire.consentIn, handle: (*Server).updateConsent},
	{operation: OpGetConsent, method: http.MethodGet, template: "/user/{identityId}/consent", handle: (*Server).getConsent},
	{operation: OpGetProfile, method: http.MethodGet, template: "/user/{identityId}/profile", handle: (*Server).getProfile},
	{operation: OpUpdateProfile, method: http.MethodPatch, template: "/user/{identityId}/profile", handle: (*Server).updateProfile},
	{operation: OpGetAllData, method: http.MethodGet, template: "/user/{identityId}/all-data", handle: (*Server).getAllData},
	{operation: OpDeleteAllData, method: http.MethodDelete, template: "/user/{identityId}/all-data", handle: (*Server).deleteAllData},
	{operation: OpListPendingRequests, method: http.MethodGet, template: "/pending-requests", handle: (*Server).listPendingRequests},
})

// table puts the compliance group under both prefixes; all of it is authenticated.
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
		r.segments = strings.Split(r.template, "/")
	}
	return list
}

// findRoute matches the path as it was sent, so that an escaped slash stays within
// its segment; the variables are decoded once.
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

func (r *route) match(segments []string) (map[string]string, bool) {
	if len(segments) != len(r.segments) {
		return nil, false
	}
	vars := map[string]string{}
	for i, want := range r.segments {
		if !strings.HasPrefix(want, "{") {
			if segments[i] != want {
				return nil, false
			}
			continue
		}
		value, err := url.PathUnescape(segments[i])
		if err != nil || value == "" {
			return nil, false
		}
		vars[strings.Trim(want, "{}")] = value
	}
	return vars, true
}

// mustBeOperation keeps a misspelt name from matching nothing; the empty name
// stands for all of them.
func mustBeOperation(name string) {
	if name != "" && !slices.ContainsFunc(routes, func(r *route) bool { return r.operation == name }) {
		panic("mockserver: there is no operation " + name)
	}
}
