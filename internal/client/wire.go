// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// Wire is the map of a service, for what the interface leaves open: where things are in its
// answers, which words stand for what, and how requests carry their fields. A zero value of a
// setting takes its default. The names in JSON are those of the block wire in a provider block.
type Wire struct {
	// Envelope is where every answer has its content.
	Envelope jsontext.Pointer `json:"envelope,omitzero"`
	// Ignored are the leaves beside the content that say nothing, each with the value expected as
	// text, or AnyValue.
	Ignored map[jsontext.Pointer]string `json:"ignored,omitzero"`
	// Lag is how long any reading may lag behind the service, a Go duration from 0s to LimitLag.
	Lag string `json:"lag,omitzero"`
	// Absent are the answers that say that there is nothing about a person: words of AbsentForms.
	Absent []string `json:"absent,omitzero"`

	Result  ResultWire  `json:"result,omitzero"`
	Login   LoginWire   `json:"login,omitzero"`
	Consent ConsentWire `json:"consent,omitzero"`
	Profile ProfileWire `json:"profile,omitzero"`
	Pending PendingWire `json:"pending,omitzero"`
	AllData AllDataWire `json:"all_data,omitzero"`
	Export  ExportWire  `json:"export,omitzero"`
}

// ResultWire is the map of what answers with a status of success say of the request.
type ResultWire struct {
	At      jsontext.Pointer `json:"at,omitzero"`      // of a word or a number
	Success []string         `json:"success,omitzero"` // words that say that all is well
	Absent  []string         `json:"absent,omitzero"`  // words that say that there is nothing about a person
}

// LoginWire is the map of the login.
type LoginWire struct {
	ParametersIn string `json:"parameters_in,omitzero"` // one of Placements
}

// ConsentWire is the map of consent records.
type ConsentWire struct {
	ParametersIn string           `json:"parameters_in,omitzero"` // one of Placements
	At           jsontext.Pointer `json:"at,omitzero"`            // of the record
	TimeFormat   string           `json:"time_format,omitzero"`   // one of TimeFormats
	TimeAnswered string           `json:"time_answered,omitzero"` // one of TimeFormats; empty is TimeFormat
	TimeKept     string           `json:"time_kept,omitzero"`     // one of TimesKept
	Altered      []string         `json:"altered,omitzero"`       // of Alterable
}

// ProfileWire is the map of profiles.
type ProfileWire struct {
	// At is where the profile is. Nil takes the answer for it, unless it looks like an envelope;
	// an empty pointer always does.
	At *jsontext.Pointer `json:"at,omitzero"`
}

// PendingWire is the map of the list of pending requests. The pointers Identity to Created lead
// from a record.
type PendingWire struct {
	At    jsontext.Pointer `json:"at,omitzero"`    // of the list
	Next  jsontext.Pointer `json:"next,omitzero"`  // of the address of the next page
	Total jsontext.Pointer `json:"total,omitzero"` // of the number of all records
	Use   string           `json:"use,omitzero"`   // one of ListUses
	Empty bool             `json:"empty,omitzero"` // an answer with nothing in it is an empty list

	Identity jsontext.Pointer `json:"identity,omitzero"`
	ID       jsontext.Pointer `json:"id,omitzero"`
	Type     jsontext.Pointer `json:"type,omitzero"`
	Status   jsontext.Pointer `json:"status,omitzero"`
	Created  jsontext.Pointer `json:"created,omitzero"`

	Types    map[string][]string `json:"types,omitzero"`    // words, by request type
	Statuses map[string][]string `json:"statuses,omitzero"` // words, by one of StatusMeanings
}

// AllDataWire is the map of the answer with all data of a person.
type AllDataWire struct {
	At        *jsontext.Pointer `json:"at,omitzero"`         // of the data; nil recognises it
	MediaType string            `json:"media_type,omitzero"` // of data that is not JSON
}

