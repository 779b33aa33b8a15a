package doctor

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Word is the verdict of a finding.
type Word string

// The words. OK: the provider works with this as it is configured. Differs: another
// setting is needed, or the provider does not understand a part of it. Unknown: the
// examination looked and could not tell. Broken: nothing works until this is fixed.
const (
	OK      Word = "ok"
	Differs Word = "differs"
	Unknown Word = "unknown"
	Broken  Word = "broken"
)

// Words are all words, the best first.
var Words = []Word{OK, Unknown, Differs, Broken}

// Finding is one thing that was looked at.
type Finding struct {
	Group string `json:"group"`
	Check string `json:"check"`
	Word  Word   `json:"word"`
	Text  string `json:"text"`
}

// The groups of findings, in the order of the report.
const (
	GroupConnection = "Connection"
	GroupAccess     = "Access"
	GroupPending    = "Pending requests"
	GroupExport     = "Export"
	GroupConsent    = "Consent"
	GroupProfile    = "Profile"
	GroupWriting    = "Writing consent"
)

var groups = []string{
	GroupConnection, GroupAccess, GroupPending, GroupExport, GroupConsent, GroupProfile, GroupWriting,
}

// Omission is a question that was not answered, with the reason.
type Omission struct {
	Question string `json:"question"`
	Why      string `json:"why"`
}

// Stranger is a part of an answer that the provider does not recognise, by its names.
type Stranger struct {
	Where   string   `json:"where"`
	Members []string `json:"members"`
}

// Setup is what a provider block for this service contains.
type Setup struct {
	// Credentials is what to authenticate with; empty if nothing was accepted.
	Credentials string `json:"credentials,omitempty"`
	// PathFamily is "project" or "account"; empty if none answered.
	PathFamily string `json:"path_family,omitempty"`
	// Wire are the settings that differ from the defaults, by name.
	Wire map[string]string `json:"wire"`
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
	Strangers     []Stranger `json:"not_understood"`
}

func (r *Report) add(group, check string, word Word, text string) {
	r.Findings = append(r.Findings, Finding{Group: group, Check: check, Word: word, Text: text})
}

func (r *Report) omit(question, why string) {
	r.NotAnswered = append(r.NotAnswered, Omission{Question: question, Why: why})
}

// stranger notes members that are not recognised. Without members there is none.
func (r *Report) stranger(where string, members []string) {
	if len(members) > 0 {
		r.Strangers = append(r.Strangers, Stranger{Where: where, Members: members})
	}
}

// close puts the findings into the order of the groups and sets the result.
func (r *Report) close() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Compare(slices.Index(groups, a.Group), slices.Index(groups, b.Group))
	})

	r.Result = OK
	for _, f := range r.Findings {
		if slices.Index(Words, f.Word) > slices.Index(Words, r.Result) {
			r.Result = f.Word
		}
	}

	r.ExitStatus = exitStatuses[r.Result]
	r.WireBlock = wireBlock(r.Setup.Wire)
}

// exitStatuses are the exit statuses of the process: 0 if the provider works as it is
// configured, 1 if something differs or is unknown, and 2 if something is broken.
var exitStatuses = map[Word]int{OK: 0, Unknown: 1, Differs: 1, Broken: 2}

// list joins words with commas.
func list(words []string) string { return strings.Join(words, ", ") }

// counted returns a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
