package consentbatch

import (
	"errors"
	"net/http"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

const (
	// suspiciousStreak is how many rows fail in a row before the service is suspected
	// to be down as a whole.
	suspiciousStreak = 20

	// sampleRows is how many rows from all over the file are tried then, where the
	// service has not answered for any row yet.
	sampleRows = 32
)

// concernOneRow are the failures that say something about one row: what it holds, or
// whom it is about. Every other failure may concern all rows.
var concernOneRow = []client.ErrorClass{
	client.ClassRejected, client.ClassConflict, client.ClassInvalid, client.ClassNotFound, client.ClassPayload,
}

// outage finds out whether the service as a whole is down, so that going on is useless.
//
// A streak of failures is no proof: the service may fail for rows that it cannot take, and
// they may be neighbours in the file. So a row for which it has answered before is asked
// about again. Where there is none, rows from all over the file are tried.
type outage struct {
	streak int // failures since the service last answered for a row

	answered    int  // a row for which it has answered
	hasAnswered bool // there is one
	asking      bool // a worker asks about it again

	// certain: the service as a whole is down.
	certain bool
}

// note takes account of a row that was done; sampled is how many samples were handed out.
func (o *outage) note(row int, err error, sampled int) {
	switch {
	case showsAnAnswer(err):
		o.streak = 0
		o.answered, o.hasAnswered = row, true
	case client.IsClass(err, concernOneRow...):
		// Neither a sign of an outage nor of its end.
	default:
		o.streak++
	}

	if !o.hasAnswered && o.streak >= suspiciousStreak+sampleRows && sampled >= sampleRows {
		o.certain = true
	}
}

// showsAnAnswer reports whether the service answered for a row: it succeeded, or only its
// update failed. An update is sent after a comparison that was answered.
func showsAnAnswer(err error) bool {
	if err == nil {
		return true
	}
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Method == http.MethodPatch && e.Attempts > 0
}

// suspects reports whether the service may be down.
func (o *outage) suspects() bool { return o.streak >= suspiciousStreak }

// samples reports whether rows are to be taken from all over the file.
func (o *outage) samples() bool { return o.suspects() && !o.hasAnswered }

// question returns the row to ask about again. One worker asks at a time.
func (o *outage) question() (row int, ask bool) {
	if !o.suspects() || !o.hasAnswered || o.asking {
		return 0, false
	}
	o.asking = true
	return o.answered, true
}

// noteAnswer takes account of the answer to a question. Anything that the service itself
// says about the row shows that it is not down.
func (o *outage) noteAnswer(err error) {
	o.asking = false
	if err == nil || client.IsClass(err, concernOneRow...) {
		o.streak = 0
		return
	}
	o.certain = true
}
