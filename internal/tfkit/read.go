package tfkit

import (
	"errors"
	"net/netip"
	"time"
)

// ReadIPAddress reads an address by the rules of IPAddress, for values that are no
// attributes. Its error completes a sentence about the value and never holds it.
func ReadIPAddress(text string) (netip.Addr, error) { return ipSpelling{}.Read(text) }

// ReadInstant does the same for an Instant.
func ReadInstant(text string) (time.Time, error) { return instantSpelling{}.Read(text) }

// errAhead is an agreement that nobody can have made yet.
var errAhead = errors.New("lies in the future, so that a later choice of the person could not be recognised")

// clockSkew is how far a time may be ahead of this machine's clock.
const clockSkew = 24 * time.Hour

// CheckAgreed refuses a time of agreement that lies in the future. Its error completes
// a sentence about the value and never holds it.
func CheckAgreed(agreed time.Time) error {
	if agreed.After(time.Now().Add(clockSkew)) {
		return errAhead
	}
	return nil
}
