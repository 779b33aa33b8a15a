// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// way is one way to authenticate.
type way struct {
	name        string
	credentials transport.Credentials

	accepted, refused []string // groups of endpoints, which may differ (section 5, rule 3)
}

// family is one of the path families.
type family struct {
	name  string
	scope client.Scope

	ways []*way // with which its list answers
	err  error  // of its list, which says why it does not answer if there are no ways
}

// examineAccess sends the requests that touch nobody with each of the credentials, and reports
// which are accepted, and which path family answers.
func (x *examination) examineAccess(ctx context.Context) {
	s, c := x.options.Scope, x.options.Client.Credentials
	if s.OrgID != "" {
		x.families = append(x.families, &family{name: "project", scope: client.Scope{OrgID: s.OrgID, ProjectID: s.ProjectID}})
	}
	if s.AccountID != "" {
		x.families = append(x.families, &family{name: "account", scope: client.Scope{AccountID: s.AccountID}})
	}
	if len(x.families) == 0 {
		x.report.add("Access", "path family", Unknown, "no scope is given; set ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID")
	}
	if c.IsZero() {
		x.report.add("Access", "credentials", Broken, "none are set; set ANALYTICS_API_SECRET_KEY, ANALYTICS_TOKEN, or ANALYTICS_EMAIL and ANALYTICS_PASSWORD")
	}

	if c.Email != "" {
		x.logIn(ctx, transport.Credentials{Email: c.Email, Password: c.Password})
	}
	if c.Token != "" {
		x.ways = append(x.ways, &way{name: "token", credentials: transport.Credentials{Token: c.Token}})
	}
	if c.APISecretKey != "" {
		x.ways = append(x.ways, &way{name: "api_secret_key", credentials: transport.Credentials{APISecretKey: c.APISecretKey}})
	}
	for _, w := range x.ways {
		if reached := x.ask(ctx, w); !reached {
			return // every other request would fail too
		}
	}

	x.reportFamilies()
	x.reportWays()
}

// urlWarning is added to what names a place of parameters.
var urlWarning = map[string]string{transport.InQuery: "; they are part of the URL, which proxies and the service may log"}

// logIn logs in with each place of the parameters, until one works. The configured place
// comes first. Only a rejection leads to the next one, so that a service that is down or
// counts attempts is asked once. The token of the login serves all further requests; without
// one, nothing else is asked in this way.
func (x *examination) logIn(ctx context.Context, credentials transport.Credentials) {
	w := &way{name: "email and password", credentials: credentials}
	var reasons []string
	wire := x.wire
	for _, in := range firstOf(client.Placements, x.wire.Login.ParametersIn) {
		wire.Login.ParametersIn = in
		token, _, err := x.do(ctx, session{w, wire, 0}, readToken)
		if err == nil {
			w.credentials = transport.Credentials{Token: token.text}
			x.ways, x.wire = append(x.ways, w), wire.Minimal()
			x.report.add("Access", "login", asConfigured[len(reasons) == 0], "e-mail and password are accepted as "+in+urlWarning[in])
			return
		}

		reasons = append(reasons, in+": "+x.describe(err))
		if !transport.IsClass(err, transport.ClassRejected, transport.ClassAuthentication, transport.ClassForbidden) {
			break
		}
	}

	x.report.add("Access", "login", Broken, fmt.Sprintf("it failed (%s); attempts sent: %d, and never more than %d", list(reasons), len(reasons), len(client.Placements)))
}

// firstOf returns the values with one of them moved to the front.
func firstOf(values []string, first string) []string {
	first = cmp.Or(first, values[0])
	return append([]string{first}, slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == first })...)
}

// ask sends the requests with one of the credentials. It reports whether the service answers at all.
func (x *examination) ask(ctx context.Context, w *way) (reached bool) {
	err := x.askFor(ctx, w, "the current user", readUser)
	if err != nil && !isRefused(err) {
		x.report.add("Access", "current user, "+w.name, Broken, x.describe(err))
	}
	if e, ok := errors.AsType[*transport.Error](err); ok && e.Status == 0 {
		return false
	}

	for _, f := range x.families { // the first answer, or else the last failure, is kept
		err := x.askFor(ctx, w, "people and lists", readPending(f.scope))
		if isAnswer(err) {
			f.ways = append(f.ways, w)
		}
		if len(f.ways) == 0 {
			f.err = err
		}
	}

	if x.options.Scope.OrgID != "" {
		err := x.askFor(ctx, w, "exports", readDay(x.options.Scope, x.options.Day))
		isThere := !isRefused(err) && !transport.IsClass(err, transport.ClassNotFound, transport.ClassEndpointNotFound)
		if x.exporter == nil && isThere {
			x.exporter = w
		}
	}

	return true
}

// askFor sends a request with one of the credentials, notes whether they are accepted, and returns its error.
func (x *examination) askFor(ctx context.Context, w *way, endpoints string, read reader) error {
	_, _, err := x.do(ctx, session{w, x.wire, 1}, read)
	if isAnswer(err) {
		w.accepted = slices.Compact(append(w.accepted, endpoints))
	}
	if isRefused(err) {
		w.refused = slices.Compact(append(w.refused, endpoints))
	}

	return err
}

// isAnswer reports whether there was an answer: an error about its content shows that there was.
func isAnswer(err error) bool {
	return err == nil || transport.IsClass(err, transport.ClassPayload, transport.ClassNotReady, transport.ClassEmpty, transport.ClassRejected)
}

// isRefused reports whether the service does not accept the credentials.
func isRefused(err error) bool {
	return transport.IsClass(err, transport.ClassAuthentication, transport.ClassForbidden)
}

// reportFamilies reports which path families answer. It chooses the first of those, and of its credentials
// those that the most groups of endpoints accept.
func (x *examination) reportFamilies() {
	for _, f := range x.families {
		if x.family == nil && len(f.ways) > 0 {
			x.family, x.use = f, slices.MaxFunc(f.ways, func(a, b *way) int { return len(a.accepted) - len(b.accepted) })
			x.report.Setup = Setup{Credentials: x.use.name, PathFamily: f.name}
		}
	}

	for _, f := range x.families {
		word, text := OK, "they answer"
		switch {
		case len(f.ways) > 0:
		case f.err == nil: // there was nothing to ask with
			continue
		case x.family != nil: // one family is enough
			word, text = Differs, x.describe(f.err)+"; use the "+x.family.name+" paths alone"
		default:
			word, text = Broken, x.describe(f.err)+"; the service may offer the other path family, or your user has no access to the early preview"
		}
		x.report.add("Access", f.name+" paths", word, text)
	}
}

// reportWays reports which credentials are accepted for what.
func (x *examination) reportWays() {
	for _, w := range x.ways {
		accepted, refused := list(w.accepted), list(w.refused)
		switch {
		case accepted == "" && refused == "": // findings say why
		case refused == "":
			x.report.add("Access", w.name, OK, "accepted for "+accepted)
		case accepted == "":
			x.report.add("Access", w.name, Broken, "refused everywhere: "+refused)
		default:
			x.report.add("Access", w.name, Differs, "accepted for "+accepted+"; refused for "+refused)
		}
	}
}
