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
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
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
	// Rehearse lets the examination do everything once, with a person whom it invents or, if
	// there is an Identity, with that person, of whom everything is then deleted.
	Rehearse bool
	// Timeout is how long the requests of a rehearsal may take together.
	Timeout time.Duration
	// Day is the UTC day whose export is read.
	Day time.Time
}

// omissions returns the questions that are not asked, by these options or ever.
func (o Options) omissions() []Omission {
	omitted := []Omission{}
	omit := func(isOmitted bool, question, why string) {
		if isOmitted {
			omitted = append(omitted, Omission{question, why})
		}
	}

	omit(o.Client.Credentials.Email == "", "login.parameters_in: where a login carries e-mail and password", "ANALYTICS_EMAIL and ANALYTICS_PASSWORD are not set")
	omit(o.Scope.OrgID == "", "what an export looks like", "exports exist in the org and project paths only; set ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID")
	omit(o.Identity == "" && !o.Rehearse, "what consent and profile look like", "no person was read; -identity reads one")
	omit((o.Scope.OrgID == "") != (o.Scope.AccountID == ""), "whether the other path family answers",
		"its variables (ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID) are not set")
	omit(!o.Rehearse, "how writes are sent and what they answer, where all data of a person is, and how long readings lag",
		"nothing was written; -rehearse does everything once, with an invented person")

	return omitted
}

// examination is an examination that is under way.
type examination struct {
	options  Options
	report   *Report
	settings infer.Settings // as configured, with those that were found since
	readings []*reading     // that were read, to be verified in the end
	known    []infer.Request
	clients  []*client.Client

	ways     []*way
	families []*family
	use      *way    // what people are examined with; nil if no list was answered
	family   *family // whose paths are used with it
	exporter *way    // what exports are read with; nil if none was answered

	requests, logins atomic.Int64 // that were answered
}

// Examine examines a service and returns the report. If ctx ends, the report covers what
// was done until then.
func Examine(ctx context.Context, o Options) *Report {
	level := "nobody is read or written"
	if o.Rehearse {
		level = "everything is done once with one person"
	} else if o.Identity != "" {
		level = "one person is read"
	}

	r := &Report{Format: 2, Version: o.Version, Level: level, Findings: []Finding{}, NotAnswered: o.omissions()}
	x := &examination{options: o, report: r, settings: settingsOf(o.Client.Wire)}
	if o.Identity != "" {
		x.known = []infer.Request{{Person: o.Identity}}
	}

	x.examineAccess(ctx)
	x.examineExport(ctx)
	if x.use != nil {
		x.examinePending(ctx)
		x.examinePeople(ctx)
	}
	if x.use != nil && o.Rehearse {
		newRehearsal(x).run(ctx)
	}
	x.verify(context.WithoutCancel(ctx))
	if ctx.Err() != nil {
		x.report.group = "Access"
		x.report.add("interrupted", Broken, "the examination was interrupted, and covers what was done until then")
	}

	for _, c := range x.clients {
		c.Close()
	}

	r.Requests, r.LoginAttempts = int(x.requests.Load()), int(x.logins.Load())
	if wire, err := wireOf(x.settings); err == nil {
		r.Wire = wire.Minimal()
	}
	r.close()

	return r
}

// connect returns a client that authenticates in one way, sends requests by the given
// settings, and repeats each as often at most, and what records its answers.
func (x *examination) connect(w *way, wire client.Wire, retries int) (*client.Client, *recorder, error) {
	cfg := x.options.Client
	cfg.Credentials, cfg.Wire = w.credentials, wire
	cfg.MaxRetries = min(cfg.MaxRetries, retries)
	cfg.Observer = func(operation string, _ int) {
		x.requests.Add(1)
		if operation == "Log in" {
			x.logins.Add(1)
		}
	}

	r := &recorder{}
	cfg.Around = r.around
	c, err := client.New(cfg)
	if err == nil {
		x.clients = append(x.clients, c)
	}

	return c, r, err
}

