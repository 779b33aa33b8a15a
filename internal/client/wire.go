// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
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
	OmitsFalse   bool             `json:"omits_false,omitzero"`   // a missing clause is false
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

	place := string(at.JSONPointer)
	if !jsonvalue.IsFieldPointer(at.JSONPointer) {
		place = "/…"
	}
	if errors.Is(err, json.ErrUnknownName) {
		return Wire{}, errors.New("has no setting at " + place)
	}

	return Wire{}, errors.New("has a value of another type than the setting at " + cmp.Or(place, "the top"))
}

// settings returns the settings that are set, by where JSON has them.
func (w Wire) settings() infer.Settings {
	text, _ := json.Marshal(w) // texts, truth values, and lists and maps of texts
	return infer.ParseSettings(text)
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
	own, preset := w.settings(), Wire{}.withDefaults().settings()
	for at, value := range own {
		if reflect.DeepEqual(value, preset[at]) {
			delete(own, at)
		}
	}
	minimal, _ := ParseWire(own.JSON()) // it was one

	return minimal
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

// What a setting is.
type wireForm int

const (
	aPointer    wireForm = iota // a JSON Pointer
	aWord                       // an accepted word
	aVocabulary                 // words that stand for their key, none of them for two
	aLeaf                       // its key is a JSON Pointer
	aLag                        // a duration within the bounds
	anything
)

// wireRules say what the settings are, by their names in the block wire. Others are JSON Pointers.
var wireRules = map[string]struct {
	form  wireForm
	words []string // that are accepted
	keys  []string // of a map
}{
	"absent":                {aWord, AbsentForms, nil},
	"login.parameters_in":   {aWord, Placements, nil},
	"consent.parameters_in": {aWord, Placements, nil},
	"consent.time_format":   {aWord, TimeFormats, nil},
	"consent.time_answered": {aWord, TimeFormats, nil},
	"consent.time_kept":     {aWord, TimesKept, nil},
	"consent.altered":       {aWord, Alterable, nil},
	"pending.use":           {aWord, ListUses, nil},
	"export.invalid_utf8":   {aWord, InvalidUses, nil},

	"pending.types":      {aVocabulary, nil, answer.RequestTypes},
	"pending.statuses":   {aVocabulary, nil, answer.StatusMeanings},
	"export.kinds":       {aVocabulary, nil, ExportKinds},
	"export.kind_values": {aVocabulary, nil, ExportKinds},
	"export.at":          {aPointer, nil, ExportKinds},
	"export.record":      {aPointer, nil, ExportKinds},

	"ignored":               {form: aLeaf},
	"lag":                   {form: aLag},
	"result.success":        {form: anything},
	"result.absent":         {form: anything},
	"pending.empty":         {form: anything},
	"consent.omits_false":   {form: anything},
	"all_data.media_type":   {form: anything},
	"export.kind_parameter": {form: anything},
	"export.lines":          {form: anything},
	"export.empty":          {form: anything},
}

// Problems returns the settings with values that are not accepted.
func (w Wire) Problems() (problems []WireError) {
	settings, meanings := w.withDefaults().settings(), map[string]jsontext.Pointer{}
	for _, at := range slices.Sorted(maps.Keys(settings)) {
		setting, key := settingAt(at)
		rule := wireRules[setting]
		if rule.keys != nil && !slices.Contains(rule.keys, key) {
			problems = append(problems, WireError{setting, key, "is not a key of this map; the keys are " + strings.Join(rule.keys, ", ")})
		}

		words, isList := settings[at].([]any)
		if !isList {
			words = []any{settings[at]}
		}
		for _, value := range words {
			word, _ := value.(string)
			text := objection(rule.form, key, word, rule.words)
			if rule.form == aVocabulary && cmp.Or(meanings[setting+" "+word], at) != at {
				text = "holds a word that stands for something else too"
			}
			meanings[setting+" "+word] = at
			if text != "" {
				problems = append(problems, WireError{setting, key, text})
			}
		}
	}

	hasPlace, hasWords := w.Result.At != "", len(w.Result.Success) > 0
	if hasPlace != hasWords {
		problems = append(problems, WireError{"result", "", "needs both at and success: where an answer has a word, and the words that say that all is well"})
	}

	return problems
}

// settingAt returns the name of a setting, and the key where it is a map, by where JSON has it.
func settingAt(at jsontext.Pointer) (setting, key string) {
	names := append(slices.Collect(at.Tokens()), "", "")
	if len(names) == 3 || names[0] == "ignored" {
		return names[0], names[1]
	}
	return names[0] + "." + names[1], names[2]
}

// objection returns why a word is not accepted, which completes a sentence about the setting; empty where
// it is.
func objection(form wireForm, key, word string, accepted []string) string {
	lag, err := time.ParseDuration(word)
	isLag := err == nil && lag >= 0 && lag <= LimitLag
	isLeaf := key != "" && jsontext.Pointer(key).IsValid() // and not the whole answer

	for _, rule := range []struct {
		form  wireForm
		holds bool
		text  string
	}{
		{aPointer, jsontext.Pointer(word).IsValid(), `must be a JSON Pointer (RFC 6901), such as "/data" or "/data/0/id"`},
		{aWord, slices.Contains(accepted, word), "must be one of " + strings.Join(accepted, ", ")},
		{aVocabulary, strings.TrimSpace(word) != "", "holds an empty word"},
		{aLeaf, isLeaf, `is not a JSON Pointer (RFC 6901) to a member, such as "/meta/request_id"`},
		{aLag, isLag, fmt.Sprintf("must be a duration from 0s to %s, such as %s", LimitLag, DefaultLag)},
	} {
		if rule.form == form && !rule.holds {
			return rule.text
		}
	}

	return ""
}