// ExportWire is the map of an export. Its maps have the keys of ExportKinds.
type ExportWire struct {
	KindParameter string            `json:"kind_parameter,omitzero"` // of a request
	KindValues    map[string]string `json:"kind_values,omitzero"`

	At     map[string]jsontext.Pointer `json:"at,omitzero"`     // of the records
	Kind   jsontext.Pointer            `json:"kind,omitzero"`   // of a record
	Kinds  map[string][]string         `json:"kinds,omitzero"`  // the words that Kind leads to
	Record map[string]jsontext.Pointer `json:"record,omitzero"` // of what every record has

	Next  jsontext.Pointer `json:"next,omitzero"`
	Total jsontext.Pointer `json:"total,omitzero"`

	Lines       bool   `json:"lines,omitzero"` // an answer of one object is one record
	Empty       bool   `json:"empty,omitzero"` // an answer without content is an empty day
	InvalidUTF8 string `json:"invalid_utf8,omitzero"`
}

// Words of the settings (section 4, gaps; section 5, rule 4; section 2).
const (
	// AnyValue stands in Wire.Ignored for any value.
	AnyValue = answer.AnyValue

	// What says that there is nothing about a person.
	AbsentJSON404 = "json_404" // a 404 with a JSON object
	AbsentAny404  = "any_404"  // a 404 without a page for people
	Absent204     = "204"
	AbsentEmpty   = "empty" // a 200 without content

	// How a time is written.
	TimeRFC3339 = answer.TimeRFC3339
	TimeUnixMS  = answer.TimeUnixMS
	TimeUnixS   = answer.TimeUnixS
	TimeUTC     = answer.TimeUTC
	TimeDate    = answer.TimeDate

	// How exactly a time is kept.
	KeptExactly   = "exact"
	KeptMS        = "ms"
	KeptS         = "s"
	KeptMinute    = "minute"
	KeptDay       = "day"
	KeptByService = "service" // the service sets the time itself

	// How the pending list is used before a request is sent: it has to be understood as a
	// whole, the part that is understood counts as the whole, or it is not read.
	ListWhole   = "whole"
	ListPartial = "partial"
	ListIgnored = "ignored"

	// What a status of a request means. One that has ended is no longer waiting, whatever came of it.
	StatusWaiting = "waiting"
	StatusDone    = "done"
	StatusFailed  = "failed"
	StatusEnded   = "ended"

	// What happens to invalid UTF-8 in an export.
	InvalidError   = "error"
	InvalidReplace = "replace"
)

// Accepted words of the settings, the default first.
var (
	AbsentForms    = []string{AbsentJSON404, AbsentAny404, Absent204, AbsentEmpty}
	Placements     = []string{transport.InJSON, transport.InForm, transport.InQuery}
	TimeFormats    = []string{TimeRFC3339, TimeUnixMS, TimeUnixS, TimeUTC, TimeDate}
	TimesKept      = []string{KeptExactly, KeptMS, KeptS, KeptMinute, KeptDay, KeptByService}
	Alterable      = []string{"user_ipv6", "manual"}
	ListUses       = []string{ListWhole, ListPartial, ListIgnored}
	StatusMeanings = []string{StatusWaiting, StatusDone, StatusFailed, StatusEnded}
	InvalidUses    = []string{InvalidError, InvalidReplace}
)

// ExportKinds are the kinds of records in the settings, in the order of records.Kinds.
var ExportKinds = []string{"persons", "sessions", "events"}

// KindKey returns the key of a kind of records in the settings; empty for Unknown.
func KindKey(k records.Kind) string {
	if i := slices.Index(records.Kinds, k); i >= 0 {
		return ExportKinds[i]
	}
	return ""
}

// defaultKindValues are what the interface calls the kinds (section 4, Export), in lower case. An
// assumption, like the parameter itself.
var defaultKindValues = map[string]string{"persons": "person", "sessions": "session", "events": "event"}

// Bounds of Wire.Lag. The interface does not say how soon a reading shows what was just accepted
// (section 8): the default is an assumption.
const (
	DefaultLag = "10s"
	LimitLag   = 10 * time.Minute
)

