package doctor

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// way is one way to authenticate.
type way struct {
	name        string
	credentials client.Credentials
	client      *client.Client // with the settings that are known; nil if it cannot be used

	accepted, refused []string // groups of endpoints
}

// The names of the ways.
const (
	wayLogin = "email and password"
	wayToken = "token"
	wayKey   = "api_secret_key"
)

// waysOf returns a way for each of the credentials at hand.
func waysOf(c client.Credentials) []*way {
	var ways []*way
	if c.Email+c.Password != "" {
		ways = append(ways, &way{name: wayLogin, credentials: client.Credentials{Email: c.Email, Password: c.Password}})
	}
	if c.Token != "" {
		ways = append(ways, &way{name: wayToken, credentials: client.Credentials{Token: c.Token}})
	}
	if c.APISecretKey != "" {
		ways = append(ways, &way{name: wayKey, credentials: client.Credentials{APISecretKey: c.APISecretKey}})
	}

	return ways
}

// family is a path family at hand.
type family struct {
	scope    client.Scope
	answered bool
	failure  string // why it does not answer; empty if it was not tried
}

// familiesOf returns the path families that the scope has identifiers for.
func familiesOf(s client.Scope) []family {
	var families []family
	if s.OrgID+s.ProjectID != "" {
		families = append(families, family{scope: client.Scope{OrgID: s.OrgID, ProjectID: s.ProjectID}})
	}
	if s.AccountID != "" {
		families = append(families, family{scope: client.Scope{AccountID: s.AccountID}})
	}
	return families
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

// note remembers whether a way was accepted for a group of endpoints.
func (w *way) note(endpoints string, err error) {
	switch {
	case isRefused(err):
		w.refused = appendNew(w.refused, endpoints)
	case err == nil, hasAnswer(err):
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
	return client.IsClass(err, client.ClassAuthentication, client.ClassForbidden)
}

// hasAnswer reports whether the error is about the content of an answer, so that the
// credentials were accepted.
func hasAnswer(err error) bool {
	return client.IsClass(err, client.ClassNotFound, client.ClassPayload, client.ClassNotReady, client.ClassEmpty, client.ClassRejected)
}

// isAbsent reports whether there is no such endpoint or object.
func isAbsent(err error) bool {
	return client.IsClass(err, client.ClassNotFound, client.ClassEndpointNotFound)
}

// way returns the way with that name; nil if it is not at hand.
func (x *examination) way(name string) *way {
	for _, w := range x.ways {
		if w.name == name {
			return w
		}
	}
	return nil
}

// examineUsers reads the current user with each of the credentials at hand.
func (x *examination) examineUsers(ctx context.Context) {
	for _, w := range x.ways {
		if w.client == nil && w.name != wayLogin {
			w.client, _ = x.connect(w, x.wire, 1)
		}
		if w.client == nil {
			continue
		}

		x.options.Progress("reading the current user with " + w.name)
		_, err := w.client.CurrentUser(ctx)
		w.note(endpointsUser, err)

		if err != nil && !isRefused(err) {
			x.report.add(groupOf(err), "current user, "+w.name, Broken, describe(err))
		}
		if isUnreachable(err) {
			return // every other request would fail too
		}
	}
}

// groupOf returns the group that an error of the first requests belongs to.
func groupOf(err error) string {
	if isUnreachable(err) {
		return GroupConnection
	}
	return GroupAccess
}

// isUnreachable reports whether no answer of the service has arrived.
func isUnreachable(err error) bool {
	return client.IsClass(err, client.ClassUnreachable, client.ClassTLS, client.ClassProxyAuth, client.ClassTimeout, client.ClassConnectionLost, client.ClassCancelled)
}

// examineLists asks each path family for its list of pending requests with each of the
// credentials. The first that answers is used from then on.
func (x *examination) examineLists(ctx context.Context) {
	if len(x.families) == 0 {
		x.report.add(GroupAccess, "path family", Unknown, "no scope is given; set ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID")
		return
	}

	for i := range x.families {
		f := &x.families[i]
		for _, w := range x.usable() {
			x.options.Progress("listing pending requests, " + familyName(f.scope) + " family, with " + w.name)
			_, err := w.client.ListPending(ctx, f.scope)
			x.noteList(f, w, err)
		}
	}
}

// noteList remembers whether a path family answered a way to authenticate, and uses both if
// no better way is known for the family.
func (x *examination) noteList(f *family, w *way, err error) {
	if isAbsent(err) {
		f.failure = describe(err)
		return
	}

	w.note(endpointsPeople, err)
	if err != nil && !hasAnswer(err) {
		f.failure = describe(err)
		return
	}

	f.answered = true
	if x.use == nil || x.scope == f.scope && len(w.refused) < len(x.use.refused) {
		x.use, x.scope = w, f.scope
	}
}

// usable returns the ways that have a client.
func (x *examination) usable() []*way {
	var usable []*way
	for _, w := range x.ways {
		if w.client != nil {
			usable = append(usable, w)
		}
	}
	return usable
}

// judgeAccess reports what the requests so far say about credentials and path families.
func (x *examination) judgeAccess() {
	x.chooseWay()

	for _, w := range x.usable() {
		x.judgeWay(w)
	}
	for _, f := range x.families {
		x.judgeFamily(f)
	}

	x.omitFamilies()
}

// chooseWay uses the way that the most groups of endpoints accept, among those that may
// read lists.
func (x *examination) chooseWay() {
	for _, w := range x.usable() {
		if x.use != nil && slices.Contains(w.accepted, endpointsPeople) && len(w.accepted) > len(x.use.accepted) {
			x.use = w
		}
	}
}

func (x *examination) judgeWay(w *way) {
	switch {
	case len(w.accepted) == 0 && len(w.refused) == 0:
		return // nothing was answered, which was reported
	case len(w.accepted) == 0:
		x.report.add(GroupAccess, w.name, Broken, "refused everywhere: "+list(w.refused))
	case len(w.refused) > 0:
		x.report.add(GroupAccess, w.name, Differs, "accepted for "+list(w.accepted)+"; refused for "+list(w.refused)+x.helper(w))
	default:
		x.report.add(GroupAccess, w.name, OK, "accepted for "+list(w.accepted))
	}
}

// helper returns words that name credentials which are refused nowhere, for a message about
// those of w; empty if there are none.
func (x *examination) helper(w *way) string {
	for _, other := range x.usable() {
		if other != w && len(other.refused) == 0 {
			return ", where " + other.name + " is accepted"
		}
	}
	return ""
}

func (x *examination) judgeFamily(f family) {
	name := familyName(f.scope) + " paths"
	if f.answered {
		x.report.add(GroupAccess, name, OK, "they answer")
		return
	}
	if f.failure == "" {
		return
	}

	// One family is enough.
	word := Broken
	if !x.scope.IsZero() {
		word = Differs
	}
	x.report.add(GroupAccess, name, word, f.failure+x.familyAdvice(f))
}

func (x *examination) familyAdvice(f family) string {
	if !x.scope.IsZero() {
		return "; use the " + familyName(x.scope) + " paths alone"
	}
	if f.scope.Account() {
		return "; the service may offer only the org and project paths, or your user has no access to the early preview"
	}
	return "; the service may offer only the account paths (ANALYTICS_ACCOUNT_ID), or your user has no access to the early preview"
}

// omitFamilies names the path family that was not tried.
func (x *examination) omitFamilies() {
	if len(x.families) != 1 {
		return
	}

	if x.families[0].scope.Account() {
		x.report.omit("whether the org and project paths answer", "ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID are not set")
		return
	}
	x.report.omit("whether the older account paths answer", "ANALYTICS_ACCOUNT_ID is not set")
}

// describe returns what a failure is, without any word of the service.
func describe(err error) string {
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		return "it failed"
	}

	text := e.Title()
	if e.Status != 0 {
		text += ", HTTP " + strconv.Itoa(e.Status) + " " + http.StatusText(e.Status)
	}
	if e.Detail != "" && e.Status == 0 {
		text += ": " + e.Detail // of the client's own words
	}

	return text
}
