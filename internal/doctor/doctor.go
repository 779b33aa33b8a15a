// SPDX-License-Identifier: MPL-2.0

// Package doctor finds out how a service answers the questions that its interface leaves open, and which settings the
// provider needs for it. It uses the provider's own client, so that it sees what the provider would see. Where an
// answer is not read, package infer proposes settings. doctor shows only those with which the client has read the
// answers that were seen.
//
// Without a rehearsal it sends no write, and no request that the service queues.
package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
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

// Word is the verdict of a finding.
type Word string

// The words, the best first.
const (
	OK      Word = "ok"      // the provider works with this as it is configured
	Unknown Word = "unknown" // the examination could not find out
	Differs Word = "differs" // another setting is needed, or the provider does not understand a part of it
	Broken  Word = "broken"  // nothing works until this is fixed
)

// Finding is one thing that was examined.
type Finding struct {
	Group string `json:"group"`
	Check string `json:"check"`
	Word  Word   `json:"word"`
	Text  string `json:"text"`
}

// Report is the result of an examination. It holds names, and never a value of the service, a credential or a person.
type Report struct {
	Format      int         `json:"format"` // of this JSON
	Version     string      `json:"provider_version"`
	Result      Word        `json:"result"`
	ExitStatus  int         `json:"exit_status"`
	Findings    []Finding   `json:"findings"`
	Setup       []string    `json:"setup"`          // of a provider block: path family and credentials; empty if nothing was accepted
	Wire        client.Wire `json:"wire"`           // the settings that differ from the defaults, as ANALYTICS_WIRE takes them
	WireBlock   string      `json:"wire_block"`     // of a provider block with these settings
	Person      string      `json:"person"`         // who was invented for a rehearsal; empty for the person who was given
	Remaining   []string    `json:"left,omitempty"` // of the person of a rehearsal, at the service
	Lag         string      `json:"lag,omitempty"`  // the longest time after which a reading of a rehearsal showed what had been accepted
	NotAnswered []string    `json:"not_answered"`   // each question with the reason
}

func (r *Report) add(group, check string, word Word, text string) {
	r.Findings = append(r.Findings, Finding{group, check, word, text})
}

// examination is an examination that is under way.
type examination struct {
	options  Options
	report   *Report
	wire     client.Wire        // as configured, with the settings that were found since
	readings map[string]reading // by group, check and way
	known    []*infer.Request   // that the list may show
	invented string             // the identity of a person whom the service does not know

	ways []*way
	use  *way // what is read with further on; nothing is accepted with it as long as no list was read
}

// way is one way to authenticate.
type way struct {
	name        string
	credentials transport.Credentials
	scope       client.Scope // the first whose list was answered; zero if none was
	accepted    int          // how many readings show that the credentials are accepted, from that list on
}

const (
	access   = "Access"          // the group of findings about credentials
	noPerson = "invented person" // the check of readings of a person who does not exist
)

// Examine examines a service and returns the report. If ctx ends, the report covers what
// was done until then.
func Examine(ctx context.Context, o Options) *Report {
	r := &Report{Format: 2, Version: o.Version}
	x := &examination{
		options: o, report: r, wire: o.Client.Wire.Minimal(), readings: map[string]reading{}, use: &way{},
		invented: "doctor-" + strings.ToLower(rand.Text()) + "@example.invalid",
	}
	if o.Identity != "" {
		x.known = []*infer.Request{{Person: o.Identity}}
	}

	if x.examineAccess(ctx) {
		x.examinePeople(ctx)
		x.rehearse(ctx)
	}
	if ctx.Err() != nil {
		r.add(access, "interrupted", Broken, "the examination was interrupted, and covers what was done until then")
	}
	x.conclude(context.WithoutCancel(ctx))

	wire, _ := json.Marshal(r.Wire) // texts, lists and maps of texts
	r.WireBlock = infer.ParseSettings(wire).Block()
	words, worst := []Word{OK, Unknown, Differs, Broken}, 0
	for _, f := range r.Findings {
		worst = max(worst, slices.Index(words, f.Word))
	}
	r.Result, r.ExitStatus = words[worst], []int{0, 1, 1, 2}[worst]

	return r
}

