// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// Wire is the map of a service, for what the interface leaves open: where things are in its
// answers, which words stand for what, and how requests carry their fields. A zero value of a
// setting takes its default. The names in JSON are those of the block wire in a provider block.
type Wire struct {
	answer.Envelope

	// Lag is how long any reading may lag behind the service, a Go duration from 0s to LimitLag.
	Lag string `json:"lag,omitzero"`
	// Absent are the answers that say that there is nothing about a person: words of AbsentForms.
	Absent []string `json:"absent,omitzero"`

	Login   LoginWire   `json:"login,omitzero"`
	Consent ConsentWire `json:"consent,omitzero"`
	Profile ProfileWire `json:"profile,omitzero"`
	Pending PendingWire `json:"pending,omitzero"`
	AllData AllDataWire `json:"all_data,omitzero"`
	Export  ExportWire  `json:"export,omitzero"`
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

// PendingWire is the map of the list of pending requests.
type PendingWire struct {
	Use string `json:"use,omitzero"` // one of ListUses

	answer.ListMap
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

	records.Map
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
)

// Accepted words of the settings, the default first.
var (
	AbsentForms = []string{AbsentJSON404, AbsentAny404, Absent204, AbsentEmpty}
	Placements  = []string{transport.InJSON, transport.InForm, transport.InQuery}
	TimeFormats = []string{answer.TimeRFC3339, answer.TimeUnixMS, answer.TimeUnixS, answer.TimeUTC, answer.TimeDate}
	TimesKept   = []string{KeptExactly, KeptMS, KeptS, KeptMinute, KeptDay, KeptByService}
	Alterable   = []string{"user_ipv6", "manual"}
	ListUses    = []string{ListWhole, ListPartial, ListIgnored}
	InvalidUses = []string{records.InvalidError, records.InvalidReplace}
)

// ExportKinds are the kinds of records in the settings.
var ExportKinds = []string{records.Person.Plural(), records.Session.Plural(), records.Event.Plural()}

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

	var names []string
	for name := range at.JSONPointer.Tokens() {
		if !jsonvalue.IsFieldName(name) {
			name = "…"
		}
		names = append(names, "/"+name)
	}
	place := strings.Join(names, "")
	if errors.Is(err, json.ErrUnknownName) {
		return Wire{}, errors.New("has no setting at " + place)
	}

	return Wire{}, errors.New("has a value of another type than the setting at " + cmp.Or(place, "the top"))
}

// What a setting is.
const (
	aPointer    = iota // a JSON Pointer
	pointers           // a map of JSON Pointers
	aWord              // an accepted word, or a list of them
	aVocabulary        // a map of words, none of which has two meanings
	ofItsOwn           // checked by itself
)

// wireRules say what the settings are, by their names in the block wire. Others are JSON Pointers. The
// first accepted word of a text is its default.
var wireRules = map[string]struct {
	is       int
	accepted []string // words, or keys of a map
}{
	"absent":                {aWord, AbsentForms},
	"login.parameters_in":   {aWord, Placements},
	"consent.parameters_in": {aWord, Placements},
	"consent.time_format":   {aWord, TimeFormats},
	"consent.time_answered": {aWord, TimeFormats},
	"consent.time_kept":     {aWord, TimesKept},
	"consent.altered":       {aWord, Alterable},
	"pending.use":           {aWord, ListUses},
	"export.invalid_utf8":   {aWord, InvalidUses},

	"pending.types":      {aVocabulary, answer.RequestTypes},
	"pending.statuses":   {aVocabulary, answer.StatusMeanings},
	"export.kinds":       {aVocabulary, ExportKinds},
	"export.kind_values": {aVocabulary, ExportKinds},
	"export.at":          {pointers, ExportKinds},
	"export.record":      {pointers, ExportKinds},

	"ignored":               {is: ofItsOwn},
	"lag":                   {is: ofItsOwn},
	"result.success":        {is: ofItsOwn},
	"result.absent":         {is: ofItsOwn},
	"pending.empty":         {is: ofItsOwn},
	"all_data.media_type":   {is: ofItsOwn},
	"export.kind_parameter": {is: ofItsOwn},
	"export.lines":          {is: ofItsOwn},
	"export.empty":          {is: ofItsOwn},
}

// choices returns the settings that have an accepted word as their default.
func (w *Wire) choices() map[string]*string {
	return map[string]*string{
		"login.parameters_in":   &w.Login.ParametersIn,
		"consent.parameters_in": &w.Consent.ParametersIn,
		"consent.time_format":   &w.Consent.TimeFormat,
		"consent.time_kept":     &w.Consent.TimeKept,
		"pending.use":           &w.Pending.Use,
		"export.invalid_utf8":   &w.Export.InvalidUTF8,
	}
}

func (w Wire) withDefaults() Wire {
	for setting, value := range w.choices() {
		*value = cmp.Or(*value, wireRules[setting].accepted[0])
	}
	w.Lag = cmp.Or(w.Lag, DefaultLag)
	if w.Absent == nil {
		w.Absent = []string{AbsentJSON404}
	}

	values := maps.Clone(defaultKindValues)
	maps.Copy(values, w.Export.KindValues)
	w.Export.KindValues = values

	return w
}

