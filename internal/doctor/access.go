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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// way is one way to authenticate.
type way struct {
	name        string
	credentials transport.Credentials
	accepted    []string // the checks that show so
}

// findWays finds the ways to authenticate that the credentials allow.
func (x *examination) findWays(ctx context.Context) {
	c := x.options.Client.Credentials
	for _, w := range []way{
		{name: "email and password", credentials: transport.Credentials{Token: x.logIn(ctx)}},
		{name: "token", credentials: transport.Credentials{Token: c.Token}},
		{name: "api_secret_key", credentials: transport.Credentials{APISecretKey: c.APISecretKey}},
	} {
		if w.credentials != (transport.Credentials{}) {
			x.ways = append(x.ways, &w)
		}
	}
}

// logIn returns the token of a login, which serves all further requests; empty without one. It logs in with each
// place of the parameters, the configured one first. Only a rejection leads to the next one, so that a service that
// is down or counts attempts is asked once.
func (x *examination) logIn(ctx context.Context) (token string) {
	c := x.options.Client.Credentials
	if c.Email == "" {
		return ""
	}

	w := &way{credentials: transport.Credentials{Email: c.Email, Password: c.Password}}
	var reasons []string
	for _, in := range firstOf(client.Placements, x.wire.Login.ParametersIn) {
		settings := infer.Settings{"/login/parameters_in": in}
		got, err := x.do(ctx, &session{way: w, more: settings}, readToken)
		if err == nil {
			x.wire, _ = x.wire.With(settings)
			x.report.add(access, "login", OK, "e-mail and password are accepted as "+in)
			return got.text
		}

		reasons = append(reasons, in+": "+x.describe(err))
		if !transport.IsClass(err, transport.ClassRejected, transport.ClassAuthentication, transport.ClassForbidden) {
			break
		}
	}
	x.report.add(access, "login", Broken, fmt.Sprintf("it failed (%s); attempts sent: %d, and never more than %d", strings.Join(reasons, ", "), len(reasons), len(client.Placements)))

	return ""
}

// firstOf returns the values with one of them moved to the front.
func firstOf(values []string, first string) []string {
	first = cmp.Or(first, values[0])
	return append([]string{first}, slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == first })...)
}

// examineAccess reads what touches nobody with each of the credentials: which of them an endpoint accepts is not shown
// (section 5, rule 3). The first path family that answers is used further on.
func (x *examination) examineAccess(ctx context.Context) {
	x.findWays(ctx)
	for _, w := range x.ways {
		if !x.probe(ctx, w) {
			break
		}
	}

	family := "project"
	x.use, x.scope = x.best("project paths"), x.project
	if x.use == nil {
		family, x.use, x.scope = "account", x.best("account paths"), x.account
	}
	if x.use == nil {
		x.report.add(access, "path family", Broken, "the list of pending requests was not answered, so no person was read; set "+
			"ANALYTICS_API_SECRET_KEY, ANALYTICS_TOKEN, or ANALYTICS_EMAIL and ANALYTICS_PASSWORD, and ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID")
		return
	}
	x.report.Setup = Setup{Credentials: x.use.name, PathFamily: family}
}

// probe reads with one of the credentials, and reports whether the service answers at all. An error about the content
// of an answer shows that the credentials are accepted.
func (x *examination) probe(ctx context.Context, w *way) (isAnswered bool) {
	probes := []*reading{{check: "current user", read: readUser}}
	if x.project != (client.Scope{}) {
		probes = append(probes, &reading{check: "project paths", read: readPending(x.project), propose: x.proposePending}, x.export())
	}
	if x.account != (client.Scope{}) {
		probes = append(probes, &reading{check: "account paths", read: readPending(x.account), propose: x.proposePending})
	}

	for _, r := range probes {
		r.group, r.way = access, w
		err := x.examine(ctx, r)
		if e, ok := errors.AsType[*transport.Error](err); ok && e.Status == 0 {
			return false
		}
		if err == nil || transport.IsClass(err, transport.ClassPayload, transport.ClassEmpty, transport.ClassRejected) {
			w.accepted = append(w.accepted, r.check)
		}
	}

	return true
}

// best returns the credentials that are accepted for a check, and for most others; nil if there are none.
func (x *examination) best(check string) (best *way) {
	for _, w := range x.ways {
		isMore := best == nil || len(w.accepted) > len(best.accepted)
		if isMore && slices.Contains(w.accepted, check) {
			best = w
		}
	}
	return best
}