// examineAccess reads what touches nobody with each of the credentials: which of them an endpoint accepts is not shown
// (section 5, rule 3). Those that are accepted most are used further on, with the first path family whose list is read.
func (x *examination) examineAccess(ctx context.Context) (hasList bool) {
	c := x.options.Client.Credentials
	x.ways = []*way{
		{name: "email and password", credentials: transport.Credentials{Email: c.Email, Password: c.Password}},
		{name: "token", credentials: transport.Credentials{Token: c.Token}},
		{name: "api_secret_key", credentials: transport.Credentials{APISecretKey: c.APISecretKey}},
	}
	for _, w := range x.ways {
		if w.credentials.Email != "" { // the token of a login serves all further requests
			login := &reading{group: access, check: "login", way: &way{name: w.name, credentials: w.credentials}, read: readToken, propose: infer.Absent, ifRefused: inEachPlace}
			_ = x.examine(ctx, login) // its finding has the error
			w.credentials = transport.Credentials{Token: login.text}
		}
		if w.credentials != (transport.Credentials{}) && !x.probe(ctx, w) {
			break
		}
	}

	x.use = slices.MaxFunc(x.ways, func(a, b *way) int { return cmp.Compare(a.accepted, b.accepted) })
	if x.use.accepted == 0 {
		x.report.add(access, "path family", Broken, "the list of pending requests was not answered, so no person was read; set "+
			"ANALYTICS_API_SECRET_KEY, ANALYTICS_TOKEN, or ANALYTICS_EMAIL and ANALYTICS_PASSWORD, and ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID")
		return false
	}
	family := map[bool]string{true: "org_id and project_id, and no account_id", false: "account_id, and no org_id and project_id"}[x.use.scope.AccountID == ""]
	x.report.Setup = []string{family, "credentials: " + x.use.name}

	return true
}

// inEachPlace proposes the places of a login's parameters. Only a rejection leads to them: a service that is down or counts
// attempts is asked once.
func inEachPlace(infer.Answer) []infer.Settings {
	return []infer.Settings{{"/login/parameters_in": transport.InJSON}, {"/login/parameters_in": transport.InForm}, {"/login/parameters_in": transport.InQuery}}
}

// probe reads with one of the credentials, and reports whether the service answers at all.
func (x *examination) probe(ctx context.Context, w *way) (isAnswered bool) {
	var probes []*reading
	if s := (client.Scope{OrgID: x.options.Scope.OrgID, ProjectID: x.options.Scope.ProjectID}); s.OrgID != "" {
		whenEmpty := "the day " + client.FormatDay(x.options.Day) + " has no records; -day chooses another one"
		probes = append(probes, &reading{check: "project paths", scope: s, read: readPending(s), propose: x.proposePending},
			&reading{check: "exports", read: readDay(s, x.options.Day), propose: infer.Export, ifRefused: infer.KindParameters, whenEmpty: whenEmpty})
	}
	if s := (client.Scope{AccountID: x.options.Scope.AccountID}); s.AccountID != "" {
		probes = append(probes, &reading{check: "account paths", scope: s, read: readPending(s), propose: x.proposePending})
	}

	for _, r := range append(probes, &reading{check: "current user", read: readUser, propose: infer.Absent}) {
		r.group, r.way = access, w
		err := x.examine(ctx, r)
		if e, ok := errors.AsType[*transport.Error](err); ok && e.Status == 0 {
			return false
		}
		if !isAccepted(err) {
			continue
		}
		if w.scope = cmp.Or(w.scope, r.scope); w.scope != (client.Scope{}) {
			w.accepted++
		}
	}

	return true
}

// isAccepted reports whether an answer shows that the credentials are accepted, as an error about its content does.
func isAccepted(err error) bool {
	return err == nil || transport.IsClass(err, transport.ClassPayload, transport.ClassEmpty, transport.ClassRejected)
}

// pending returns a reading of the list of pending requests.
func (x *examination) pending() *reading {
	const whenEmpty = "the list is empty, so no record was seen"
	return &reading{group: "Pending requests", check: "list", read: readPending(x.use.scope), propose: x.proposePending, whenEmpty: whenEmpty}
}

func (x *examination) proposePending(a infer.Answer) []infer.Settings {
	return infer.Pending(a, x.known...)
}

