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

// Keeping is how the service keeps what it is sent, as wire.consent says.
type Keeping struct {
	Precision time.Duration // of a time; zero if it is not configured
	SetsTime  bool          // the service sets the time itself
	Altered   []string      // fields that it does not show as they were sent
}

// Differences returns the names of the fields that a record shows with another value than was sent. A
// field that the record lacks, or that was not sent, is not one, but a null in place of a clause or of the
// address is.
func (k Keeping) Differences(sent, held Print) (names []string) {
	for i, name := range answer.ClauseNames {
		if held.Clauses[i] != sent.Clauses[i] {
			names = append(names, name)
		}
	}
	if held.Manual > Null && held.Manual != sent.Manual {
		names = append(names, "manual")
	}
	if held.Address != 0 && sent.Address != 0 && held.Address != sent.Address {
		names = append(names, "user_ipv6")
	}

	apart := max(held.Time-sent.Time, sent.Time-held.Time)
	isCompared := held.Time != 0 && sent.Time != 0 && !k.SetsTime
	if isCompared && apart >= k.precision(held.Time, sent.Time) {
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
	Time    int64                `json:"t,omitzero"` // in milliseconds since 1970; 0 without one
	Address uint32               `json:"a,omitzero"` // a part of a hash; 0 without one, nullAddress for null
	Clauses [answer.Clauses]Flag `json:"c,omitzero"`
	Manual  Flag                 `json:"m,omitzero"`
}

// Flag is a truth value of a record, or why there is not one.
type Flag uint8

// The flags.
const (
	Absent Flag = iota
	Null
	False
	True
)

// nullAddress stands for null in Print.Address.
const nullAddress = 1

// PrintOf returns the print of a record at the service.
func PrintOf(held answer.Consent) (p Print) {
	for i, clause := range held.Clauses {
		p.Clauses[i] = flagOf(clause)
	}
	p.Manual = flagOf(held.Manual)

	if held.AgreementTime.Given {
		p.Time = held.AgreementTime.Value.UnixMilli()
	}
	if held.UserIPv6.Given {
		text := held.UserIPv6.Value
		if address, err := netip.ParseAddr(text); err == nil {
			text = address.Unmap().String() // the one spelling of an address
		}
		sum := sha256.Sum256([]byte(text))
		p.Address = max(nullAddress+1, binary.BigEndian.Uint32(sum[:]))
	} else if held.UserIPv6.Null {
		p.Address = nullAddress
	}

	return p
}

func flagOf(field answer.Optional[bool]) Flag {
	switch {
	case field.Null:
		return Null
	case field.Value:
		return True
	case field.Given:
		return False
	}

	return Absent
}
