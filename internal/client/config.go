// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// Defaults and bounds of the settings. The service documents no rate limits
// (section 8), so these are our choice: moderate, and all of them can be set.
const (
	DefaultMaxConcurrency = 16
	LimitMaxConcurrency   = 256
	DefaultRequestTimeout = 30 * time.Second
	MinRequestTimeout     = time.Second
	LimitRequestTimeout   = 10 * time.Minute
	DefaultMaxRetries     = 4
	LimitMaxRetries       = 10
	LimitRequestsPerSec   = 10_000
)

// Config configures a Client. New sets Base and LoginParametersIn of the embedded one. Limits
// that are zero take the defaults above, except MaxRetries: zero retries nothing.
type Config struct {
	transport.Config

	// BaseURL is {base_url} of the interface; see ParseBaseURL for what is accepted.
	BaseURL string
	// Wire decides what the interface leaves open.
	Wire Wire
	// Now returns the current time, by which a day is over; nil is the system's clock.
	Now func() time.Time
}

func (cfg Config) withDefaults() Config {
	if cfg.MaxConcurrency <= 0 {
		cfg.MaxConcurrency = DefaultMaxConcurrency
	}
	if cfg.RequestTimeout <= 0 {
		cfg.RequestTimeout = DefaultRequestTimeout
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Wire = cfg.Wire.withDefaults()

	return cfg
}

// ParseBaseURL parses {base_url}: an absolute https address, with an optional port and
// sub-path, without user, query and fragment. Plain http is accepted only for this machine
// (localhost, 127.0.0.0/8, ::1), since credentials and personal data would be readable in
// the network. Errors complete a sentence about the setting, and never repeat the value.
func ParseBaseURL(raw string) (*url.URL, error) {
	if strings.TrimSpace(raw) == "" {
		return nil, errors.New("is empty; it is the address of the service, such as https://analytics.example.com")
	}

	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("is not a valid address; it looks like https://analytics.example.com")
	}

	port, portErr := strconv.Atoi(u.Port())
	isNamed := u.Scheme == "https" || u.Scheme == "http" || u.Scheme == ""
	for _, check := range []struct {
		wrong   bool
		problem string
	}{
		{u.Scheme == "", "has no scheme; write https:// in front of the host"},
		{u.Scheme == "http" && !isLoopback(u.Hostname()), "uses plain http to another machine; credentials and personal data would be readable on the way, use https"},
		{!isNamed, "has a scheme other than https"},

		{u.User != nil, "contains user information; credentials belong into email and password, token or api_secret_key"},
		{u.RawQuery != "" || u.ForceQuery, "contains a query; give only scheme, host, port and path"},
		{u.Fragment != "" || strings.HasSuffix(raw, "#"), "contains a fragment; give only scheme, host, port and path"},
		{u.Opaque != "", "is not of the form https://host"},

		{u.Hostname() == "", "has no host"},
		{strings.HasSuffix(u.Host, ":"), "has a colon but no port"},
		{u.Port() != "" && (portErr != nil || port < 1 || port > 65535), "has a port outside 1 to 65535"},

		// They would move every request, a deletion included, to another path.
		{slices.ContainsFunc(strings.Split(u.Path, "/"), func(s string) bool { return s == "." || s == ".." }), "has a path with . or .. segments"},
	} {
		if check.wrong {
			return nil, errors.New(check.problem)
		}
	}

	path := strings.TrimRight(u.EscapedPath(), "/")
	decoded, _ := url.PathUnescape(path) // Parse has done so

	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: decoded, RawPath: path}, nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

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

// Accepted values of settings that others ask for too, the default first.
var (
	Placements  = []string{transport.InJSON, transport.InForm, transport.InQuery}
	TimeFormats = []string{TimeRFC3339, TimeUnixMS}
)

// Wire holds the settings for what the interface leaves open, which Settings describes. Zero
// values take the defaults. Settings with several values have commas between them.
type Wire struct {
	LoginParametersIn   string
	ConsentParametersIn string
	AgreementTimeFormat string

	ExportKindParameter  string
	ExportKindValues     string
	ExportInvalidUTF8    string
	ExportRecordMember   string
	ExportIgnoredMembers string // a name may have a value, as in next=null: only that is ignored

	PendingIdentityField  string
	PendingIgnoredMembers string
	PendingList           string
	PendingListLag        string // a Go duration from 0s to LimitPendingListLag
	EndedStatuses         string

	ProfileMember string
	AllDataMember string
}

// WireSetting is one setting of a Wire.
type WireSetting struct {
	Name   string // in a provider block, within wire
	Value  *string
	Preset string // the meaning of an empty value; empty if it has none
	// Check returns an error for a value that is not accepted, which completes a sentence about
	// the setting and does not hold the value.
	Check func(value string) error
	Text  string // the description, in Markdown
}

