package doctor

import (
	"context"
	"fmt"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// examineLogin logs in with each place of the parameters, until one works. The configured
// place comes first. Only a rejection leads to the next one, so that a service that is down
// or counts attempts is asked once.
func (x *examination) examineLogin(ctx context.Context) {
	w := x.way(wayLogin)
	if w == nil {
		x.report.omit("login_parameters_in: where a login carries e-mail and password", "ANALYTICS_EMAIL and ANALYTICS_PASSWORD are not set")
		return
	}

	x.options.Progress("logging in")
	var reasons []string
	var err error
	for _, in := range placements(x.wire.LoginParametersIn) {
		if err = x.logIn(ctx, w, in); err == nil {
			x.reportLogin(in)
			return
		}

		reasons = append(reasons, in+": "+describe(err))
		if !client.IsClass(err, client.ClassRejected, client.ClassAuthentication, client.ClassForbidden) {
			break
		}
	}

	if client.IsClass(err, client.ClassLoginAnswer) {
		x.report.stranger(Stranger{Where: "answer to a login", Members: namesOf(x.seen.body(opLogin))})
	}

	_, logins := x.seen.counts()
	x.report.add(groupOf(err), "login", Broken, fmt.Sprintf("it failed (%s); sent %s, and never more than %d",
		list(reasons), counted(logins, "attempt", "attempts"), LoginForms))
}

// logIn logs in once. The token of the login serves all further requests.
func (x *examination) logIn(ctx context.Context, w *way, in string) error {
	wire := x.wire
	wire.LoginParametersIn = in
	cfg := x.options.Client
	cfg.Credentials, cfg.Wire, cfg.MaxRetries, cfg.Observer = w.credentials, wire, 0, x.seen.observer()

	c, err := client.New(cfg)
	if err != nil {
		return err
	}
	x.clients = append(x.clients, c)

	token, err := c.NewSessionToken(ctx)
	if err != nil {
		return err
	}

	x.wire = wire
	w.credentials = client.Credentials{Token: token.Token}
	w.client, err = x.connect(w, wire, 1)

	return err
}

func (x *examination) reportLogin(in string) {
	_, logins := x.seen.counts()
	text := fmt.Sprintf("e-mail and password are accepted as %s (%s, and never more than %d)", in, counted(logins, "attempt", "attempts"), LoginForms)
	if in == client.InQuery {
		text += "; they are part of the URL, which proxies and the service may log"
	}

	word := OK
	if in != orDefault(x.options.Client.Wire.LoginParametersIn, client.InJSON) {
		word = Differs
	}
	x.report.add(GroupAccess, "login", word, text)
}

// placements returns all places of parameters, the configured one first.
func placements(configured string) []string { return firstOf(client.Placements, configured) }

// firstOf returns the values with one of them moved to the front.
func firstOf(values []string, first string) []string {
	ordered := []string{orDefault(first, values[0])}
	for _, v := range values {
		ordered = appendNew(ordered, v)
	}
	return ordered
}

func orDefault(value, preset string) string {
	if value == "" {
		return preset
	}
	return value
}
