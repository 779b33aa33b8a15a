package tfkit

import (
	"net/netip"
	"time"
)

// ReadIPAddress reads an address by the rules of IPAddress, for values that are no
// attributes. Its error completes a sentence about the value and never holds it.
func ReadIPAddress(text string) (netip.Addr, error) { return ipSpelling{}.Read(text) }

// ReadInstant does the same for an Instant.
func ReadInstant(text string) (time.Time, error) { return instantSpelling{}.Read(text) }