// Settings returns all settings, in an order that stays.
func (w *Wire) Settings() []WireSetting {
	return []WireSetting{
		{"login_parameters_in", &w.LoginParametersIn, transport.InJSON, oneOf(Placements), choice("Where a login carries e-mail and password.", Placements)},
		{"consent_parameters_in", &w.ConsentParametersIn, transport.InJSON, oneOf(Placements), choice("Where a consent update carries its fields.", Placements)},
		{"agreement_time_format", &w.AgreementTimeFormat, TimeRFC3339, oneOf(TimeFormats), choice("Format in which `agreement_time` is sent.", TimeFormats)},
		{"export_kind_parameter", &w.ExportKindParameter, "", checkKindParameter, "Name of the query parameter that selects the kind of records. By default none is sent."},
		{"export_kind_values", &w.ExportKindValues, DefaultExportKindValues, checkKindValues, "Values of `export_kind_parameter` for persons, sessions and events, separated by commas. Defaults to `" + DefaultExportKindValues + "`."},
		{"export_invalid_utf8", &w.ExportInvalidUTF8, InvalidError, oneOf([]string{InvalidError, InvalidReplace}), "Whether bytes that are not UTF-8 are an `error` (default) or are replaced by U+FFFD (`replace`)."},
		{"export_record_member", &w.ExportRecordMember, "", anything, "Name of a member that every record has, and that nothing else in the answer has."},
		{"export_ignored_members", &w.ExportIgnoredMembers, "", anything, "Members or headers beside the records that can be ignored, separated by commas, such as `tenant,next=null`."},
		{"pending_identity_field", &w.PendingIdentityField, "", anything, "Name of the field that identifies the person in a pending request. The usual names are recognised."},
		{"pending_ignored_members", &w.PendingIgnoredMembers, "", anything, "Members beside the list of pending requests that can be ignored, separated by commas."},
		{"pending_list", &w.PendingList, ListWhole, oneOf([]string{ListWhole, ListPartial, ListIgnored}), "How the list of pending requests is used: `whole` (default), `partial` or `ignored`."},
		{"pending_list_lag", &w.PendingListLag, DefaultPendingListLag, checkListLag, "How long the list of pending requests may lag behind the service, up to `10m`. Defaults to `" + DefaultPendingListLag + "`."},
		{"ended_statuses", &w.EndedStatuses, "", anything, "Statuses of requests that are over, such as `closed`. Other unknown statuses count as pending."},
		{"profile_member", &w.ProfileMember, "", anything, "Name of the member that holds the profile, if the service wraps it."},
		{"all_data_member", &w.AllDataMember, "", anything, "Name of a member at the top of all data of a person. If set, an answer is the data exactly if it has this member."},
	}
}

// anything accepts every value.
func anything(string) error { return nil }

// oneOf returns the check of a setting with few values.
func oneOf(accepted []string) func(string) error {
	return func(value string) error {
		if !slices.Contains(accepted, value) {
			return errors.New("must be one of " + strings.Join(accepted, ", "))
		}
		return nil
	}
}

func checkKindParameter(name string) error {
	if containsFold([]string{"utcDate", "apiSecretToken"}, name) {
		return errors.New("must not be utcDate or apiSecretToken: the interface has another meaning for them")
	}
	return nil
}

func checkKindValues(values string) error {
	kinds := listed(values)
	if len(kinds) != len(records.Kinds) || len(slices.Compact(slices.Sorted(slices.Values(kinds)))) != len(kinds) {
		return errors.New("must be three different values with commas between, such as " + DefaultExportKindValues)
	}
	return nil
}

func checkListLag(text string) error {
	lag, err := time.ParseDuration(text)
	if err != nil || lag < 0 || lag > LimitPendingListLag {
		return fmt.Errorf("must be a duration from 0s to %s, such as %s", LimitPendingListLag, DefaultPendingListLag)
	}
	return nil
}

// choice returns the description of a setting with few values, the first of which is the default.
func choice(text string, accepted []string) string {
	return text + " One of `" + strings.Join(accepted, "`, `") + "`. Defaults to `" + accepted[0] + "`."
}

// Bounds of PendingListLag. The interface does not say how soon the pending list shows a
// request that was just accepted (section 8): the default is an assumption.
const (
	DefaultPendingListLag = "10s"
	LimitPendingListLag   = 10 * time.Minute
)

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
	for _, s := range w.Settings() {
		*s.Value = cmp.Or(*s.Value, s.Preset)
	}

	return w
}

// Validate returns an error for a setting with a value that is not accepted.
func (w Wire) Validate() error {
	w = w.withDefaults()
	for _, s := range w.Settings() {
		if err := s.Check(*s.Value); err != nil {
			return fmt.Errorf("wire.%s %w", s.Name, err)
		}
	}

	return nil
}
