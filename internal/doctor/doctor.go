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
	// Day is the UTC day whose export is read.
	Day time.Time
	// Settle is how long a read may lag behind a write.
	Settle time.Duration
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
	omit(o.Identity == "", "what consent and profile look like", "no person was read; -identity reads one")
	omit(!o.Write, "where a consent update carries its fields, and how it writes a time", "nothing was written; -write -identity tries it with a test person and restores the consent")
	omit((o.Scope.OrgID == "") != (o.Scope.AccountID == ""), "whether the other path family answers",
		"its variables (ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID) are not set")
	omit(true, "what a deletion, a data access request and a profile update answer", "requests that the service queues are never sent")
	omit(true, "all_data.at: where all data of a person is", "only a request that is queued would show it")
	omit(true, "lag: how long a reading lags behind", "only a request that is queued would show it")

	return omitted
}

// examination is an examination that is under way.
type examination struct {
	options Options
	report  *Report
	wire    client.Wire // as configured, with the settings that were found since
	clients []*client.Client

	ways     []*way
	families []*family
	use      *way    // what people are examined with; nil if no list was answered
	family   *family // whose paths are used with it
	day      *sample // of an export; nil if none was answered

	requests, logins atomic.Int64 // that were answered
}

// Examine examines a service and returns the report. If ctx ends, the report covers what
// was done until then, and a consent that was written is restored first.
func Examine(ctx context.Context, o Options) *Report {
	level := "nobody is read or written"
	if o.Write {
		level = "one person is read and written"
	} else if o.Identity != "" {
		level = "one person is read"
	}

	r := &Report{Format: 1, Version: o.Version, Level: level, Findings: []Finding{}, NotAnswered: o.omissions()}
	x := &examination{options: o, wire: o.Client.Wire, report: r}
	x.examineAccess(ctx)
	x.examineExport(ctx)
	if x.use != nil {
		x.examinePending()
	}
	if x.use != nil && o.Identity != "" {
		x.examineConsent(ctx)
		x.examineProfile(ctx)
	}
	if x.use != nil && o.Write && ctx.Err() == nil {
		(&trial{examination: x, get: x.getConsent, patch: x.updateOnce}).run(ctx)
	}

	for _, c := range x.clients {
		c.Close()
	}

	r.Requests, r.LoginAttempts = int(x.requests.Load()), int(x.logins.Load())
	r.Setup.Wire = x.wire.Minimal()
	r.close()

	return r
}

// connect returns a client that authenticates in one way, sends requests by the given
// settings, and repeats each as often at most.
func (x *examination) connect(w *way, wire client.Wire, retries int) (*client.Client, error) {
	cfg := x.options.Client
	cfg.Credentials, cfg.Wire = w.credentials, wire
	cfg.MaxRetries = min(cfg.MaxRetries, retries)
	cfg.Observer = func(operation string, _ int) {
		x.requests.Add(1)
		if operation == "Log in" {
			x.logins.Add(1)
		}
	}

	c, err := client.New(cfg)
	if err == nil {
		x.clients = append(x.clients, c)
	}

	return c, err
}

// shown returns names of members as the report has them: sorted, each once, and {} for those that
// are not shown.
func (x *examination) shown(names []string) string {
	shown := map[string]bool{}
	for _, name := range names {
		if x.hides(name) {
			name = jsonvalue.AnyName
		}
		shown[name] = true
	}

	return list(slices.Sorted(maps.Keys(shown)))
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
	private = append(private, strings.FieldsFunc(person, func(r rune) bool { return !unicode.IsLetter(r) })...)

	holds := func(v string) bool { return v != "" && strings.Contains(strings.ToLower(name), strings.ToLower(v)) }

	return !jsonvalue.IsFieldName(name) || slices.ContainsFunc(private, holds) || transport.NewRedactor(private...).Clean(name) != name
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
	// Wire are the settings that differ from the defaults, as the variable ANALYTICS_WIRE takes them.
	Wire client.Wire `json:"wire"`
}

// Report is the result of an examination. It holds names and never a value of the service,
// a credential or a person.
type Report struct {
	Format        int        `json:"format"` // of this JSON
	Version       string     `json:"provider_version"`
	Level         string     `json:"level"`
	Result        Word       `json:"result"`
	ExitStatus    int        `json:"exit_status"`
	Requests      int        `json:"requests"`
	LoginAttempts int        `json:"login_attempts"`
	Findings      []Finding  `json:"findings"`
	Setup         Setup      `json:"setup"`
	WireBlock     string     `json:"wire_block"`
	NotAnswered   []Omission `json:"not_answered"`

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
	r.WireBlock = wireBlock(r.Setup.Wire)
}

// list joins words with commas.
func list(words []string) string { return strings.Join(words, ", ") }
