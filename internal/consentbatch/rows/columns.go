// SPDX-License-Identifier: MPL-2.0

package rows

import (
	"encoding/binary"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
)

// Row is the consent of one person. There may be millions of them.
type Row struct {
	Identity string
	Address  netip.Addr // the zero Addr for none
	Agreed   int64      // in milliseconds since 1970; 0 for none, which no agreement is of
	Clauses  [answer.Clauses]bool
	Manual   bool
	Position
}

// AgreedAt returns the time of the agreement; the zero Time for none.
func (r *Row) AgreedAt() time.Time {
	if r.Agreed == 0 {
		return time.Time{}
	}
	return time.UnixMilli(r.Agreed).UTC()
}

// Update returns the update that writes the row.
func (r *Row) Update() client.ConsentUpdate {
	return client.ConsentUpdate{Clauses: r.Clauses, UserIPv6: r.Address, AgreementTime: r.AgreedAt(), Manual: r.Manual}
}

// Values returns the values of the row by column: texts and truth values. A text that the row
// does not have is empty.
func (r *Row) Values() map[string]any {
	values := map[string]any{identityColumn: r.Identity, "user_ipv6": "", "agreement_time": "", "manual": r.Manual}
	for i, agrees := range r.Clauses {
		values[answer.ClauseNames[i]] = agrees
	}
	if r.Address.IsValid() {
		values["user_ipv6"] = r.Address.Unmap().String()
	}
	if r.Agreed != 0 {
		values["agreement_time"] = client.FormatInstant(r.AgreedAt())
	}

	return values
}

// Bits of a row in what is hashed, above those of the clauses.
const (
	bitManual uint64 = 1 << (answer.Clauses + iota)
	bitAddress
)

// appendTo appends the values of the row, of which Sum is a hash.
func (r *Row) appendTo(buffer []byte) []byte {
	var bits uint64
	for c, agrees := range r.Clauses {
		if agrees {
			bits |= 1 << c
		}
	}
	if r.Manual {
		bits |= bitManual
	}

	var address [16]byte
	if r.Address.IsValid() {
		bits |= bitAddress
		address = r.Address.As16()
	}

	buffer = binary.BigEndian.AppendUint64(buffer, uint64(len(r.Identity)))
	buffer = append(buffer, r.Identity...)
	buffer = append(buffer, address[:]...)
	buffer = binary.BigEndian.AppendUint64(buffer, uint64(r.Agreed)) //nolint:gosec // only its bits count

	return binary.BigEndian.AppendUint64(buffer, bits)
}

// column is a column of a CSV file, or a member of a JSON object. It has one of the two
// setters, by the form of its values.
type column struct {
	name     string // that of the attribute of analytics_consent
	required bool
	setText  func(*Row, string) error // the error completes a sentence about the column
	setBool  func(*Row, bool)
}

// columns are all columns that a row may have.
var columns = [columnCount]column{
	{name: identityColumn, required: true, setText: (*Row).setIdentity},
	{name: "clause_1_consent", required: true, setBool: setClause(0)},
	{name: "clause_2_consent", required: true, setBool: setClause(1)},
	{name: "clause_3_consent", required: true, setBool: setClause(2)},
	{name: "clause_4_consent", required: true, setBool: setClause(3)},
	{name: "clause_5_consent", required: true, setBool: setClause(4)},
	{name: "user_ipv6", setText: (*Row).setAddress},
	{name: "agreement_time", setText: (*Row).setAgreed},
	{name: "manual", setBool: func(r *Row, value bool) { r.Manual = value }},
}

const (
	columnCount    = answer.Clauses + 4
	identityColumn = "identity_id"
)

func setClause(i int) func(*Row, bool) {
	return func(r *Row, value bool) { r.Clauses[i] = value }
}

// columnNamed returns the index of a column; negative if there is none of that name.
func columnNamed(name string) int {
	return slices.IndexFunc(columns[:], func(c column) bool { return c.name == name })
}

// setIdentity leaves an identity that cannot be used empty, so that it is not compared with
// others.
func (r *Row) setIdentity(value string) error {
	if err := client.ValidateSegment(value); err != nil {
		return err
	}

	r.Identity = strings.Clone(value) // not the whole line
	return nil
}

func (r *Row) setAddress(value string) (err error) {
	r.Address, err = customtypes.ParseIPAddress(value)
	return err
}

func (r *Row) setAgreed(value string) error {
	agreed, err := customtypes.ParseInstant(value)
	if err == nil {
		r.Agreed = agreed.UnixMilli()
	}

	return err
}

// columnLike matches names of letters, separators and at most five digits.
var columnLike = regexp.MustCompile(`^[A-Za-z_-]*([0-9][A-Za-z_-]*){0,5}$`)

// shown returns the name of an unknown column for a message. A name that looks like personal
// data is not shown: if the header is missing, the first line is a person's row.
func shown(name string) string {
	if !columnLike.MatchString(name) {
		return "(its name is not shown, because it looks like personal data)"
	}
	if len(name) > limitNameShow {
		name = name[:limitNameShow] + "…"
	}

	return strconv.Quote(name)
}
