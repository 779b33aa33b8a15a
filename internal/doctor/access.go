// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// way is one way to authenticate.
type way struct {
	name        string
	credentials transport.Credentials
	client      *client.Client

	accepted, refused []string // groups of endpoints, which may differ (section 5, rule 3)
}

// wayLogin is the name of the way that logs in.
const wayLogin = "email and password"

// family is one of the path families.
type family struct {
	name  string
	scope client.Scope

	ways []*way // with which it answers
	list answer.PendingList
	err  error // of the list; why it does not answer if there are no ways
}

// setUp makes a client for each of the credentials. It reports what is missing in the
// configuration, and whether anything can be examined.
func (x *examination) setUp() bool {
	c, s := x.options.Client.Credentials, x.options.Scope
	for _, w := range []*way{
		{name: wayLogin, credentials: transport.Credentials{Email: c.Email, Password: c.Password}},
		{name: "token", credentials: transport.Credentials{Token: c.Token}},
		{name: "api_secret_key", credentials: transport.Credentials{APISecretKey: c.APISecretKey}},
	} {
		if w.credentials.IsZero() {
			continue
		}

		var err error
		if w.client, err = x.connect(w, x.wire, 1); err != nil {
			x.report.add(GroupAccess, w.name, Broken, "the setting "+err.Error())
		}
		x.ways = append(x.ways, w)
	}
	if len(x.ways) == 0 {
		x.report.add(GroupAccess, "credentials", Broken, "none are set; set ANALYTICS_API_SECRET_KEY, ANALYTICS_TOKEN, or ANALYTICS_EMAIL and ANALYTICS_PASSWORD")
	}

	for _, f := range []*family{
		{name: "project", scope: client.Scope{OrgID: s.OrgID, ProjectID: s.ProjectID}},
		{name: "account", scope: client.Scope{AccountID: s.AccountID}},
	} {
		if f.scope.IsZero() {
			continue
		}
		if err := f.scope.Validate(); err != nil {
			x.report.add(GroupAccess, "path family", Broken, err.Error())
		}
		x.families = append(x.families, f)
	}

	if id := x.options.Identity; id != "" {
		if err := client.ValidateSegment(id); err != nil {
			x.report.add(GroupConsent, "identity", Broken, "the identity "+err.Error())
		}
	}

	return len(x.report.Findings) == 0
}

// urlWarning is added to what names a place of parameters.
var urlWarning = map[string]string{transport.InQuery: "; they are part of the URL, which proxies and the service may log"}

// logIn logs in with each place of the parameters, until one works. The configured place
// comes first. Only a rejection leads to the next one, so that a service that is down or
// counts attempts is asked once. The token of the login serves all further requests; without
// one, nothing else is asked in this way.
func (x *examination) logIn(ctx context.Context) {
	i := slices.IndexFunc(x.ways, func(w *way) bool { return w.name == wayLogin })
	if i < 0 {
		return
	}

	var reasons []string
	var err error
	for _, in := range firstOf(client.Placements, x.wire.LoginParametersIn) {
		wire := x.wire
		wire.LoginParametersIn = in
		if err = x.ways[i].logIn(ctx, x, wire); err == nil {
			x.report.add(GroupAccess, "login", x.adopt(wire), "e-mail and password are accepted as "+in+urlWarning[in])
			return
		}

		reasons = append(reasons, in+": "+describe(err))
		if !transport.IsClass(err, transport.ClassRejected, transport.ClassAuthentication, transport.ClassForbidden) {
			break
		}
	}

	x.ways = slices.Delete(x.ways, i, i+1)
	x.report.add(groupOf(err), "login", Broken, fmt.Sprintf("it failed (%s); attempts sent: %d, and never more than %d", list(reasons), len(reasons), len(client.Placements)))
}

// logIn logs in once, and replaces the credentials by the token.
func (w *way) logIn(ctx context.Context, x *examination, wire client.Wire) error {
	c, err := x.connect(w, wire, 0)
	if err != nil {
		return err
	}
	token, err := c.NewSessionToken(ctx)
	if err != nil {
		return err
	}

	w.credentials = transport.Credentials{Token: token.Token}
	w.client, err = x.connect(w, wire, 1)

	return err
}

