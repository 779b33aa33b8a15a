// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// examineLogin logs in with each place of the parameters, until one works. The configured
// place comes first. Only a rejection leads to the next one, so that a service that is down
// or counts attempts is asked once. The token of the login serves all further requests; without
// one, nothing else is asked in this way.
func (x *examination) examineLogin(ctx context.Context) {
	i := slices.IndexFunc(x.ways, func(w *way) bool { return w.name == wayLogin })
	if i < 0 {
		x.report.omit("login_parameters_in: where a login carries e-mail and password", "ANALYTICS_EMAIL and ANALYTICS_PASSWORD are not set")
		return
	}

	var reasons []string
	var err error
	for _, in := range firstOf(client.Placements, x.wire.LoginParametersIn) {
		wire := x.wire
		wire.LoginParametersIn = in
		if err = x.logIn(ctx, x.ways[i], wire); err == nil {
			word := OK
			if in != cmp.Or(x.wire.LoginParametersIn, transport.InJSON) {
				word = Differs
			}
			x.report.add(GroupAccess, "login", word, "e-mail and password are accepted as "+in+inURL(in))
			x.wire = wire

			return
		}

		reasons = append(reasons, in+": "+describe(err))
		if !transport.IsClass(err, transport.ClassRejected, transport.ClassAuthentication, transport.ClassForbidden) {
			break
		}
	}

	x.ways = slices.Delete(x.ways, i, i+1)
	x.report.add(groupOf(err), "login", Broken, fmt.Sprintf("it failed (%s); %s sent, and never more than %d",
		list(reasons), counted(len(reasons), "attempt was", "attempts were"), len(client.Placements)))
}

func (x *examination) logIn(ctx context.Context, w *way, wire client.Wire) error {
	c, err := x.connect(w, wire, 0)
	if err != nil {
		return err
	}

	token, err := c.NewSessionToken(ctx)
	if err == nil {
		w.credentials = transport.Credentials{Token: token.Token}
	}

	return err
}

// firstOf returns the values with one of them moved to the front.
func firstOf(values []string, first string) []string {
	ordered := []string{cmp.Or(first, values[0])}
	for _, v := range values {
		ordered = appendNew(ordered, v)
	}
	return ordered
}

// inURL warns of values that are part of the URL; empty where they are not.
func inURL(in string) string {
	if in != transport.InQuery {
		return ""
	}
	return "; they are part of the URL, which proxies and the service may log"
}
