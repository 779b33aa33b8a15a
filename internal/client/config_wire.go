// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// Values of the settings, for what the interface leaves open (section 4, gaps; section 5,
// rule 4; section 2).
const (
	// How a time is written.
	TimeRFC3339 = "rfc3339"
	TimeUnixMS  = "unix_ms"

	// How the pending list is used before a request is sent: it has to be understood as a
	// whole, the part that is understood counts as the whole, or it is not read.
	ListWhole   = "whole"
	ListPartial = "partial"
	ListIgnored = "ignored"

	// What happens to invalid UTF-8 in an export.
	InvalidError   = "error"
	InvalidReplace = "replace"
)

// Accepted values of each setting, the default first.
var (
	PendingListUses = []string{ListWhole, ListPartial, ListIgnored}

	Placements     = []string{transport.InJSON, transport.InForm, transport.InQuery}
	TimeFormats    = []string{TimeRFC3339, TimeUnixMS}
	InvalidUTF8Use = []string{InvalidError, InvalidReplace}
)

// Wire holds the settings for what the interface leaves open. Zero values take the
// defaults.
type Wire struct {
	LoginParametersIn   string // one of Placements
	ConsentParametersIn string // one of Placements
	AgreementTimeFormat string // one of TimeFormats

	// ExportKindParameter is the name of the query parameter that selects a kind; empty
	// if there is none.
	ExportKindParameter string
	// ExportKindValues are its values for persons, sessions and events, with commas
	// between.
	ExportKindValues string
	// ExportInvalidUTF8 says what happens to bytes that are no UTF-8: one of
	// InvalidUTF8Use.
	ExportInvalidUTF8 string
	// ExportRecordMember is the name of a member that each record of an export has; empty
	// if none is needed to tell a record.
	ExportRecordMember string
	// ExportIgnoredMembers names members around the records of an export, and header and
	// trailer fields, that say nothing about them, with commas between. A name may have a
	// value, as in next=null, and then only a member with that value is ignored.
	ExportIgnoredMembers string

	// PendingIdentityField names the member of a pending record that holds the person, in
	// addition to the usual spellings.
	PendingIdentityField string
	// PendingIgnoredMembers names members beside the pending list that say nothing about it,
	// with commas between.
	PendingIgnoredMembers string
	// PendingList says how the pending list is used: one of PendingListUses.
	PendingList string
	// EndedStatuses are statuses with which the service says that a request is over, with
	// commas between.
	EndedStatuses string
	// ProfileMember names the member of an answer that holds the profile; empty if the
	// answer is the profile.
	ProfileMember string
	// AllDataMember names a member that all data of a person has at its top; empty if none
	// is known.
	AllDataMember string

	// PendingListLag is how long the pending list may lag behind a submission, as a Go
	// duration from 0s to LimitPendingListLag; empty is DefaultPendingListLag.
	PendingListLag string
}

// WireSetting is one setting of Wire.
type WireSetting struct {
	Name     string   // in a provider block, within wire
	Preset   string   // the meaning of an empty value; empty if it has none
	Accepted []string // the values that are accepted, the preset first; nil for any
	Field    func(*Wire) *string
}

// Accepts reports whether a value is one of those that are accepted.
func (s WireSetting) Accepts(value string) bool {
	return s.Accepted == nil || slices.Contains(s.Accepted, value)
}

// WireSettings are the settings of Wire.
var WireSettings = []WireSetting{
	{"login_parameters_in", transport.InJSON, Placements, func(w *Wire) *string { return &w.LoginParametersIn }},
	{"consent_parameters_in", transport.InJSON, Placements, func(w *Wire) *string { return &w.ConsentParametersIn }},
	{"agreement_time_format", TimeRFC3339, TimeFormats, func(w *Wire) *string { return &w.AgreementTimeFormat }},
	{"export_kind_parameter", "", nil, func(w *Wire) *string { return &w.ExportKindParameter }},
	{"export_kind_values", DefaultExportKindValues, nil, func(w *Wire) *string { return &w.ExportKindValues }},
	{"export_invalid_utf8", InvalidError, InvalidUTF8Use, func(w *Wire) *string { return &w.ExportInvalidUTF8 }},
	{"export_record_member", "", nil, func(w *Wire) *string { return &w.ExportRecordMember }},
	{"export_ignored_members", "", nil, func(w *Wire) *string { return &w.ExportIgnoredMembers }},
	{"pending_identity_field", "", nil, func(w *Wire) *string { return &w.PendingIdentityField }},
	{"pending_ignored_members", "", nil, func(w *Wire) *string { return &w.PendingIgnoredMembers }},
	{"ended_statuses", "", nil, func(w *Wire) *string { return &w.EndedStatuses }},
	{"pending_list", ListWhole, PendingListUses, func(w *Wire) *string { return &w.PendingList }},
	{"pending_list_lag", DefaultPendingListLag, nil, func(w *Wire) *string { return &w.PendingListLag }},
	{"profile_member", "", nil, func(w *Wire) *string { return &w.ProfileMember }},
	{"all_data_member", "", nil, func(w *Wire) *string { return &w.AllDataMember }},
}

// Bounds of PendingListLag. The interface does not say how soon the pending list shows a
// request that was just accepted (section 8): the default is an assumption.
const (
	DefaultPendingListLag = "10s"
	LimitPendingListLag   = 10 * time.Minute
)

// ReservedParameters are the query parameters that an export has besides the one that selects
// a kind, the credential included.
var ReservedParameters = []string{"utcDate", "apiSecretToken"}

// DefaultExportKindValues are what the interface calls the kinds (section 4, Export),
// in lower case. An assumption, like the parameter itself.
const DefaultExportKindValues = "person,session,event"

// listed returns the names in a setting that has commas between them.
func listed(setting string) []string {
	var names []string
	for name := range strings.SplitSeq(setting, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (w Wire) withDefaults() Wire {
	for _, s := range WireSettings {
		field := s.Field(&w)
		*field = cmp.Or(*field, s.Preset)
	}

	return w
}

// Validate returns an error for a setting with a value that is not accepted.
func (w Wire) Validate() error {
	w = w.withDefaults()

	for _, s := range WireSettings {
		if !s.Accepts(*s.Field(&w)) {
			return fmt.Errorf("wire.%s must be one of %s", s.Name, strings.Join(s.Accepted, ", "))
		}
	}

	if slices.ContainsFunc(ReservedParameters, func(name string) bool { return strings.EqualFold(name, w.ExportKindParameter) }) {
		return errors.New("wire.export_kind_parameter must not be " + strings.Join(ReservedParameters, " or ") + ": the interface has another meaning for them")
	}

	kinds := listed(w.ExportKindValues)
	if len(kinds) != len(records.Kinds) || len(slices.Compact(slices.Sorted(slices.Values(kinds)))) != len(kinds) {
		return errors.New("wire.export_kind_values must be three different values with commas between, such as " + DefaultExportKindValues)
	}

	lag, err := time.ParseDuration(w.PendingListLag)
	if err != nil || lag < 0 || lag > LimitPendingListLag {
		return fmt.Errorf("wire.pending_list_lag must be a duration from 0s to %s, such as %s", LimitPendingListLag, DefaultPendingListLag)
	}

	words := strings.Split(w.EndedStatuses, ",")
	isEmpty := func(word string) bool { return strings.TrimSpace(word) == "" }
	if w.EndedStatuses != "" && (len(words) > 20 || slices.ContainsFunc(words, isEmpty)) {
		return errors.New("wire.ended_statuses must be at most 20 words, and none of them empty")
	}

	return nil
}
