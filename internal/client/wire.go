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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// Wire is the map of a service, for what the interface leaves open. A zero value of a setting takes its default. The
// names in JSON are those of the block wire in a provider block.
type Wire struct {
	decode.Envelope

	Lag    string   `json:"lag,omitzero"`    // of any reading behind the service, a Go duration from 0s to LimitLag
	Absent []string `json:"absent,omitzero"` // answers that say that there is nothing about a person, of AbsentForms
	Login  struct {
		ParametersIn string `json:"parameters_in,omitzero"` // one of Placements
	} `json:"login,omitzero"`
	Consent ConsentWire `json:"consent,omitzero"`
	Profile struct {
		At *jsontext.Pointer `json:"at,omitzero"` // nil is the answer, unless it looks like an envelope
	} `json:"profile,omitzero"`
	Pending struct {
		Use string `json:"use,omitzero"` // one of ListUses

		decode.ListMap
	} `json:"pending,omitzero"`
	AllData struct {
		At        *jsontext.Pointer `json:"at,omitzero"`         // of the data; nil recognises it
		MediaType string            `json:"media_type,omitzero"` // of data that is not JSON
	} `json:"all_data,omitzero"`
	Export ExportWire `json:"export,omitzero"`
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

// ExportWire is the map of an export. Its maps have the keys of ExportKinds.
type ExportWire struct {
	KindParameter string            `json:"kind_parameter,omitzero"` // of a request
	KindValues    map[string]string `json:"kind_values,omitzero"`

	records.Map
}

// Words of the settings (section 4, gaps; section 5, rule 4; section 2).
const (
	// How exactly a time is kept.
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
	AbsentForms = []string{transport.AbsentJSON404, transport.AbsentAny404, transport.Absent204, transport.AbsentEmpty}
	Placements  = []string{transport.InJSON, transport.InForm, transport.InQuery}
	TimeFormats = []string{decode.TimeRFC3339, decode.TimeUnixMS, decode.TimeUnixS, decode.TimeUTC, decode.TimeDate}
	TimesKept   = []string{"exact", "ms", KeptS, KeptMinute, KeptDay, KeptByService}
	Alterable   = []string{"user_ipv6", "manual"}
	ListUses    = []string{ListWhole, ListPartial, ListIgnored}
	InvalidUses = []string{records.InvalidError, records.InvalidReplace}
)

// ExportKinds are the kinds of records in the settings.
var ExportKinds = []string{records.Person.Plural(), records.Session.Plural(), records.Event.Plural()}

// Bounds of Wire.Lag. The interface does not say how soon a reading shows what was just accepted
// (section 8): the default is an assumption.
const (
	DefaultLag = "10s"
	LimitLag   = 10 * time.Minute
)

// ParseWire returns the Wire that a JSON object holds, as Wire is encoded. null is a Wire without
// settings. The error completes a sentence about the text, and shows no value.
func ParseWire(text []byte) (w Wire, err error) {
	if err = json.Unmarshal(text, &w, json.RejectUnknownMembers(true)); err == nil {
		return w, nil
	}
	at, isPlaced := errors.AsType[*json.SemanticError](err)
	if !isPlaced {
		return Wire{}, errors.New("is not valid JSON: " + jsonvalue.DescribeSyntax(err))
	}

	place := cmp.Or(string(at.JSONPointer), "the top")
	if !jsonvalue.IsFieldPointer(at.JSONPointer) {
		place = "/…"
	}

	return Wire{}, errors.New("has a setting that does not exist, or a value of another type than the setting has, at " + place)
}

// settings returns the settings that are set, by where JSON has them.
func (w Wire) settings() infer.Settings {
	text, _ := json.Marshal(w) // texts, truth values, and lists and maps of texts
	return infer.ParseSettings(text)
}

// presets are what is set without a setting. The words for the kinds are what the interface calls them
// (section 4, Export), in lower case: an assumption, like the parameter.
var presets = infer.Settings{
	"/lag": DefaultLag, "/absent": []any{transport.AbsentJSON404},
	"/login/parameters_in": Placements[0], "/consent/parameters_in": Placements[0],
	"/consent/time_format": TimeFormats[0], "/consent/time_kept": TimesKept[0],
	"/pending/use": ListUses[0], "/export/invalid_utf8": InvalidUses[0],
	"/export/kind_values/persons": "person", "/export/kind_values/sessions": "session", "/export/kind_values/events": "event",
}

func (w Wire) withDefaults() Wire {
	all := maps.Clone(presets)
	maps.Copy(all, w.settings())
	w, _ = ParseWire(all.JSON()) // it was one
	return w
}

// Minimal returns the settings that differ from the defaults.
func (w Wire) Minimal() Wire {
	own := w.settings()
	maps.DeleteFunc(own, func(at jsontext.Pointer, value any) bool { return reflect.DeepEqual(value, presets[at]) })
	w, _ = ParseWire(own.JSON()) // it was one
	return w
}

// wireRule says which values of a setting are accepted: one of words, or else what must says, of which the zero value
// is mustPoint.
type wireRule struct {
	keys  []string // of a map
	words []string
	must  string
}

const (
	mustPoint = `must be a JSON Pointer (RFC 6901), such as "/data" or "/data/0/id"`
	mustLead  = `has a key that is not a JSON Pointer (RFC 6901) to a member, such as "/meta/request_id"`
	mustSay   = "holds an empty word"
)

var mustLag = fmt.Sprintf("must be a duration from 0s to %s, such as %s", LimitLag, DefaultLag)

func oneOf(words []string) wireRule {
	return wireRule{words: words, must: "must be one of " + strings.Join(words, ", ")}
}

// wireRules are those of the settings, by where JSON has them. Others are JSON Pointers.
var wireRules = map[jsontext.Pointer]wireRule{
	"/absent":                oneOf(AbsentForms),
	"/login/parameters_in":   oneOf(Placements),
	"/consent/parameters_in": oneOf(Placements),
	"/consent/time_format":   oneOf(TimeFormats),
	"/consent/time_answered": oneOf(TimeFormats),
	"/consent/time_kept":     oneOf(TimesKept),
	"/consent/altered":       oneOf(Alterable),
	"/pending/use":           oneOf(ListUses),
	"/export/invalid_utf8":   oneOf(InvalidUses),

	"/pending/types":         {keys: decode.RequestTypes, must: mustSay},
	"/pending/statuses":      {keys: decode.StatusMeanings, must: mustSay},
	"/export/kinds":          {keys: ExportKinds, must: mustSay},
	"/export/kind_values":    {keys: ExportKinds, must: mustSay},
	"/result/success":        {must: mustSay},
	"/result/absent":         {must: mustSay},
	"/all_data/media_type":   {must: mustSay},
	"/export/kind_parameter": {must: mustSay},

	"/export/at":     {keys: ExportKinds},
	"/export/record": {keys: ExportKinds},
	"/ignored":       {must: mustLead},
	"/lag":           {must: mustLag},
}

// accepts reports whether a word of a setting is accepted, and the key that it has in a map.
func (r wireRule) accepts(key, word string) bool {
	switch {
	case r.words != nil:
		return slices.Contains(r.words, word)
	case r.must == mustLead:
		word = cmp.Or(key, "nowhere")
	case r.must == mustSay:
		return strings.TrimSpace(word) != ""
	case r.must == mustLag:
		lag, err := time.ParseDuration(word)
		return err == nil && lag == min(max(lag, 0), LimitLag)
	}

	return jsontext.Pointer(word).IsValid()
}

// objection returns why a value is not accepted, which completes a sentence about the setting; empty where
// it is.
func (r wireRule) objection(key string, value any) string {
	if r.keys != nil && !slices.Contains(r.keys, key) {
		return "has a key other than " + strings.Join(r.keys, ", ")
	}

	words, isList := value.([]any)
	if !isList {
		words = []any{value}
	}
	for _, word := range words {
		if text, isText := word.(string); isText && !r.accepts(key, text) {
			return cmp.Or(r.must, mustPoint)
		}
	}

	return ""
}

// Problems returns an error for each setting with a value that is not accepted. The errors do not show the values.
func (w Wire) Problems() (problems []error) {
	w = w.withDefaults()
	object := func(setting jsontext.Pointer, text string) { // text completes a sentence about the setting
		problems = append(problems, errors.New("wire"+strings.ReplaceAll(string(setting), "/", ".")+" "+text))
	}

	settings := w.settings()
	for _, at := range slices.Sorted(maps.Keys(settings)) {
		setting := at
		if _, isMap := wireRules[at.Parent()]; isMap {
			setting = at.Parent()
		}
		if text := wireRules[setting].objection(at.LastToken(), settings[at]); text != "" {
			object(setting, text)
		}
	}

	for setting, words := range map[jsontext.Pointer]map[string][]string{"/pending/types": w.Pending.Types, "/pending/statuses": w.Pending.Statuses, "/export/kinds": w.Export.Kinds} {
		all := slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(words))...)))
		if len(slices.Compact(slices.Clone(all))) < len(all) {
			object(setting, "holds a word twice")
		}
	}
	hasPlace, hasWords := w.Result.At != "", len(w.Result.Success) > 0
	if hasPlace != hasWords {
		object("/result", "needs both at and success: where an answer has a word, and the words that say that all is well")
	}

	return problems
}

