package consentbatch

import (
	"errors"
	"net/http"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

const (
	// suspiciousStreak is how many rows fail in a row before the service is suspected to
	// be down.
	suspiciousStreak = 20

	// sampleRows is how many rows from all over the file are then tried, if the service
	// has not answered for any row yet.
	sampleRows = 32
)

// concernOneRow lists the failures that a row itself causes, by its values or its person.
// Every other failure may concern all rows.
var concernOneRow = []client.ErrorClass{
	client.ClassRejected, client.ClassConflict, client.ClassInvalid, client.ClassNotFound, client.ClassPayload,
}

// outage finds out whether the service as a whole is down, so that going on is useless.
//
// A streak of failures does not prove it: the service may fail for certain rows, and these may
// be neighbours in the file. So the service is asked again about a row for which it has
// answered before. If it has not answered for any, rows from all over the file are tried.
type outage struct {
	streak int // failures since the service last answered for a row

	answered    int // a row for which it has answered
	hasAnswered bool
	asking      bool // a worker asks about the answered row again

	// certain reports that the service as a whole is down.
	certain bool
}

// observe updates the outage with a row that was done. sampled is how many samples were handed
// out.
func (o *outage) observe(row int, err error, sampled int) {
	if showsAnAnswer(err) {
		o.streak = 0
		o.answered, o.hasAnswered = row, true
		return
	}

	// A failure of one row is a sign neither of an outage nor of its end.
	if !client.IsClass(err, concernOneRow...) {
		o.streak++
	}

	enough := o.streak >= suspiciousStreak+sampleRows && sampled >= sampleRows
	if enough && !o.hasAnswered {
		o.certain = true
	}
}

// showsAnAnswer reports whether the service answered for a row: it succeeded, or its update
// failed. An update is sent only after the answer to a comparison.
func showsAnAnswer(err error) bool {
	if err == nil {
		return true
	}

	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Method == http.MethodPatch && e.Attempts > 0
}

// suspects reports whether the service may be down.
func (o *outage) suspects() bool { return o.streak >= suspiciousStreak }

// samples reports whether the next rows have to come from all over the file.
func (o *outage) samples() bool { return o.suspects() && !o.hasAnswered }

// question returns the row to ask about again. One worker asks at a time.
func (o *outage) question() (row int, ask bool) {
	if !o.suspects() || !o.hasAnswered || o.asking {
		return 0, false
	}

	o.asking = true
	return o.answered, true
}

// observeAnswer updates the outage with the answer to a question. Anything that the service
// says about the row shows that it is not down.
func (o *outage) observeAnswer(err error) {
	o.asking = false

	if err == nil || client.IsClass(err, concernOneRow...) {
		o.streak = 0
		return
	}

	o.certain = true
}