// Minimal returns the settings that differ from the defaults.
func (w Wire) Minimal() Wire {
	preset := Wire{}.withDefaults()
	for setting, value := range w.choices() {
		if *value == wireRules[setting].accepted[0] {
			*value = ""
		}
	}

	if w.Lag == preset.Lag {
		w.Lag = ""
	}
	if slices.Equal(w.Absent, preset.Absent) {
		w.Absent = nil
	}
	if maps.Equal(w.Export.KindValues, preset.Export.KindValues) {
		w.Export.KindValues = nil
	}

	return w
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

// Validate returns the first of the problems.
func (w Wire) Validate() error {
	for _, p := range w.Problems() {
		return p
	}
	return nil
}

// Problems returns the settings with values that are not accepted.
func (w Wire) Problems() []WireError {
	w = w.withDefaults()
	text, _ := json.Marshal(w) // texts, truth values, and lists and maps of texts
	settings := infer.ParseSettings(text)

	c := &wireCheck{meanings: map[string]jsontext.Pointer{}}
	for _, at := range slices.Sorted(maps.Keys(settings)) {
		setting, key := settingAt(at)
		rule := wireRules[setting]
		hasKeys := rule.is == pointers || rule.is == aVocabulary
		if hasKeys && !slices.Contains(rule.accepted, key) {
			c.add(setting, key, "is not a key of this map; the keys are "+strings.Join(rule.accepted, ", "))
		}

		words, isList := settings[at].([]any)
		if !isList {
			words = []any{settings[at]}
		}
		for _, value := range words {
			word, _ := value.(string)
			switch rule.is {
			case aPointer, pointers:
				c.pointer(setting, key, word)
			case aWord:
				c.word(setting, word, rule.accepted)
			case aVocabulary:
				c.meaning(setting, key, word, at)
			}
		}
	}
	c.result(w.Result)
	c.others(w)

	return c.problems
}

// settingAt returns the name of a setting, and the key where it is a map, by where JSON has it.
func settingAt(at jsontext.Pointer) (setting, key string) {
	names := append(slices.Collect(at.Tokens()), "", "")
	if len(names) == 3 || names[0] == "ignored" {
		return names[0], names[1]
	}
	return names[0] + "." + names[1], names[2]
}

// wireCheck collects the problems of a Wire.
type wireCheck struct {
	meanings map[string]jsontext.Pointer // where a word of a setting was
	problems []WireError
}

func (c *wireCheck) add(setting, key, text string) {
	c.problems = append(c.problems, WireError{setting, key, text})
}

func (c *wireCheck) pointer(setting, key, text string) {
	if !jsontext.Pointer(text).IsValid() {
		c.add(setting, key, `must be a JSON Pointer (RFC 6901), such as "/data" or "/data/0/id"`)
	}
}

func (c *wireCheck) word(setting, word string, accepted []string) {
	if !slices.Contains(accepted, word) {
		c.add(setting, "", "must be one of "+strings.Join(accepted, ", "))
	}
}

// meaning checks a word of a vocabulary, which stands at a place.
func (c *wireCheck) meaning(setting, key, word string, at jsontext.Pointer) {
	before, isKnown := c.meanings[setting+" "+word]
	switch {
	case strings.TrimSpace(word) == "":
		c.add(setting, key, "holds an empty word")
	case isKnown && before != at:
		c.add(setting, key, "holds a word that stands for something else too")
	}
	c.meanings[setting+" "+word] = at
}

// result checks the words of a result: without one of success, every answer would be refused.
func (c *wireCheck) result(r answer.Result) {
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

// others checks the settings that have rules of their own.
func (c *wireCheck) others(w Wire) {
	for _, p := range slices.Sorted(maps.Keys(w.Ignored)) { // a pointer to the whole answer is not one to a leaf
		if p == "" || !p.IsValid() {
			c.add("ignored", string(p), "is not a JSON Pointer (RFC 6901) to a member, such as \"/meta/request_id\"")
		}
	}
	if lag, err := time.ParseDuration(w.Lag); err != nil || lag < 0 || lag > LimitLag {
		c.add("lag", "", fmt.Sprintf("must be a duration from 0s to %s, such as %s", LimitLag, DefaultLag))
	}

	if form := w.AllData.MediaType; form != "" && !isMediaType(form) {
		c.add("all_data.media_type", "", "must be a media type in lower case without parameters, such as application/zip")
	}
	if name := w.Export.KindParameter; strings.EqualFold(name, "utcDate") || strings.EqualFold(name, transport.KeyParameter) {
		c.add("export.kind_parameter", "", "must not be utcDate or apiSecretToken: the interface has another meaning for them")
	}
}

// isMediaType reports whether a text is a media type as answers are compared with it.
func isMediaType(text string) bool {
	form, parameters, err := mime.ParseMediaType(text)
	return err == nil && form == text && len(parameters) == 0 && strings.Contains(form, "/")
}
