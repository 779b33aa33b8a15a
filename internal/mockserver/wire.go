package mockserver

import (
	"cmp"
	"fmt"
)

// Places of parameters (section 4, gaps; section 5, rule 4) and formats of a time
// (section 2). The interface leaves both open.
const (
	InJSON  = "json"
	InForm  = "form"
	InQuery = "query"

	TimeRFC3339 = "rfc3339"
	TimeUnixMS  = "unix_ms"
)

// Wire chooses among the forms of requests that the interface leaves open. Parameters
// in another place than the chosen one count as absent.
type Wire struct {
	LoginParametersIn   string // InJSON, InForm or InQuery; empty is InJSON
	ConsentParametersIn string // InJSON, InForm or InQuery; empty is InJSON
	AgreementTimeFormat string // TimeRFC3339 or TimeUnixMS; empty is TimeRFC3339

	// ExportKindParameter is the query parameter with which each export chooses its
	// kind of records; if empty, every export has all kinds. ExportKindValues are the
	// values it accepts; if all are empty, person, session and event.
	ExportKindParameter string
	ExportKindValues    [Kinds]string
}

// Validate returns an error if a place or a format is none of the constants.
func (w Wire) Validate() error {
	for _, in := range []string{w.LoginParametersIn, w.ConsentParametersIn} {
		switch in {
		case "", InJSON, InForm, InQuery:
		default:
			return fmt.Errorf("parameters travel in %q, %q or %q, not in %q", InJSON, InForm, InQuery, in)
		}
	}

	switch w.AgreementTimeFormat {
	case "", TimeRFC3339, TimeUnixMS:
		return nil
	}

	return fmt.Errorf("a time is written as %q or %q, not as %q", TimeRFC3339, TimeUnixMS, w.AgreementTimeFormat)
}

func (w Wire) loginIn() string { return cmp.Or(w.LoginParametersIn, InJSON) }

func (w Wire) consentIn() string { return cmp.Or(w.ConsentParametersIn, InJSON) }