// ParseWire returns the Wire that a JSON object holds, as Wire is encoded. null is a Wire without
// settings. The error completes a sentence about the text, and shows no value.
func ParseWire(text []byte) (Wire, error) {
	var w Wire
	err := json.Unmarshal(text, &w, json.RejectUnknownMembers(true))
	if err == nil {
		return w, nil
	}

	at, isPlaced := errors.AsType[*json.SemanticError](err)
	if !isPlaced {
		return Wire{}, errors.New("is not valid JSON: " + jsonvalue.DescribeSyntax(err))
	}

	place := shownPointer(at.JSONPointer)
	if !errors.Is(err, json.ErrUnknownName) {
		return Wire{}, errors.New("has a value of another type than the setting at " + place)
	}
	if successor := SuccessorOf(at.JSONPointer.LastToken()); successor != "" {
		return Wire{}, errors.New("has the setting " + at.JSONPointer.LastToken() + " of before; it is " + successor + " now")
	}

	return Wire{}, errors.New("has no setting at " + place)
}

// shownPointer returns a pointer with an ellipsis for each name that has not the form of a field's.
func shownPointer(p jsontext.Pointer) string {
	var names []string
	for name := range p.Tokens() {
		if !jsonvalue.IsFieldName(name) {
			name = "…"
		}
		names = append(names, name)
	}
	if names == nil {
		return "the top"
	}

	return "/" + strings.Join(names, "/")
}

// WireError is a setting with a value that is not accepted.
type WireError struct {
	Setting string // such as pending.use
	Key     string // of a map; empty for the setting as a whole
	Text    string // completes a sentence about the setting, and shows no value
}

// Error returns the problem as a sentence without a full stop.
func (p WireError) Error() string {
	if p.Key == "" {
		return "wire." + p.Setting + " " + p.Text
	}
	return fmt.Sprintf("wire.%s[%q] %s", p.Setting, p.Key, p.Text)
}

// Problems returns the settings with values that are not accepted.
func (w Wire) Problems() []WireError {
	w = w.withDefaults()
	c := &wireCheck{}

	c.pointer("envelope", w.Envelope)
	c.ignored(w.Ignored)
	c.lag(w.Lag)
	c.words("absent", w.Absent, AbsentForms)

	c.result(w.Result)

	c.word("login.parameters_in", w.Login.ParametersIn, Placements)

	c.word("consent.parameters_in", w.Consent.ParametersIn, Placements)
	c.pointer("consent.at", w.Consent.At)
	c.word("consent.time_format", w.Consent.TimeFormat, TimeFormats)
	c.word("consent.time_answered", cmp.Or(w.Consent.TimeAnswered, w.Consent.TimeFormat), TimeFormats)
	c.word("consent.time_kept", w.Consent.TimeKept, TimesKept)
	c.words("consent.altered", w.Consent.Altered, Alterable)

	if w.Profile.At != nil {
		c.pointer("profile.at", *w.Profile.At)
	}

	p := w.Pending
	c.pointer("pending.at", p.At)
	c.pointer("pending.next", p.Next)
	c.pointer("pending.total", p.Total)
	c.word("pending.use", p.Use, ListUses)
	c.pointer("pending.identity", p.Identity)
	c.pointer("pending.id", p.ID)
	c.pointer("pending.type", p.Type)
	c.pointer("pending.status", p.Status)
	c.pointer("pending.created", p.Created)
	c.vocabulary("pending.types", p.Types, answer.RequestTypes)
	c.vocabulary("pending.statuses", p.Statuses, StatusMeanings)

	if w.AllData.At != nil {
		c.pointer("all_data.at", *w.AllData.At)
	}
	c.mediaType("all_data.media_type", w.AllData.MediaType)

	c.kindParameter(w.Export.KindParameter)
	c.kindValues(w.Export.KindValues)
	c.pointers("export.at", w.Export.At)
	c.pointer("export.kind", w.Export.Kind)
	c.vocabulary("export.kinds", w.Export.Kinds, ExportKinds)
	c.pointers("export.record", w.Export.Record)
	c.pointer("export.next", w.Export.Next)
	c.pointer("export.total", w.Export.Total)
	c.word("export.invalid_utf8", w.Export.InvalidUTF8, InvalidUses)

	return c.problems
}

