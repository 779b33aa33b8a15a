package mockserver

import "fmt"

// Where parameters travel and how a time is written; the interface leaves both
// open (section 4, gaps; section 5, rule 4; section 2).
const (
	InJSON  = "json"
	InForm  = "form"
	InQuery = "query"

	TimeRFC3339 = "rfc3339"
	TimeUnixMS  = "unix_ms"
)

// Wire settles what the interface leaves open. Empty fields take the defaults,
// InJSON and TimeRFC3339. Parameters in another place count as absent.
type Wire struct {
	LoginParametersIn   string // InJSON, InForm or InQuery
	ConsentParametersIn string // InJSON, InForm or InQuery
	AgreementTimeFormat string // TimeRFC3339 or TimeUnixMS

	// ExportKindParameter is the query parameter that an export has to choose its kind
	// with; empty: every export has all kinds. ExportKindValues are what it takes; empty
	// are person, session and event.
	ExportKindParameter string
	ExportKindValues    [Kinds]string
}

// Validate refuses values that are not among the constants.
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

func (w Wire) loginIn() string {
	if w.LoginParametersIn == "" {
		return InJSON
	}
	return w.LoginParametersIn
}

func (w Wire) consentIn() string {
	if w.ConsentParametersIn == "" {
		return InJSON
	}
	return w.ConsentParametersIn
}
