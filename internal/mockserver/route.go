// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"net/http"
	"slices"
)

// Operations (section 4), as the contract names them, in both families of paths.
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

// route is one operation of section 4 and the pattern of its requests, as http.ServeMux reads it.
type route struct {
	operation, pattern string
	handle             func(*Server, *Request) Response
}

// routes are the plain routes, those of the compliance group under both prefixes, and pages that are not
// operations.
var routes = slices.Concat([]route{
	{OpLogin, "POST /v1/auth/login/jwt", (*Server).login},
	{OpGetCurrentUser, "GET /v1/user/self", (*Server).currentUser},
	{OpExportRecords, "GET /v1/org/{orgId}/project/{projectId}/export", (*Server).exportRecords},
	unknown,
}, compliance("/v1/org/{orgId}/project/{projectId}/compliance"), compliance("/v1/account/{accountId}/compliance"))

var unknown = route{pattern: "/", handle: func(*Server, *Request) Response {
	return failure(http.StatusNotFound, "unknown_route", "There is no such endpoint.", nil)
}}

func compliance(prefix string) []route {
	user := prefix + "/user/{identityId}"

	return []route{
		{OpUpdateConsent, "PATCH " + user + "/consent", (*Server).updateConsent},
		{OpGetConsent, "GET " + user + "/consent", (*Server).read},
		{OpGetProfile, "GET " + user + "/profile", (*Server).read},
		{OpUpdateProfile, "PATCH " + user + "/profile", (*Server).enqueue},
		{OpGetAllData, "GET " + user + "/all-data", (*Server).getAllData},
		{OpDeleteAllData, "DELETE " + user + "/all-data", (*Server).enqueue},
		{OpListPendingRequests, "GET " + prefix + "/pending-requests", (*Server).listPendingRequests},
	}
}

// Scope is the project of an organization, or the account of the older path family, whose data a request is about
// (section 2, Identifiers). The two families share no data.
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
