// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// way is one way to authenticate.
type way struct {
	name        string
	credentials transport.Credentials
	retries     int // of each request, at most
	accepted    int // by how many endpoints
}

// findWays finds the ways to authenticate that the credentials allow.
func (x *examination) findWays(ctx context.Context) {
	c := x.options.Client.Credentials
	if c.Email != "" {
		x.logIn(ctx, &way{name: "email and password", credentials: transport.Credentials{Email: c.Email, Password: c.Password}})
	}
	if c.Token != "" {
		x.ways = append(x.ways, &way{name: "token", credentials: transport.Credentials{Token: c.Token}, retries: 1})
	}
	if c.APISecretKey != "" {
		x.ways = append(x.ways, &way{name: "api_secret_key", credentials: transport.Credentials{APISecretKey: c.APISecretKey}, retries: 1})
	}
	if c == (transport.Credentials{}) {
		x.report.add("Access", "credentials", Broken, "none are set; set ANALYTICS_API_SECRET_KEY, ANALYTICS_TOKEN, or ANALYTICS_EMAIL and ANALYTICS_PASSWORD")
	}
}

// urlWarning is added to what names a place of parameters.
var urlWarning = map[string]string{transport.InQuery: "; they are part of the URL, which proxies and the service may log"}

// logIn logs in with each place of the parameters, until one works. The configured place
// comes first. Only a rejection leads to the next one, so that a service that is down or
// counts attempts is asked once. The token of the login serves all further requests; without
// one, nothing else is asked in this way.
func (x *examination) logIn(ctx context.Context, w *way) {
	var reasons []string
	for _, in := range firstOf(client.Placements, x.wire.Login.ParametersIn) {
		wire := x.wire
		wire.Login.ParametersIn = in
		token, _, err := x.do(ctx, session{way: w, wire: wire}, readToken)
		if err == nil {
			w.credentials, w.retries = transport.Credentials{Token: token.text}, 1
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

// probe is a request that touches nobody, sent with all credentials: which of them an endpoint accepts is
// not shown (section 5, rule 3).
type probe struct {
	check string
	scope client.Scope
	read  reader

	accepted []*way
	failures []string
}

// best returns the accepted credentials that most endpoints accept; nil if there are none.
func (p *probe) best() *way {
	if len(p.accepted) == 0 {
		return nil
	}
	return slices.MaxFunc(p.accepted, func(a, b *way) int { return a.accepted - b.accepted })
}

// examineAccess sends the requests that touch nobody with each of the credentials. It reports which are
// accepted and which path family answers.
func (x *examination) examineAccess(ctx context.Context) {
	x.findWays(ctx)
	user := &probe{check: "current user", read: readUser}
	isReached := x.send(ctx, user)
	x.reportProbe(user, "")
	if !isReached { // every other request would fail too
		return
	}

	project, account := x.options.project(), client.Scope{AccountID: x.options.Scope.AccountID}
	exports := &probe{check: "exports", scope: project, read: exportOf{project, x.options.Day}.read}
	families := []*probe{
		{check: "project paths", scope: project, read: pendingOf(project).read},
		{check: "account paths", scope: account, read: pendingOf(account).read},
	}
	for _, p := range append(families, exports) {
		if p.scope != (client.Scope{}) {
			x.send(ctx, p)
		}
	}
	x.chooseUse(families)
	for _, p := range families {
		x.reportProbe(p, "; the service may offer the other path family, or your user has no access to the early preview")
	}

	x.exports = exports.best()
	switch {
	case x.exports != nil:
		x.reportProbe(exports, "")
	case len(exports.failures) > 0:
		x.report.add("Export", "day", Unknown, "none of the given credentials are accepted for an export, or the project or the day "+client.FormatDay(x.options.Day)+" is not there")
	}
}

// chooseUse chooses the first path family that answers, with the credentials that most endpoints accept.
func (x *examination) chooseUse(families []*probe) {
	if x.options.Scope == (client.Scope{}) {
		x.report.add("Access", "path family", Unknown, "no scope is given; set ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID")
	}

	for _, p := range families {
		if best := p.best(); x.use == nil && best != nil {
			x.use, x.scope = best, p.scope
			x.report.Setup = Setup{Credentials: best.name, PathFamily: strings.TrimSuffix(p.check, " paths")}
		}
	}
}

// send sends a probe with each of the credentials. It reports whether the service answers at all. An error
// about the content of an answer shows that the credentials were accepted.
func (x *examination) send(ctx context.Context, p *probe) (isReached bool) {
	for _, w := range x.ways {
		_, _, err := x.do(ctx, session{way: w, wire: x.wire}, p.read)
		if err == nil || transport.IsClass(err, transport.ClassPayload, transport.ClassEmpty, transport.ClassRejected) {
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

// reportProbe reports with which credentials a probe was answered, if it was sent. Without an answer, hint says what
// to do, but where the other path family answers: one is enough.
func (x *examination) reportProbe(p *probe, hint string) {
	var answered []string
	for _, w := range p.accepted {
		answered = append(answered, "with "+w.name)
	}

	word, text := OK, "answered "+list(answered)
	switch {
	case len(p.failures) == 0:
	case len(answered) > 0:
		word, text = Differs, text+"; not "+list(p.failures)
	case hint != "" && x.use != nil:
		word, text = Differs, "not answered "+list(p.failures)+"; use the other paths alone"
	default:
		word, text = Broken, "not answered "+list(p.failures)+hint
	}
	if isSent := len(answered)+len(p.failures) > 0; isSent {
		x.report.add("Access", p.check, word, text)
	}
}