// Validate returns the first of the problems.
func (w Wire) Validate() error {
	for _, p := range w.Problems() {
		return p
	}
	return nil
}

func (w Wire) withDefaults() Wire {
	w.Lag = cmp.Or(w.Lag, DefaultLag)
	if w.Absent == nil {
		w.Absent = []string{AbsentJSON404}
	}

	w.Login.ParametersIn = cmp.Or(w.Login.ParametersIn, Placements[0])
	w.Consent.ParametersIn = cmp.Or(w.Consent.ParametersIn, Placements[0])
	w.Consent.TimeFormat = cmp.Or(w.Consent.TimeFormat, TimeFormats[0])
	w.Consent.TimeKept = cmp.Or(w.Consent.TimeKept, TimesKept[0])
	w.Pending.Use = cmp.Or(w.Pending.Use, ListUses[0])
	w.Export.InvalidUTF8 = cmp.Or(w.Export.InvalidUTF8, InvalidUses[0])

	values := maps.Clone(defaultKindValues)
	maps.Copy(values, w.Export.KindValues)
	w.Export.KindValues = values

	return w
}

// Minimal returns the settings that differ from the defaults.
func (w Wire) Minimal() Wire {
	preset := Wire{}.withDefaults()
	if slices.Equal(w.Absent, preset.Absent) {
		w.Absent = nil
	}
	if maps.Equal(w.Export.KindValues, preset.Export.KindValues) {
		w.Export.KindValues = nil
	}

	for _, s := range []struct {
		value  *string
		preset string
	}{
		{&w.Lag, preset.Lag},
		{&w.Login.ParametersIn, preset.Login.ParametersIn},
		{&w.Consent.ParametersIn, preset.Consent.ParametersIn},
		{&w.Consent.TimeFormat, preset.Consent.TimeFormat},
		{&w.Consent.TimeKept, preset.Consent.TimeKept},
		{&w.Pending.Use, preset.Pending.Use},
		{&w.Export.InvalidUTF8, preset.Export.InvalidUTF8},
	} {
		if *s.value == s.preset {
			*s.value = ""
		}
	}

	return w
}

// envelope returns where answers have their content.
func (w Wire) envelope() answer.Envelope {
	return answer.Envelope{At: w.Envelope, Ignored: w.Ignored, Result: answer.Result(w.Result)}
}

