// SPDX-License-Identifier: MPL-2.0

// Package doctor finds out how a service answers the questions that its interface leaves open, and which settings the
// provider needs for it. It uses the provider's own client, so that it sees what the provider would see. Where an
// answer is not read, package infer proposes settings. doctor shows only those with which the client has read the
// answers that were seen.
//
// Without a rehearsal it sends no write, and no request that the service queues.
package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// Options say what to examine.
type Options struct {
	Client  client.Config // whose credentials may be several ways to authenticate, each of which is tried
	Scope   client.Scope  // which may hold both path families, each of which is tried
	Version string

	Identity string        // the person who is read, or with whom is rehearsed; empty reads only people who are invented
	Rehearse bool          // does everything once, with an invented person or with that of Identity, who is deleted then
	Timeout  time.Duration // of the requests of a rehearsal together
	Day      time.Time     // the UTC day whose export is read
}

// level returns how far the examination goes.
func (o Options) level() string {
	if o.Rehearse {
		return "everything is done once with one person"
	}
	return map[bool]string{true: "one person is read", false: "nobody is read or written"}[o.Identity != ""]
}

// omissions returns the questions that these options do not ask, and why.
func (o Options) omissions() []string {
	hasProject, hasAccount := o.Scope.OrgID != "", o.Scope.AccountID != ""
	questions := map[string]bool{
		"where a login carries e-mail and password: ANALYTICS_EMAIL and ANALYTICS_PASSWORD are not set":                                                       o.Client.Credentials.Email == "",
		"what an export looks like: exports exist in the org and project paths only; set ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID":                           !hasProject,
		"whether the other path family answers: its variables (ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID) are not set":               hasProject != hasAccount,
		"what consent and profile look like: no person was read; -identity reads one":                                                                         o.Identity == "" && !o.Rehearse,
		"how writes are sent and answered, where all data of a person is, and how long readings lag: -rehearse does everything once, with an invented person": !o.Rehearse,
	}
	maps.DeleteFunc(questions, func(_ string, isOmitted bool) bool { return !isOmitted })

	return slices.Sorted(maps.Keys(questions))
}

// examination is an examination that is under way.
type examination struct {
	options  Options
	report   *Report
	wire     client.Wire        // as configured, with the settings that were found since
	readings map[string]reading // by group, check and way
	known    []*infer.Request   // that the list may show
	invented string             // the identity of a person whom the service does not know

	ways             []*way
	project, account client.Scope
	use              *way         // what is read with further on; nil if no list was answered
	scope            client.Scope // whose paths are used with it
}

// Examine examines a service and returns the report. If ctx ends, the report covers what
// was done until then.
func Examine(ctx context.Context, o Options) *Report {
	r := &Report{Format: 2, Version: o.Version, Level: o.level(), Findings: []Finding{}, NotAnswered: o.omissions()}
	x := &examination{
		options: o, report: r, wire: o.Client.Wire.Minimal(), readings: map[string]reading{},
		invented: "doctor-" + strings.ToLower(rand.Text()) + "@example.invalid",
		project:  client.Scope{OrgID: o.Scope.OrgID, ProjectID: o.Scope.ProjectID},
		account:  client.Scope{AccountID: o.Scope.AccountID},
	}
	if o.Identity != "" {
		x.known = []*infer.Request{{Person: o.Identity}}
	}

	if x.examineAccess(ctx); x.use != nil {
		x.examinePeople(ctx)
	}
	if x.use != nil && o.Rehearse {
		x.rehearse(ctx)
	}
	if ctx.Err() != nil {
		r.add(access, "interrupted", Broken, "the examination was interrupted, and covers what was done until then")
	}
	x.conclude(context.WithoutCancel(ctx))

	wire, _ := json.Marshal(r.Wire) // texts, lists and maps of texts
	r.WireBlock = infer.ParseSettings(wire).Block()
	r.judge()

	return r
}

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

// logIn returns the token of a login, which serves all further requests; empty without one. Only a rejection leads to
// the next place of the parameters: a service that is down or counts attempts is asked once.
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

// firstOf returns the values with one of them moved to the front, if it is one of them.
func firstOf(values []string, first string) []string {
	i := max(0, slices.Index(values, first))
	return slices.Concat(values[i:i+1], values[:i], values[i+1:])
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

	x.use, x.scope = x.best("project paths"), x.project
	if x.use == nil {
		x.use, x.scope = x.best("account paths"), x.account
	}
	if x.use == nil {
		x.report.add(access, "path family", Broken, "the list of pending requests was not answered, so no person was read; set "+
			"ANALYTICS_API_SECRET_KEY, ANALYTICS_TOKEN, or ANALYTICS_EMAIL and ANALYTICS_PASSWORD, and ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID")
		return
	}
	x.report.Setup = Setup{Credentials: x.use.name, PathFamily: map[bool]string{true: "project", false: "account"}[x.scope == x.project]}
}

// probe reads with one of the credentials, and reports whether the service answers at all. An error about the content
// of an answer shows that the credentials are accepted.
func (x *examination) probe(ctx context.Context, w *way) (isAnswered bool) {
	probes := []*reading{{check: "current user", read: readUser, propose: infer.Absent}}
	if x.project != (client.Scope{}) {
		probes = append(probes, &reading{check: "project paths", read: pendingOf(x.project).read, propose: x.proposePending}, x.export())
	}
	if x.account != (client.Scope{}) {
		probes = append(probes, &reading{check: "account paths", read: pendingOf(x.account).read, propose: x.proposePending})
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

// examinePeople reads the list, an invented person, and the person of the options.
func (x *examination) examinePeople(ctx context.Context) {
	const whenEmpty = "the service holds none of this person, so none was seen"
	nobody, who := x.person(x.invented), x.person(x.options.Identity)
	all := []*reading{
		x.pending(),
		{group: "Consent", check: noPerson, read: nothing(nobody.consent), propose: infer.Absent},
		{group: "Profile", check: noPerson, read: nothing(nobody.readProfile), propose: infer.Absent},
		{group: "Consent", check: "record", read: who.consent, propose: infer.Consent, whenEmpty: whenEmpty},
		{group: "Profile", check: "profile", read: who.readProfile, propose: who.proposeProfile, whenEmpty: whenEmpty},
	}
	if x.options.Identity == "" {
		all = all[:3]
	}
	for _, r := range all {
		_ = x.examine(ctx, r) // its finding has the error
	}
}

const (
	access   = "Access"          // the group of findings about credentials
	noPerson = "invented person" // the check of readings of a person who does not exist
)

// export returns a reading of the beginning of the day. A service that selects the kind by a parameter may name it in
// its error.
func (x *examination) export() *reading {
	r := &reading{
		check: "exports", read: readDay(x.project, x.options.Day),
		whenEmpty: "the day " + client.FormatDay(x.options.Day) + " has no records; -day chooses another one",
	}
	r.propose = func(a infer.Answer) []infer.Settings {
		if transport.IsClass(r.err, transport.ClassRejected) {
			return infer.KindParameters(a)
		}
		return infer.Export(a)
	}

	return r
}

// pending returns a reading of the list of pending requests.
func (x *examination) pending() *reading {
	const whenEmpty = "the list is empty, so no record was seen"
	return &reading{group: "Pending requests", check: "list", read: pendingOf(x.scope).read, propose: x.proposePending, whenEmpty: whenEmpty}
}

func (x *examination) proposePending(a infer.Answer) []infer.Settings {
	return infer.Pending(a, x.known...)
}

func (x *examination) person(identity string) person {
	return person{Person: client.Person{Scope: x.scope, Identity: identity}}
}