// examinePeople reads the list, an invented person, and the person of the options.
func (x *examination) examinePeople(ctx context.Context) {
	const whenEmpty = "the service holds none of this person, so none was seen"
	nobody := &person{Person: client.Person{Scope: x.use.scope, Identity: x.invented}}
	who := &person{Person: client.Person{Scope: x.use.scope, Identity: x.options.Identity}}
	all := []*reading{
		x.pending(),
		{group: "Consent", check: noPerson, read: nothing(nobody.consent), propose: infer.Absent},
		{group: "Profile", check: noPerson, read: nothing(nobody.readProfile), propose: infer.Absent},
		{group: "Consent", check: "record", read: who.consent, propose: infer.Consent, whenEmpty: whenEmpty},
		{group: "Profile", check: "profile", read: who.readProfile, propose: who.proposeProfile, whenEmpty: whenEmpty},
	}
	if who.Identity == "" {
		all = all[:3]
	}
	for _, r := range all {
		_ = x.examine(ctx, r) // its finding has the error
	}
}

// conclude adds a finding about each reading, and one about the settings in the end.
func (x *examination) conclude(ctx context.Context) {
	x.report.Wire = x.wire.Minimal()
	if !reflect.DeepEqual(x.report.Wire, x.options.Client.Wire.Minimal()) {
		x.report.add("Settings", "wire", Differs, "the block below has settings that are not configured")
	}

	for _, key := range slices.Sorted(maps.Keys(x.readings)) {
		r := x.readings[key]
		word, text := x.verdict(ctx, r)
		if r.group == access {
			text = "with " + r.way.name + ": " + text
			if x.use.accepted > 0 && !isAccepted(r.err) {
				word = Differs // other credentials are accepted, or the other path family
			}
		}
		x.report.add(r.group, r.check, word, text)
	}
	slices.SortStableFunc(x.report.Findings, func(a, b Finding) int { return cmp.Compare(a.Group, b.Group) })
}

// verdict reads the answers of a reading once more with the settings in the end, by which they have to be read as they
// were, and as configured. What an answer consists of shows why settings are needed.
func (x *examination) verdict(ctx context.Context, r reading) (Word, string) {
	last := x.again(ctx, r, x.wire)
	switch {
	case r.err != nil:
		return Broken, x.describe(r.err) + "; no setting was found with which it is read"
	case !last.fits(r.decoded):
		return Broken, "the answer is read with its own settings, and not with all of them together"
	case last.lacking > 0:
		return Differs, "it is read, but not every field that the provider needs; no setting was found that names the others"
	case r.text == "" && r.whenEmpty != "":
		return Unknown, r.whenEmpty
	case x.again(ctx, r, x.options.Client.Wire).fits(last):
		return OK, "read as configured"
	}

	text := "read with the wire settings below"
	v, err := jsonvalue.Parse(r.answers[len(r.answers)-1].evidence().Body)
	if structure := decode.Structure(v); err == nil && !x.hides(structure) {
		text += "; the answer is " + structure
	}

	return Differs, text
}

// describe returns a failure without the service's own words, and without a detail that may quote people.
func (x *examination) describe(err error) string {
	e, ok := errors.AsType[*transport.Error](err)
	if !ok {
		return err.Error() // of a setting or of a reader, whose errors show nothing of an answer
	}

	shown := *e
	shown.Message, shown.Code, shown.Fields = "", "", nil
	if e.Status >= http.StatusMultipleChoices || e.Class == transport.ClassNotJSON || x.hides(shown.Detail) {
		shown.Detail = ""
	}

	return shown.Error()
}

// hides reports whether a text may hold a person or a credential, and is not shown: it holds a
// private value, or a word of the identity before its @.
func (x *examination) hides(text string) bool {
	c := x.options.Client.Credentials
	private := []string{c.Email, c.Password, c.Token, c.APISecretKey, x.options.Identity}
	private = slices.AppendSeq(private, maps.Values(x.options.Client.Headers))
	for _, w := range x.ways {
		private = append(private, w.credentials.Token) // of a login
	}
	if (&transport.Redactor{Values: private}).Clean(text) != text {
		return true
	}

	person, _, _ := strings.Cut(x.options.Identity, "@")
	theirs := words.FindAllString(person, -1)
	for _, word := range words.FindAllString(text, -1) {
		for _, their := range theirs {
			if strings.EqualFold(their, word) {
				return true
			}
		}
	}

	return false
}

// words matches the words of a text. bobPhone has two.
var words = regexp.MustCompile(`\p{Lu}*[\p{Ll}\p{Lt}\p{Lm}\p{Lo}]+|\p{Lu}+`)