// sorted yields a map in the order of its keys.
func sorted[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// wireCheck collects the problems of a Wire.
type wireCheck struct{ problems []WireError }

func (c *wireCheck) add(setting, key, text string) {
	c.problems = append(c.problems, WireError{setting, key, text})
}

const wantPointer = `must be a JSON Pointer (RFC 6901), such as "/data" or "/data/0/id"`

func (c *wireCheck) pointer(setting string, p jsontext.Pointer) {
	if !p.IsValid() {
		c.add(setting, "", wantPointer)
	}
}

func (c *wireCheck) pointers(setting string, byKind map[string]jsontext.Pointer) {
	for kind, p := range sorted(byKind) {
		c.key(setting, kind, ExportKinds)
		if !p.IsValid() {
			c.add(setting, kind, wantPointer)
		}
	}
}

// ignored checks the leaves that are ignored: a pointer to the whole answer is not one.
func (c *wireCheck) ignored(leaves map[jsontext.Pointer]string) {
	for p := range sorted(leaves) {
		if p == "" || !p.IsValid() {
			c.add("ignored", string(p), "is not a JSON Pointer (RFC 6901) to a member, such as \"/meta/request_id\"")
		}
	}
}

// result checks the words of a result: without one of success, every answer would be refused.
func (c *wireCheck) result(r ResultWire) {
	c.pointer("result.at", r.At)
	hasWords := len(r.Success)+len(r.Absent) > 0
	if r.At == "" && hasWords {
		c.add("result.at", "", "is missing: it is where the words of success and absent stand")
	}
	if r.At != "" && len(r.Success) == 0 {
		c.add("result.success", "", "is missing: it is the words at result.at that say that all is well")
	}
	if slices.ContainsFunc(r.Absent, func(word string) bool { return slices.Contains(r.Success, word) }) {
		c.add("result.absent", "", "holds a word of result.success")
	}
}

func (c *wireCheck) lag(text string) {
	lag, err := time.ParseDuration(text)
	if err != nil || lag < 0 || lag > LimitLag {
		c.add("lag", "", fmt.Sprintf("must be a duration from 0s to %s, such as %s", LimitLag, DefaultLag))
	}
}

func (c *wireCheck) word(setting, word string, accepted []string) {
	if !slices.Contains(accepted, word) {
		c.add(setting, "", "must be one of "+strings.Join(accepted, ", "))
	}
}

func (c *wireCheck) words(setting string, words, accepted []string) {
	for _, word := range words {
		if !slices.Contains(accepted, word) {
			c.add(setting, "", "must hold no other words than "+strings.Join(accepted, ", "))
			return
		}
	}
}

func (c *wireCheck) key(setting, key string, accepted []string) {
	if !slices.Contains(accepted, key) {
		c.add(setting, key, "is not a key of this map; the keys are "+strings.Join(accepted, ", "))
	}
}

// vocabulary checks a map of words: its keys, and that no word has two meanings.
func (c *wireCheck) vocabulary(setting string, words map[string][]string, accepted []string) {
	seen := map[string]bool{}
	for key, list := range sorted(words) {
		c.key(setting, key, accepted)
		for _, word := range slices.Compact(slices.Sorted(slices.Values(list))) {
			switch {
			case strings.TrimSpace(word) == "":
				c.add(setting, key, "holds an empty word")
			case seen[word]:
				c.add(setting, key, "holds a word that stands for something else too")
			}
			seen[word] = true
		}
	}
}

func (c *wireCheck) mediaType(setting, mediaType string) {
	kind, subtype, hasSlash := strings.Cut(mediaType, "/")
	isOne := hasSlash && kind != "" && subtype != "" && !strings.ContainsAny(mediaType, "; ,*")
	if mediaType != "" && !isOne {
		c.add(setting, "", "must be a media type without parameters, such as application/zip")
	}
}

func (c *wireCheck) kindParameter(name string) {
	if containsFold([]string{"utcDate", transport.KeyParameter}, name) {
		c.add("export.kind_parameter", "", "must not be utcDate or apiSecretToken: the interface has another meaning for them")
	}
}

// kindValues checks the values by kind, with their defaults.
func (c *wireCheck) kindValues(values map[string]string) {
	seen := map[string]bool{}
	for kind, value := range sorted(values) {
		c.key("export.kind_values", kind, ExportKinds)

		switch {
		case strings.TrimSpace(value) == "":
			c.add("export.kind_values", kind, "must not be empty")
		case seen[value]:
			c.add("export.kind_values", kind, "is the value of another kind too")
		}
		seen[value] = true
	}
}

// formerSettings are the settings of before, and what they are now.
var formerSettings = map[string]string{
	"login_parameters_in":     "login.parameters_in",
	"consent_parameters_in":   "consent.parameters_in",
	"agreement_time_format":   "consent.time_format",
	"export_kind_parameter":   "export.kind_parameter",
	"export_kind_values":      "export.kind_values",
	"export_invalid_utf8":     "export.invalid_utf8",
	"export_record_member":    "export.record",
	"export_ignored_members":  "ignored",
	"pending_identity_field":  "pending.identity",
	"pending_ignored_members": "ignored",
	"pending_list":            "pending.use",
	"pending_list_lag":        "lag",
	"ended_statuses":          "pending.statuses",
	"profile_member":          "profile.at",
	"all_data_member":         "all_data.at",
}

// FormerSettings returns the names of the settings of before, in alphabetical order.
func FormerSettings() []string { return slices.Sorted(maps.Keys(formerSettings)) }

// SuccessorOf returns what a setting of before is now, such as wire.lag; empty if there was no such
// setting.
func SuccessorOf(former string) string {
	if now, ok := formerSettings[former]; ok {
		return "wire." + now
	}
	return ""
}