// firstOf returns the values with one of them moved to the front.
func firstOf(values []string, first string) []string {
	first = cmp.Or(first, values[0])
	return append([]string{first}, slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == first })...)
}

// examineAccess sends the requests that touch nobody with each of the credentials, and reports
// which are accepted. It reports whether there are any, and the service can be reached.
func (x *examination) examineAccess(ctx context.Context) bool {
	var day *sample
	for _, w := range x.ways {
		_, err := w.client.CurrentUser(ctx)
		w.note("the current user", err)
		if err != nil && !isRefused(err) {
			x.report.add(groupOf(err), "current user, "+w.name, Broken, describe(err))
		}
		if groupOf(err) == GroupConnection {
			return false // every other request would fail too
		}

		for _, f := range x.families {
			pending, err := w.client.ListPending(ctx, f.scope)
			answered := w.note("people and lists", err)
			if answered {
				f.ways = append(f.ways, w)
			}
			if answered || len(f.ways) == 0 {
				f.list, f.err = pending, err
			}
		}

		if x.options.Scope.OrgID != "" {
			s := x.readDay(ctx, w, x.wire)
			w.note("exports", s.err)
			isAbsent := transport.IsClass(s.err, transport.ClassNotFound, transport.ClassEndpointNotFound)
			if day == nil && !isRefused(s.err) && !isAbsent {
				day = s
			}
		}
	}

	x.judgeFamilies()
	x.judgeWays()
	if x.options.Scope.OrgID != "" {
		x.examineExport(ctx, day)
	}

	return len(x.ways) > 0
}

// note notes whether the credentials were accepted for a group of endpoints, and reports
// whether there was an answer: an error about its content shows that there was.
func (w *way) note(endpoints string, err error) (answered bool) {
	if isRefused(err) {
		w.refused = append(w.refused, endpoints)
		return false
	}

	answered = err == nil || transport.IsClass(err, transport.ClassPayload, transport.ClassNotReady, transport.ClassEmpty, transport.ClassRejected)
	if answered {
		w.accepted = append(w.accepted, endpoints)
	}

	return answered
}

// isRefused reports whether the service does not accept the credentials.
func isRefused(err error) bool {
	return transport.IsClass(err, transport.ClassAuthentication, transport.ClassForbidden)
}

// judgeFamilies reports which path families answer, and chooses the first of them and the
// credentials that the most groups of endpoints accept.
func (x *examination) judgeFamilies() {
	for _, f := range x.families {
		if x.family == nil && len(f.ways) > 0 {
			x.family = f
			x.use = slices.MaxFunc(f.ways, func(a, b *way) int { return len(a.accepted) - len(b.accepted) })
		}
	}

	if len(x.families) == 0 {
		x.report.add(GroupAccess, "path family", Unknown, "no scope is given; set ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID")
	}
	for _, f := range x.families {
		switch {
		case len(f.ways) > 0:
			x.report.add(GroupAccess, f.name+" paths", OK, "they answer")
		case x.family == nil:
			x.report.add(GroupAccess, f.name+" paths", Broken, describe(f.err)+"; the service may offer the other path family, or your user has no access to the early preview")
		default: // one family is enough
			x.report.add(GroupAccess, f.name+" paths", Differs, describe(f.err)+"; use the "+x.family.name+" paths alone")
		}
	}
}

// judgeWays reports for which groups of endpoints the service accepts the credentials.
func (x *examination) judgeWays() {
	for _, w := range x.ways {
		accepted, refused := list(slices.Compact(w.accepted)), list(slices.Compact(w.refused))
		switch {
		case refused == "" && accepted != "":
			x.report.add(GroupAccess, w.name, OK, "accepted for "+accepted)
		case accepted == "" && refused != "":
			x.report.add(GroupAccess, w.name, Broken, "refused everywhere: "+refused)
		case refused != "":
			x.report.add(GroupAccess, w.name, Differs, "accepted for "+accepted+"; refused for "+refused)
		}
	}
}

// groupOf returns the group that an error of the first requests belongs to: that of the
// connection if no answer has arrived.
func groupOf(err error) string {
	if e, ok := errors.AsType[*transport.Error](err); ok && e.Status == 0 {
		return GroupConnection
	}
	return GroupAccess
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
