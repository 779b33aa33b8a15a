// SPDX-License-Identifier: MPL-2.0

package choice

import (
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// Record is a consent record to write, or that was written (section 2). Field describes its fields.
type Record struct {
	Clauses       [answer.Clauses]bool
	UserIPv6      netip.Addr // the zero Addr is not sent
	AgreementTime time.Time  // to the millisecond; the zero Time is not sent
	Manual        bool
}

// Field returns a pointer to one of answer.ConsentFields: a *bool, which is always sent, or a
// *time.Time, *netip.Addr or *string, which is sent unless it is zero. The last two are private: no
// message shows them.
func (r *Record) Field(name string) any {
	switch name {
	case "user_ipv6":
		return &r.UserIPv6
	case "agreement_time":
		return &r.AgreementTime
	case "manual":
		return &r.Manual
	}

	return &r.Clauses[slices.Index(answer.ClauseNames[:], name)]
}

// Values returns the fields that are sent, by name: a bool, time.Time, netip.Addr or string.
func (r Record) Values() map[string]any {
	values := map[string]any{}
	for _, name := range answer.ConsentFields {
		switch field := r.Field(name).(type) {
		case *bool:
			values[name] = *field
		case *time.Time:
			if !field.IsZero() {
				values[name] = *field
			}
		case *netip.Addr:
			if field.IsValid() {
				values[name] = *field
			}
		case *string:
			if *field != "" {
				values[name] = *field
			}
		}
	}

	return values
}

// Withdrawal returns the record that withdraws this one: five false clauses and no time.
func (r Record) Withdrawal() Record {
	r.Clauses, r.AgreementTime = [answer.Clauses]bool{}, time.Time{}
	return r
}

// isNullIn reports whether a record has null in place of an optional field that is sent.
func (r Record) isNullIn(held answer.Consent) bool {
	lacksAddress := r.UserIPv6.IsValid() && held.UserIPv6.Null
	lacksTime := !r.AgreementTime.IsZero() && held.AgreementTime.Null

	return lacksAddress || lacksTime
}

// Keeping is how the service keeps what it is sent, as wire.consent says.
type Keeping struct {
	Precision time.Duration // of a time; zero if it is not configured
	SetsTime  bool          // the service sets the time itself
	Altered   []string      // fields that it does not show as they were sent
}

// Differences returns the names of the fields that a record holds with another value than was
// sent. A field that the record lacks or has as null counts as equal, except a clause, and so does
// one that the service alters.
func (k Keeping) Differences(sent Record, held answer.Consent) (names []string) {
	was, is := sent.Print(), PrintOf(held)
	if was.Time == 0 {
		is.Time = 0
	}

	for i, name := range answer.ClauseNames {
		if !held.Clauses[i].Given {
			names = append(names, name)
		}
	}

	return append(names, k.differences(was, is)...)
}

// differences returns the names of the fields that a record shows with another value than was sent.
func (k Keeping) differences(sent, held Print) (names []string) {
	for i, name := range flags {
		shift := 2 * (len(flags) - 1 - i)
		is, was := held.Fields>>shift&bitsTrue, sent.Fields>>shift&bitsTrue
		if is > bitsNull && is != was {
			names = append(names, name)
		}
	}
	if held.Address != 0 && sent.Address != 0 && held.Address != sent.Address {
		names = append(names, "user_ipv6")
	}

	apart := max(held.Time-sent.Time, sent.Time-held.Time)
	if held.Time != 0 && !k.SetsTime && apart >= k.precision(held.Time, sent.Time) {
		names = append(names, "agreement_time")
	}

	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(k.Altered, name) })
}

// precision returns how exactly the service keeps a time, in milliseconds: as configured, and
// otherwise to the second if a time that was sent with a fraction has none.
func (k Keeping) precision(held, sent int64) int64 {
	const second = 1000
	if k.Precision > 0 {
		return k.Precision.Milliseconds()
	}
	if held%second == 0 && sent%second != 0 {
		return second
	}

	return 1
}

// Print is a record without its personal data, which a run can remember of millions of people and a
// state can hold. The zero Print stands for no record.
type Print struct {
	Time    int64  `json:"t,omitzero"` // in milliseconds since 1970; 0 without one
	Address uint32 `json:"a,omitzero"` // a part of a hash; 0 without one
	Fields  uint16 `json:"f,omitzero"` // two bits for each of the flags
}

// flags are the names of the fields in Print.Fields, the highest bits first.
var flags = append([]string{"manual"}, answer.ClauseNames[:]...)

// The bits of a field in Print.Fields.
const (
	bitsAbsent uint16 = iota
	bitsNull
	bitsFalse
	bitsTrue
)

// PrintOf returns the print of a record at the service.
func PrintOf(held answer.Consent) (p Print) {
	for _, field := range append([]answer.Optional[bool]{held.Manual}, held.Clauses[:]...) {
		bits := bitsAbsent
		switch {
		case field.Null:
			bits = bitsNull
		case field.Value:
			bits = bitsTrue
		case field.Given:
			bits = bitsFalse
		}
		p.Fields = p.Fields<<2 | bits
	}

	if held.AgreementTime.Given {
		p.Time = held.AgreementTime.Value.UnixMilli()
	}
	if held.UserIPv6.Given {
		text := held.UserIPv6.Value
		if address, err := netip.ParseAddr(text); err == nil {
			text = address.Unmap().String() // the one spelling of an address
		}
		sum := sha256.Sum256([]byte(text))
		p.Address = max(1, binary.BigEndian.Uint32(sum[:]))
	}

	return p
}

// Print returns the print of the record as a service shows it that keeps everything.
func (r Record) Print() Print { return PrintOf(r.Shown()) }

// Shown returns the record as a service shows it that keeps everything.
func (r Record) Shown() answer.Consent {
	held := answer.Consent{Manual: answer.Some(r.Manual)}
	for i, agreed := range r.Clauses {
		held.Clauses[i] = answer.Some(agreed)
	}
	if !r.AgreementTime.IsZero() {
		held.AgreementTime = answer.Some(r.AgreementTime)
	}
	if r.UserIPv6.IsValid() {
		held.UserIPv6 = answer.Some(r.UserIPv6.String())
	}

	return held
}
