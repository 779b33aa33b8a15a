package client

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// Where parameters of a request travel, and how a time is written. The interface
// leaves these open (section 4, gaps; section 5, rule 4; section 2).
const (
	InJSON  = "json"
	InForm  = "form"
	InQuery = "query"

	TimeRFC3339 = "rfc3339"
	TimeUnixMS  = "unix_ms"

	ShapeAuto     = "auto"
	ShapeRecords  = "records"
	ShapeEnvelope = "envelope"

	InvalidError   = "error"
	InvalidReplace = "replace"
)

// Accepted values of the settings, the default first.
var (
	Placements     = []string{InJSON, InForm, InQuery}
	TimeFormats    = []string{TimeRFC3339, TimeUnixMS}
	ExportShapes   = []string{ShapeAuto, ShapeRecords, ShapeEnvelope}
	InvalidUTF8Use = []string{InvalidError, InvalidReplace}
)

// Wire settles what the interface leaves open. Zero values take the defaults.
type Wire struct {
	LoginParametersIn   string // json, form or query
	ConsentParametersIn string // json, form or query
	AgreementTimeFormat string // rfc3339 or unix_ms
	ExportKindParameter string // name of a query parameter; empty: none is sent
	ExportKindValues    string // its values for Person, Session and Event, with commas between
	// ExportMinRate is the slowest export that is waited for, in bytes per second; 0
	// waits for ever. The interface names no rate (section 8).
	ExportMinRate Optional[int64]
	// ExportShape says which objects of an export are records: auto, records or envelope.
	ExportShape string
	// ExportInvalidUTF8 says what happens to bytes that are no UTF-8: error or replace.
	ExportInvalidUTF8 string
	// ExportIgnoredMembers names members of an answer that give no sign of an error or a
	// further page, with commas between.
	ExportIgnoredMembers string

	// PendingIdentityField names the member of a pending record that holds the person,
	// beside the usual spellings; empty: only those.
	PendingIdentityField string
	// PendingListLag is how long the pending list may lag behind a submission, as a Go
	// duration from 0s to LimitPendingListLag; empty is DefaultPendingListLag.
	PendingListLag string
}

// DefaultPendingListLag is how long the pending list is given to show a request that
// was just accepted. The interface says nothing of it (section 8): an assumption.
const (
	DefaultPendingListLag = "10s"
	LimitPendingListLag   = 10 * time.Minute
)

func (w Wire) validatePendingListLag() error {
	lag, err := time.ParseDuration(w.PendingListLag)
	if err != nil || lag < 0 || lag > LimitPendingListLag {
		return fmt.Errorf("wire.pending_list_lag must be a duration from 0s to %s, such as %s", LimitPendingListLag, DefaultPendingListLag)
	}
	return nil
}

// DefaultExportKindValues are what the interface calls the kinds (section 4, Export),
// in lower case. An assumption, like the parameter itself.
const DefaultExportKindValues = "person,session,event"

// DefaultExportMinRate is the ExportMinRate of a Wire that has none, in bytes per
// second: far below any service that is at work, far above one that only keeps the
// connection alive.
const DefaultExportMinRate = 1024

// LimitExportMinRate is the largest ExportMinRate, in bytes per second.
const LimitExportMinRate = 1 << 30

// exportMinRate returns the floor of the rate, in bytes per second; 0 is none.
func (w Wire) exportMinRate() int64 {
	if rate, set := w.ExportMinRate.Get(); set {
		return rate
	}
	return DefaultExportMinRate
}

// exportOptions returns what is known of an answer to a request for a kind.
func (w Wire) exportOptions(asked records.Kind) records.Options {
	o := records.Options{Asked: asked, ReplaceInvalid: w.ExportInvalidUTF8 == InvalidReplace}
	switch w.ExportShape {
	case ShapeRecords:
		o.Shape = records.ShapeRecords
	case ShapeEnvelope:
		o.Shape = records.ShapeEnvelope
	}

	for name := range strings.SplitSeq(w.ExportIgnoredMembers, ",") {
		if name = strings.TrimSpace(name); name != "" {
			o.Ignored = append(o.Ignored, name)
		}
	}
	return o
}

// exportKindValue is what selects a kind.
func (w Wire) exportKindValue(k records.Kind) string {
	values := strings.Split(w.ExportKindValues, ",")
	return strings.TrimSpace(values[slices.Index(records.Kinds, k)])
}

func (w Wire) validateExportKinds() error {
	values := strings.Split(w.ExportKindValues, ",")
	for i, v := range values {
		values[i] = strings.TrimSpace(v)
	}
	slices.Sort(values)
	if len(values) != len(records.Kinds) || values[0] == "" || len(slices.Compact(values)) != len(records.Kinds) {
		return errors.New("wire.export_kind_values must be three different values with commas between, such as " + DefaultExportKindValues)
	}
	return nil
}

func (w Wire) withDefaults() Wire {
	for _, s := range []struct {
		field *string
		value string
	}{
		{&w.LoginParametersIn, InJSON},
		{&w.ConsentParametersIn, InJSON},
		{&w.AgreementTimeFormat, TimeRFC3339},
		{&w.ExportKindValues, DefaultExportKindValues},
		{&w.ExportShape, ShapeAuto},
		{&w.ExportInvalidUTF8, InvalidError},
		{&w.PendingListLag, DefaultPendingListLag},
	} {
		if *s.field == "" {
			*s.field = s.value
		}
	}
	return w
}

// Validate refuses values outside the lists.
func (w Wire) Validate() error {
	w = w.withDefaults()
	for _, c := range []struct {
		name, value string
		accepted    []string
	}{
		{"wire.login_parameters_in", w.LoginParametersIn, Placements},
		{"wire.consent_parameters_in", w.ConsentParametersIn, Placements},
		{"wire.agreement_time_format", w.AgreementTimeFormat, TimeFormats},
		{"wire.export_shape", w.ExportShape, ExportShapes},
		{"wire.export_invalid_utf8", w.ExportInvalidUTF8, InvalidUTF8Use},
	} {
		if !slices.Contains(c.accepted, c.value) {
			return fmt.Errorf("%s must be one of %s", c.name, strings.Join(c.accepted, ", "))
		}
	}
	return errors.Join(w.validateExportKinds(), w.validatePendingListLag())
}
