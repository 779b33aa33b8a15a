// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// way is one way to authenticate.
type way struct {
	name        string
	credentials transport.Credentials
	client      *client.Client

	accepted, refused []string // groups of endpoints
}

// wayLogin is the name of the way that logs in.
const wayLogin = "email and password"

// waysOf returns a way for each of the credentials at hand.
func waysOf(c transport.Credentials) []*way {
	ways := []*way{
		{name: wayLogin, credentials: transport.Credentials{Email: c.Email, Password: c.Password}},
		{name: "token", credentials: transport.Credentials{Token: c.Token}},
		{name: "api_secret_key", credentials: transport.Credentials{APISecretKey: c.APISecretKey}},
	}
	return slices.DeleteFunc(ways, func(w *way) bool { return w.credentials.IsZero() })
}

// familiesOf returns the path families that the scope has identifiers for.
func familiesOf(s client.Scope) []client.Scope {
	families := []client.Scope{{OrgID: s.OrgID, ProjectID: s.ProjectID}, {AccountID: s.AccountID}}
	return slices.DeleteFunc(families, client.Scope.IsZero)
}

func familyName(s client.Scope) string {
	if s.Account() {
		return "account"
	}
	return "project"
}

// Groups of endpoints that may accept different credentials (section 5, rule 3).
const (
	endpointsUser   = "the current user"
	endpointsPeople = "people and lists"
	endpointsExport = "exports"
)

// note remembers whether a way was accepted for a group of endpoints: an error about the
// content of an answer shows that it was.
func (w *way) note(endpoints string, err error) {
	if isRefused(err) {
		w.refused = appendNew(w.refused, endpoints)
	} else if hasAnswer(err) {
		w.accepted = appendNew(w.accepted, endpoints)
	}
}

func appendNew(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// isRefused reports whether the service does not accept the credentials.
func isRefused(err error) bool {
	return transport.IsClass(err, transport.ClassAuthentication, transport.ClassForbidden)
}

// hasAnswer reports whether the service answers what was asked, whatever the content.
func hasAnswer(err error) bool {
	return err == nil || transport.IsClass(err, transport.ClassNotFound, transport.ClassPayload, transport.ClassNotReady, transport.ClassEmpty, transport.ClassRejected)
}

// isAbsent reports whether there is no such endpoint or object.
func isAbsent(err error) bool {
	return transport.IsClass(err, transport.ClassNotFound, transport.ClassEndpointNotFound)
}

// examineUsers reads the current user with each of the credentials at hand. It reports whether
// there are any, and the service can be reached.
func (x *examination) examineUsers(ctx context.Context) bool {
	for _, w := range x.ways {
		var err error
		if w.client, err = x.connect(w, x.wire, 1); err == nil {
			_, err = w.client.CurrentUser(ctx)
		}

		w.note(endpointsUser, err)
		if err != nil && !isRefused(err) {
			x.report.add(groupOf(err), "current user, "+w.name, Broken, describe(err))
		}
		if w.client == nil || groupOf(err) == GroupConnection {
			return false // every other request would fail too
		}
	}

	return len(x.ways) > 0
}

// groupOf returns the group that an error of the first requests belongs to: that of the
// connection if no answer has arrived.
func groupOf(err error) string {
	if transport.IsClass(err, transport.ClassUnreachable, transport.ClassTLS, transport.ClassProxyAuth, transport.ClassTimeout, transport.ClassConnectionLost, transport.ClassCancelled) {
		return GroupConnection
	}
	return GroupAccess
}

// examineLists asks each path family for its list of pending requests with each of the
// credentials. The first that answers is used from then on.
func (x *examination) examineLists(ctx context.Context) {
	if len(x.families) == 0 {
		x.report.add(GroupAccess, "path family", Unknown, "no scope is given; set ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID")
	}

	failures := map[client.Scope]string{} // of the families that have not answered
	for _, scope := range x.families {
		failures[scope] = x.examineList(ctx, scope)
	}

	for _, scope := range x.families {
		name := familyName(scope) + " paths"
		switch {
		case failures[scope] == "":
			x.report.add(GroupAccess, name, OK, "they answer")
		case x.use == nil:
			x.report.add(GroupAccess, name, Broken, failures[scope]+"; the service may offer the other path family, or your user has no access to the early preview")
		default: // one family is enough
			x.report.add(GroupAccess, name, Differs, failures[scope]+"; use the "+familyName(x.scope)+" paths alone")
		}
	}
}

// examineList asks a path family with each of the credentials. It returns why none has an
// answer; empty if one has.
func (x *examination) examineList(ctx context.Context, scope client.Scope) (failure string) {
	answered := false
	for _, w := range x.ways {
		_, err := w.client.ListPending(ctx, scope)
		if !isAbsent(err) {
			w.note(endpointsPeople, err)
		}
		if isAbsent(err) || !hasAnswer(err) {
			failure = describe(err)
			continue
		}

		answered = true
		if x.use == nil || x.scope == scope && len(w.refused) < len(x.use.refused) {
			x.use, x.scope = w, scope
		}
	}

	if answered {
		return ""
	}

	return failure
}

// judgeAccess reports what the requests so far say about credentials. From then on it uses the way that the most groups of endpoints accept.
func (x *examination) judgeAccess() {
	for _, w := range x.ways {
		if x.use != nil && slices.Contains(w.accepted, endpointsPeople) && len(w.accepted) > len(x.use.accepted) {
			x.use = w
		}

		switch {
		case len(w.accepted) == 0 && len(w.refused) > 0:
			x.report.add(GroupAccess, w.name, Broken, "refused everywhere: "+list(w.refused))
		case len(w.refused) > 0:
			x.report.add(GroupAccess, w.name, Differs, "accepted for "+list(w.accepted)+"; refused for "+list(w.refused))
		case len(w.accepted) > 0:
			x.report.add(GroupAccess, w.name, OK, "accepted for "+list(w.accepted))
		}
	}
}

// describe returns what a failure is, without any word of the service.
func describe(err error) string {
	e, ok := errors.AsType[*transport.Error](err)
	if !ok {
		return "it failed"
	}

	text := e.Title()
	if e.Status != 0 {
		text += ", HTTP " + strconv.Itoa(e.Status) + " " + http.StatusText(e.Status)
	}
	isContent := e.Status/100 == 2 && transport.IsClass(err, transport.ClassPayload, transport.ClassNotReady, transport.ClassRejected, transport.ClassTooLarge)
	if e.Detail != "" && (e.Status == 0 || isContent) {
		text += ": " + e.Detail // the client's own words, without a value
	}

	return text
}