// With returns the settings with others on top. The error names one that is not accepted.
func (w Wire) With(s infer.Settings) (Wire, error) {
	with, err := ParseWire(w.settings().Merge(s).JSON())
	if err == nil {
		err = errors.Join(with.Problems()...)
	}
	return with, err
}

// advise adds a proposal to the *decode.Error of an answer that is not recognised, and to no other error.
func (w Wire) advise(err error, proposed []infer.Settings, admits func(Wire) bool) error {
	p, ok := errors.AsType[*decode.Error](err)
	if ok && p.Outcome != decode.Refused && p.Outcome != decode.Absent {
		p.Advice = cmp.Or(w.proposal(proposed, admits), p.Advice)
	}
	return err
}

// proposal returns the advice to set what admits an answer, as a strict reader has tried, without needless settings:
// the first that are proposed and hold only names that may be shown. It is empty if there are none.
func (w Wire) proposal(proposed []infer.Settings, admits func(Wire) bool) string {
	suffices := func(s infer.Settings) bool {
		with, err := w.With(s)
		return err == nil && admits(with)
	}
	for _, s := range proposed {
		if s = s.Inside(w.Envelope.At); !suffices(s) {
			continue
		}
		if s = s.Shortest(suffices); !slices.ContainsFunc(s.Texts(), isHidden) {
			return "look at it: " + decode.Admits(s.Sentence())
		}
	}

	return ""
}

// isHidden reports whether a name or a pointer must not be shown.
func isHidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		isPlain := strings.Trim(part, "0123456789[]{}") == "" // an index or an empty value
		if !isPlain && part != decode.AnyValue && !jsonvalue.IsFieldName(part) {
			return true
		}
	}
	return false
}
