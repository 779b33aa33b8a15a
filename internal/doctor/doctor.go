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
	"time"

	"github.com/go-json-experiment/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// Options say what to examine.
type Options struct {
	// Client is the configuration. Its credentials may be several ways to authenticate, each
	// of which is tried.
	Client client.Config
	// Scope may hold both path families, each of which is tried.
	Scope   client.Scope
	Version string

	// Identity is the person who is read, or with whom is rehearsed; empty reads only people
	// whom the examination invents.
	Identity string
	// Rehearse lets the examination do everything once, with an invented person or with that of
	// Identity. Everything of this person is then deleted.
	Rehearse bool
	// Timeout is how long the requests of a rehearsal may take together.
	Timeout time.Duration
	// Day is the UTC day whose export is read.
	Day time.Time
}

func (o Options) project() client.Scope {
	return client.Scope{OrgID: o.Scope.OrgID, ProjectID: o.Scope.ProjectID}
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
func (o Options) omissions() (omitted []string) {
	hasProject, hasAccount := o.Scope.OrgID != "", o.Scope.AccountID != ""
	for _, q := range []struct {
		isOmitted bool
		text      string
	}{
		{o.Client.Credentials.Email == "", "where a login carries e-mail and password: ANALYTICS_EMAIL and ANALYTICS_PASSWORD are not set"},
		{!hasProject, "what an export looks like: exports exist in the org and project paths only; set ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID"},
		{hasProject != hasAccount, "whether the other path family answers: its variables (ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID) are not set"},
		{o.Identity == "" && !o.Rehearse, "what consent and profile look like: no person was read; -identity reads one"},
		{!o.Rehearse, "how writes are sent and answered, where all data of a person is, and how long readings lag: -rehearse does everything once, with an invented person"},
	} {
		if q.isOmitted {
			omitted = append(omitted, q.text)
		}
	}

	return omitted
}

// examination is an examination that is under way.
type examination struct {
	options  Options
	report   *Report
	wire     client.Wire      // as configured, with the settings that were found since
	readings []*reading       // that have read something, to be verified in the end
	known    []*infer.Request // that the list may show

	ways    []*way
	use     *way         // what people are examined with; nil if no list was answered
	exports *way         // what a day is examined with; nil if no export was answered
	scope   client.Scope // whose paths are used with it
}

// Examine examines a service and returns the report. If ctx ends, the report covers what
// was done until then.
func Examine(ctx context.Context, o Options) *Report {
	r := &Report{Format: 2, Version: o.Version, Level: o.level(), Findings: []Finding{}, NotAnswered: o.omissions()}
	x := &examination{options: o, report: r, wire: o.Client.Wire.Minimal()}
	if o.Identity != "" {
		x.known = []*infer.Request{{Person: o.Identity}}
	}

	x.examineAccess(ctx)
	x.examineExport(ctx)
	if x.use != nil {
		x.examinePending(ctx)
		x.examinePeople(ctx)
	}
	if x.use != nil && o.Rehearse {
		x.rehearse(ctx)
	}
	x.verify(context.WithoutCancel(ctx))
	if ctx.Err() != nil {
		r.add("Access", "interrupted", Broken, "the examination was interrupted, and covers what was done until then")
	}

	r.Wire = x.wire.Minimal()
	wire, _ := json.Marshal(r.Wire) // texts, lists and maps of texts
	r.WireBlock = infer.ParseSettings(wire).Block()
	r.judge()

	return r
}