// hides reports whether a text may hold a person or a credential, and is not shown: it holds a
// private value, or a word of what stands before the @ of the identity.
func (x *examination) hides(text string) bool {
	c := x.options.Client.Credentials
	private := []string{c.Email, c.Password, c.Token, c.APISecretKey, x.options.Identity}
	private = slices.AppendSeq(private, maps.Values(x.options.Client.Headers))
	for _, w := range x.ways {
		private = append(private, w.credentials.Token) // of a login
	}
	holds := func(v string) bool { return v != "" && strings.Contains(strings.ToLower(text), strings.ToLower(v)) }
	if slices.ContainsFunc(private, holds) || transport.NewRedactor(private...).Clean(text) != text {
		return true
	}

	person, _, _ := strings.Cut(x.options.Identity, "@")
	theirs := wordsOf(person)

	return slices.ContainsFunc(wordsOf(text), func(word string) bool { return slices.Contains(theirs, word) })
}

// wordsOf returns the words of a text in lower case. bobPhone has two.
func wordsOf(text string) []string {
	var spaced strings.Builder
	wasLower := false
	for _, r := range text {
		if wasLower && unicode.IsUpper(r) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(unicode.ToLower(r))
		wasLower = unicode.IsLower(r)
	}

	return strings.FieldsFunc(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) })
}

// Word is the verdict of a finding.
type Word string

// The words, the best first. OK: the provider works with this as it is configured. Unknown:
// the examination looked and could not tell. Differs: another setting is needed, or the
// provider does not understand a part of it. Broken: nothing works until this is fixed.
const (
	OK      Word = "ok"
	Unknown Word = "unknown"
	Differs Word = "differs"
	Broken  Word = "broken"
)

// asConfigured has the word for what works, with the settings as they are or with others.
var asConfigured = map[bool]Word{true: OK, false: Differs}

// Finding is one thing that was looked at.
type Finding struct {
	Group string `json:"group"`
	Check string `json:"check"`
	Word  Word   `json:"word"`
	Text  string `json:"text"`
}

// Omission is a question that was not answered, with the reason.
type Omission struct {
	Question string `json:"question"`
	Why      string `json:"why"`
}

// Setup is what a provider block for this service contains.
type Setup struct {
	// Credentials is what to authenticate with; empty if nothing was accepted.
	Credentials string `json:"credentials,omitempty"`
	// PathFamily is "project" or "account"; empty if none answered.
	PathFamily string `json:"path_family,omitempty"`
}

// Report is the result of an examination. It holds names and never a value of the service,
// a credential or a person.
type Report struct {
	Format        int       `json:"format"` // of this JSON
	Version       string    `json:"provider_version"`
	Level         string    `json:"level"`
	Result        Word      `json:"result"`
	ExitStatus    int       `json:"exit_status"`
	Requests      int       `json:"requests"`
	LoginAttempts int       `json:"login_attempts"`
	Findings      []Finding `json:"findings"`
	Setup         Setup     `json:"setup"`
	// Wire are the settings that differ from the defaults, as the variable ANALYTICS_WIRE takes
	// them, and WireBlock is the block wire of a provider block with them.
	Wire      client.Wire `json:"wire"`
	WireBlock string      `json:"wire_block"`
	// Rehearsal is what was done; nil without one.
	Rehearsal   *Rehearsal `json:"rehearsal,omitzero"`
	NotAnswered []Omission `json:"not_answered"`

	group string // of the findings that are added
}

func (r *Report) add(check string, word Word, text string) {
	r.Findings = append(r.Findings, Finding{r.group, check, word, text})
}

// close derives the result and the exit status from the worst word, and the wire block.
func (r *Report) close() {
	words := []Word{OK, Unknown, Differs, Broken}
	worst := 0
	for _, f := range r.Findings {
		worst = max(worst, slices.Index(words, f.Word))
	}

	r.Result, r.ExitStatus = words[worst], []int{0, 1, 1, 2}[worst]
	r.WireBlock = wireBlock(r.Wire)
}

// list joins words with commas.
func list(words []string) string { return strings.Join(words, ", ") }
