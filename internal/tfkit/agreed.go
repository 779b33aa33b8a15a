package tfkit

import (
	"errors"
	"time"
)

// errAhead is an agreement that nobody can have made yet.
var errAhead = errors.New("lies in the future, so that a later choice of the person could not be recognised; check the zone (Z is UTC) and the clock of this machine")

// clockSkew is how far a time may be ahead of this machine's clock. It allows for clocks
// and not for zones: a local time that is written with Z would outlast the choices of the
// next hours.
const clockSkew = 5 * time.Minute

// CheckAgreed refuses a time of agreement that lies in the future. Its error completes
// a sentence about the value and never holds it.
func CheckAgreed(agreed time.Time) error {
	if agreed.After(time.Now().Add(clockSkew)) {
		return errAhead
	}
	return nil
}
