// SPDX-License-Identifier: MPL-2.0

// Package doctor finds out how a service answers the questions that its interface leaves
// open, and which settings the provider needs for it. It uses the provider's own client,
// so that it sees what the provider would see.
//
// It never sends a request that the service queues: no deletion, no data access request,
// no profile update.
package doctor

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Options say what to examine.
type Options struct {
	// Client is the configuration. Its credentials may be several ways to authenticate, each
	// of which is tried.
	Client client.Config
	// Scope may hold both path families, each of which is tried.
	Scope   client.Scope
	Version string

	// Identity is the person whose consent and profile are read; empty reads nobody.
	Identity string
	// Write lets the examination write the consent of that person, and restore it.
	Write bool
	// Day is the UTC day whose export is read, and Records how many of its records at most.
	Day     time.Time
	Records int
	// Settle is how long a read may lag behind a write.
	Settle time.Duration
}

// examination is an examination that is under way.
type examination struct {
	options  Options
	report   *Report
	ways     []*way
	families []client.Scope
	wire     client.Wire // what is known to work so far

	requests, logins atomic.Int64 // that were answered

	// use and scope are what people and lists are examined with; nil and zero if nothing
	// was accepted.
	use   *way
	scope client.Scope

	clients []*client.Client
}

// Examine examines a service and returns the report. If ctx ends, the report covers what
// was done until then, and a consent that was written is restored first.
func Examine(ctx context.Context, o Options) *Report {
	level := "nobody is read or written"
	if o.Identity != "" {
		level = "one person is read"
	}
	if o.Write {
		level = "one person is read and written"
	}

	x := &examination{options: o, wire: o.Client.Wire, ways: waysOf(o.Client.Credentials), families: familiesOf(o.Scope)}
	x.report = &Report{Format: 1, Version: o.Version, Level: level, Findings: []Finding{}, NotAnswered: []Omission{}}
	x.run(ctx)
	for _, c := range x.clients {
		c.Close()
	}

	x.report.Requests, x.report.LoginAttempts = int(x.requests.Load()), int(x.logins.Load())
	x.report.Setup.Wire = settingsOf(x.wire)
	if x.use != nil {
		x.report.Setup.Credentials, x.report.Setup.PathFamily = x.use.name, familyName(x.scope)
	}
	x.omit()
	x.report.close()

	return x.report
}

// run examines level by level. It stops where no later level could work.
func (x *examination) run(ctx context.Context) {
	if !x.checkSetup() {
		return
	}

	x.examineLogin(ctx)
	if !x.examineUsers(ctx) {
		return
	}

	x.examineLists(ctx)
	export := x.readExport(ctx)
	x.judgeAccess()
	x.examinePending(ctx)
	x.reportExport(export)
	x.examinePerson(ctx)
	x.examineWriting(ctx)
}

// checkSetup reports what is missing in the configuration, and whether anything can be
// examined.
func (x *examination) checkSetup() bool {
	if len(x.ways) == 0 {
		x.report.add(GroupAccess, "credentials", Broken, "none are set; set ANALYTICS_API_SECRET_KEY, ANALYTICS_TOKEN, or ANALYTICS_EMAIL and ANALYTICS_PASSWORD")
	}
	for _, w := range x.ways {
		if err := w.credentials.Validate(); err != nil {
			x.report.add(GroupAccess, w.name, Broken, "the setting "+err.Error())
		}
	}
	for _, f := range x.families {
		if err := f.Validate(); err != nil {
			x.report.add(GroupAccess, "path family", Broken, err.Error())
		}
	}
	if id := x.options.Identity; id != "" {
		if err := client.ValidateSegment(id); err != nil {
			x.report.add(GroupConsent, "identity", Broken, "the identity "+err.Error())
		}
	}

	return len(x.report.Findings) == 0
}

// omit adds the questions that a further level would answer, and those that no level does.
func (x *examination) omit() {
	r := x.report
	if x.options.Identity == "" {
		r.omit("what consent and profile look like", "no person was read; -identity reads one")
	}
	if !x.options.Write {
		r.omit("where a consent update carries its fields, and how it writes a time", "nothing was written; -write -identity tries it with a test person and restores the consent")
	}
	if len(x.families) == 1 {
		r.omit("whether the other path family answers", "its variables (ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID) are not set")
	}
	r.omit("what a deletion, a data access request and a profile update answer", "requests that the service queues are never sent")
	r.omit("all_data_member: by which member all data of a person is recognised", "requests that the service queues are never sent")
	r.omit("pending_list_lag: how long the list of pending requests lags behind", "only a queued request would show it")
}

// connect returns a client that authenticates in one way, sends requests by the given
// settings, and repeats each as often at most.
func (x *examination) connect(w *way, wire client.Wire, retries int) (*client.Client, error) {
	cfg := x.options.Client
	cfg.Credentials, cfg.Wire = w.credentials, wire
	cfg.MaxRetries = min(cfg.MaxRetries, retries)
	cfg.Observer = x.count

	c, err := client.New(cfg)
	if err != nil {
		return nil, err
	}
	x.clients = append(x.clients, c)

	return c, nil
}

// count counts an answer.
func (x *examination) count(h transport.Head) {
	x.requests.Add(1)
	if h.Operation == "Log in" {
		x.logins.Add(1)
	}
}

// shown returns names of members as the report has them: sorted, each once, and {} for those that
// are not shown.
func (x *examination) shown(names []string) string {
	var shown []string
	for _, name := range names {
		if x.hides(name) {
			name = jsonvalue.AnyName
		}
		shown = appendNew(shown, name)
	}
	slices.Sort(shown)

	return list(shown)
}

// hides reports whether a name of a member may be a person or a credential, and is not shown:
// it has no form that names of fields have, or it holds a private value or a word of what
// stands before the @ of the identity.
func (x *examination) hides(name string) bool {
	c := x.options.Client.Credentials
	private := []string{c.Email, c.Password, c.Token, c.APISecretKey, x.options.Identity}
	private = slices.AppendSeq(private, maps.Values(x.options.Client.Headers))
	for _, w := range x.ways {
		private = append(private, w.credentials.Token) // of a login
	}

	person, _, _ := strings.Cut(x.options.Identity, "@")
	words := strings.FieldsFunc(person, func(r rune) bool { return !unicode.IsLetter(r) })
	holds := func(v string) bool { return strings.Contains(strings.ToLower(name), strings.ToLower(v)) }
	private = slices.DeleteFunc(private, func(v string) bool { return v == "" })

	return !jsonvalue.IsFieldName(name) || slices.ContainsFunc(slices.Concat(private, words), holds) || transport.HiddenName(private...)(name)
}
