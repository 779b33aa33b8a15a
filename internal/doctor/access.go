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
	accepted    int // by how many endpoints
}

// probe is a request that touches nobody, sent with all credentials: which of them an endpoint accepts is
// not shown (section 5, rule 3).
type probe struct {
	check string
	scope client.Scope
	read  reader

	accepted []*way
	failures []string
}

// findWays finds the ways to authenticate that the credentials allow.
func (x *examination) findWays(ctx context.Context) {
	c := x.options.Client.Credentials
	if c.Email != "" {
		x.logIn(ctx, transport.Credentials{Email: c.Email, Password: c.Password})
	}
	if c.Token != "" {
		x.ways = append(x.ways, &way{name: "token", credentials: transport.Credentials{Token: c.Token}})
	}
	if c.APISecretKey != "" {
		x.ways = append(x.ways, &way{name: "api_secret_key", credentials: transport.Credentials{APISecretKey: c.APISecretKey}})
	}
	if c == (transport.Credentials{}) {
		x.report.add("Access", "credentials", Broken, "none are set; set ANALYTICS_API_SECRET_KEY, ANALYTICS_TOKEN, or ANALYTICS_EMAIL and ANALYTICS_PASSWORD")
	}
}

// examineAccess sends the requests that touch nobody with each of the credentials. It reports which are
// accepted and which path family answers, and chooses the first, with the credentials that most endpoints accept.
func (x *examination) examineAccess(ctx context.Context) {
	x.findWays(ctx)
	if len(x.ways) == 0 {
		return
	}
	user := &probe{check: "current user", read: readUser}
	isReached := x.send(ctx, user)
	x.reportProbe(user, "")
	if !isReached { // every other request would fail too
		x.ways = nil
		return
	}

	s := x.options.Scope
	var families []*probe
	export := &probe{check: "exports", read: exportOf{s, x.options.Day}.read}
	if s.OrgID != "" {
		x.send(ctx, export)
		families = append(families, &probe{check: "project paths", scope: client.Scope{OrgID: s.OrgID, ProjectID: s.ProjectID}})
	}
	if s.AccountID != "" {
		families = append(families, &probe{check: "account paths", scope: client.Scope{AccountID: s.AccountID}})
	}
	if len(families) == 0 {
		x.report.add("Access", "path family", Unknown, "no scope is given; set ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID")
	}
	for _, p := range families {
		p.read = pendingOf(p.scope).read
		x.send(ctx, p)
	}
	if i := slices.IndexFunc(families, func(p *probe) bool { return len(p.accepted) > 0 }); i >= 0 {
		p := families[i]
		x.use = slices.MaxFunc(p.accepted, func(a, b *way) int { return a.accepted - b.accepted })
		x.scope = p.scope
		x.report.Setup = Setup{Credentials: x.use.name, PathFamily: p.check[:len("project")]}
	}
	for _, p := range families {
		x.reportProbe(p, "; the service may offer the other path family, or your user has no access to the early preview")
	}
	if len(export.accepted) > 0 { // or else the finding about the day says so
		x.reportProbe(export, "")
	}
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
func firstOf[T comparable](values []T, first T) []T {
	first = cmp.Or(first, values[0])
	return append([]T{first}, slices.DeleteFunc(slices.Clone(values), func(v T) bool { return v == first })...)
}

// send sends a probe with each of the credentials. It reports whether the service answers at all. An error
// about the content of an answer shows that the credentials were accepted.
func (x *examination) send(ctx context.Context, p *probe) (isReached bool) {
	for _, w := range x.ways {
		_, _, err := x.do(ctx, session{w, x.wire, 1}, p.read)
		if err == nil || transport.IsClass(err, transport.ClassPayload, transport.ClassNotReady, transport.ClassEmpty, transport.ClassRejected) {
			p.accepted = append(p.accepted, w)
			w.accepted++
			continue
		}

		p.failures = append(p.failures, "with "+w.name+": "+x.describe(err))
		if e, ok := errors.AsType[*transport.Error](err); ok && e.Status == 0 {
			return false
		}
	}

	return true
}

// reportProbe reports with which credentials a probe was answered. Without an answer, hint says what to do,
// but where the other path family answers: one is enough.
func (x *examination) reportProbe(p *probe, hint string) {
	var names []string
	for _, w := range p.accepted {
		names = append(names, w.name)
	}

	switch {
	case len(p.failures) == 0:
		x.report.add("Access", p.check, OK, "answered with "+list(names))
	case len(names) > 0:
		x.report.add("Access", p.check, Differs, "answered with "+list(names)+"; not "+list(p.failures))
	case hint != "" && x.use != nil:
		x.report.add("Access", p.check, Differs, "not answered "+list(p.failures)+"; use the other paths alone")
	default:
		x.report.add("Access", p.check, Broken, "not answered "+list(p.failures)+hint)
	}
}
