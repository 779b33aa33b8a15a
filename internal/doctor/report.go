// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

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

// Setup is what a provider block for this service contains.
type Setup struct {
	Credentials string `json:"credentials,omitempty"` // what to authenticate with; empty if nothing was accepted
	PathFamily  string `json:"path_family,omitempty"` // project or account; empty if none answered
}

// Rehearsal is what a rehearsal has done.
type Rehearsal struct {
	Person    string   `json:"person,omitzero"` // who was invented; empty for the person who was given
	Remaining []string `json:"left"`            // of the person, at the service
	Lag       string   `json:"lag"`             // the longest time after which a reading showed what had been accepted
}

// Report is the result of an examination. It holds names, and never a value of the service, a credential or a person.
type Report struct {
	Format      int         `json:"format"` // of this JSON
	Version     string      `json:"provider_version"`
	Level       string      `json:"level"`
	Result      Word        `json:"result"`
	ExitStatus  int         `json:"exit_status"`
	Requests    int         `json:"requests"`
	Findings    []Finding   `json:"findings"`
	Setup       Setup       `json:"setup"`
	Wire        client.Wire `json:"wire"`               // the settings that differ from the defaults, as ANALYTICS_WIRE takes them
	WireBlock   string      `json:"wire_block"`         // of a provider block with these settings
	Rehearsal   *Rehearsal  `json:"rehearsal,omitzero"` // nil without one
	NotAnswered []string    `json:"not_answered"`       // each question with the reason
}

func (r *Report) add(group, check string, word Word, text string) {
	r.Findings = append(r.Findings, Finding{group, check, word, text})
}

// judge derives the result and the exit status from the worst word.
func (r *Report) judge() {
	words, worst := []Word{OK, Unknown, Differs, Broken}, 0
	for _, f := range r.Findings {
		worst = max(worst, slices.Index(words, f.Word))
	}
	r.Result, r.ExitStatus = words[worst], []int{0, 1, 1, 2}[worst]
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
		if slices.ContainsFunc(theirs, func(their string) bool { return strings.EqualFold(their, word) }) {
			return true
		}
	}

	return false
}

// words matches the words of a text. bobPhone has two.
var words = regexp.MustCompile(`\p{Lu}*[\p{Ll}\p{Lt}\p{Lm}\p{Lo}]+|\p{Lu}+`)
