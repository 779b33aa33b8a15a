// SPDX-License-Identifier: MPL-2.0

package choice

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

// Record is a consent record to write, or that was written (section 2). Field describes its fields.
type Record struct {
	Clauses       [decode.Clauses]bool
	UserIPv6      netip.Addr // the zero Addr is not sent
	AgreementTime time.Time  // to the millisecond; the zero Time is not sent
	Manual        bool
}

// Field returns a pointer to one of decode.ConsentFields: a *bool, *time.Time, *netip.Addr or *string.
func (r *Record) Field(name string) any {
	switch name {
	case "user_ipv6":
		return &r.UserIPv6
	case "agreement_time":
		return &r.AgreementTime
	case "manual":
		return &r.Manual
	}

	return &r.Clauses[slices.Index(decode.ClauseNames[:], name)]
}

// Values returns the fields that are sent, by name: each bool, and what is set. An address and a text are
// private: no message shows them.
func (r Record) Values() map[string]any {
	values := map[string]any{"manual": r.Manual}
	for i, name := range decode.ClauseNames {
		values[name] = r.Clauses[i]
	}
	if r.UserIPv6.IsValid() {
		values["user_ipv6"] = r.UserIPv6
	}
	if !r.AgreementTime.IsZero() {
		values["agreement_time"] = r.AgreementTime
	}

	return values
}

// Withdrawal returns the record that withdraws this one: five false clauses and no time.
func (r Record) Withdrawal() Record {
	r.Clauses, r.AgreementTime = [decode.Clauses]bool{}, time.Time{}
	return r
}

// Print returns the print of the record as a service shows it that keeps everything.
func (r Record) Print() Print {
	held := decode.Consent{
		UserIPv6:      decode.Optional[string]{Value: r.UserIPv6.String(), Given: r.UserIPv6.IsValid()},
		AgreementTime: decode.Optional[time.Time]{Value: r.AgreementTime, Given: !r.AgreementTime.IsZero()},
		Manual:        decode.Optional[bool]{Value: r.Manual, Given: true},
	}
	for i, agreed := range r.Clauses {
		held.Clauses[i] = decode.Optional[bool]{Value: agreed, Given: true}
	}

	return PrintOf(held)
}

// Keeping is how the service keeps what it is sent, as wire.consent says.
type Keeping struct {
	Precision time.Duration // of a time; zero if it is not configured
	SetsTime  bool          // the service sets the time itself
	Altered   []string      // fields that it does not show as they were sent
}

// Differences returns the names of the fields that a record shows with another value than was sent. A field counts only
// if it was sent and the record has it, or has a null in place of a clause or of the address.
func (k Keeping) Differences(sent, held Print) (names []string) {
	// What one of the two lacks is taken from the other one.
	held.Address, sent.Address = cmp.Or(held.Address, sent.Address), cmp.Or(sent.Address, held.Address)
	held.Manual, sent.Manual = cmp.Or(held.Manual, sent.Manual), cmp.Or(sent.Manual, held.Manual)
	held.Time, sent.Time = cmp.Or(held.Time, sent.Time), cmp.Or(sent.Time, held.Time)
	apart := max(held.Time-sent.Time, sent.Time-held.Time)

	differs := map[string]bool{
		"user_ipv6":      held.Address != sent.Address,
		"agreement_time": !k.SetsTime && apart >= max(1, k.precision(held.Time, sent.Time)),
		"manual":         held.Manual != sent.Manual,
	}
	for i, name := range decode.ClauseNames {
		differs[name] = held.Clauses[i] != sent.Clauses[i]
	}

	for _, name := range decode.ConsentFields {
		if differs[name] && !slices.Contains(k.Altered, name) {
			names = append(names, name)
		}
	}

	return names
}

// precision returns how exactly the service keeps a time, in milliseconds: as configured, and
// otherwise to the second if a time that was sent with a fraction has none. It returns 0 for an exact time.
func (k Keeping) precision(held, sent int64) int64 {
	const second = 1000
	isCut := held%second == 0 && sent%second != 0
	switch {
	case k.Precision > time.Millisecond:
		return k.Precision.Milliseconds()
	case isCut && k.Precision == 0:
		return second
	}

	return 0
}

// Learn takes over how the service keeps a record that was sent, from how it is shown. A record with other
// clauses shows nothing of that: Learn returns false.
func (k *Keeping) Learn(sent, shown Print) (ok bool) {
	if shown.Clauses != sent.Clauses {
		return false
	}

	for _, name := range k.Differences(sent, shown) {
		if name != "agreement_time" {
			k.Altered = append(slices.Clip(k.Altered), name)
			continue
		}

		apart := max(shown.Time-sent.Time, sent.Time-shown.Time)
		k.SetsTime, k.Precision = true, 0
		for _, unit := range []time.Duration{24 * time.Hour, time.Minute, time.Second} {
			if apart < unit.Milliseconds() {
				k.SetsTime, k.Precision = false, unit
			}
		}
	}

	return true
}

// Print is a record without its personal data, which a run can remember of millions of people and a
// state can hold. The zero Print stands for no record.
type Print struct {
	Time    int64                `json:"t,omitzero"` // in milliseconds since 1970; 0 without one
	Address uint32               `json:"a,omitzero"` // a part of a hash; 0 without one, nullAddress for null
	Clauses [decode.Clauses]Flag `json:"c,omitzero"`
	Manual  Flag                 `json:"m,omitzero"`
}

// Flag is a truth value of a record: 1 for false, 2 for true, and 0 for none.
type Flag uint8

var flags = map[decode.Optional[bool]]Flag{decode.Some(false): 1, decode.Some(true): 2}

// nullAddress stands for null in Print.Address.
const nullAddress = 1

// PrintOf returns the print of a record at the service.
func PrintOf(held decode.Consent) (p Print) {
	for i, clause := range held.Clauses {
		p.Clauses[i] = flags[clause]
	}
	p.Manual = flags[held.Manual]

	if held.AgreementTime.Given {
		p.Time = held.AgreementTime.Value.UnixMilli()
	}
	if held.UserIPv6.Null {
		p.Address = nullAddress
	}
	if held.UserIPv6.Given {
		text := held.UserIPv6.Value
		if address, err := netip.ParseAddr(text); err == nil {
			text = address.Unmap().String() // the one spelling of an address
		}
		sum := sha256.Sum256([]byte(text))
		p.Address = max(nullAddress+1, binary.BigEndian.Uint32(sum[:]))
	}

	return p
}
