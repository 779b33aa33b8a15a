// SPDX-License-Identifier: MPL-2.0

// Package doctor finds out how a service answers the questions that its interface leaves
// open, and which settings the provider needs for it. It uses the provider's own client,
// so that it sees what the provider would see. Where an answer is not read, package infer
// proposes settings, and doctor shows only those with which the client has read the very
// answers that were seen.
//
// Without a rehearsal it sends no write, and no request that the service queues.
package doctor

import (
	"context"
	"crypto/rand"
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

	// Identity is the person who is read, or with whom is rehearsed; empty reads only people
	// whom the examination invents.
	Identity string
	// Rehearse lets the examination do everything once, with an invented person or with that of
	// Identity. Everything of this person is then deleted.
	Rehearse bool
	Timeout  time.Duration // of the requests of a rehearsal together
	Day      time.Time     // the UTC day whose export is read
}

// level returns how far the examination goes.
func (o Options) level() string {
	switch {
	case o.Rehearse:
		return "everything is done once with one person"
	case o.Identity != "":
		return "one person is read"
	}
	return "nobody is read or written"
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
	wire     client.Wire         // as configured, with the settings that were found since
	readings map[string]*reading // by group, check and way
	known    []*infer.Request    // that the list may show
	invented string              // the identity of a person whom the service does not know

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
		options: o, report: r, wire: o.Client.Wire.Minimal(), readings: map[string]*reading{},
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
	x.conclude(context.WithoutCancel(ctx))
	if ctx.Err() != nil {
		r.add(access, "interrupted", Broken, "the examination was interrupted, and covers what was done until then")
	}

	wire, _ := json.Marshal(r.Wire) // texts, lists and maps of texts
	r.WireBlock = infer.ParseSettings(wire).Block()
	r.judge()

	return r
}

// examinePeople reads the list of pending requests, an invented person, whose answers say that there is nothing, and
// the person of the options.
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

// The groups of findings that are asked for, and the check of readings of a person who does not exist.
const (
	access   = "Access"
	noPerson = "invented person"
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
	return &reading{group: "Pending requests", check: "list", read: readPending(x.scope), propose: x.proposePending, whenEmpty: whenEmpty}
}

func (x *examination) proposePending(a infer.Answer) []infer.Settings {
	return infer.Pending(a, x.known...)
}

func (x *examination) person(identity string) person {
	return person{Person: client.Person{Scope: x.scope, Identity: identity}}
}
