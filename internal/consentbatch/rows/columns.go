// SPDX-License-Identifier: MPL-2.0

package rows

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
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

// Sum returns a hash of the values of all rows, in their order. It does not depend on the
// format or on the lines. States hold digests of it, so it must not change.
func Sum(rows []Row) (sum [sha256.Size]byte) {
	hash := sha256.New()
	for _, r := range rows {
		// An identity has no line break, and the other values have no space.
		fmt.Fprintf(hash, "%s %d %t %t %s\n", r.Address.Unmap(), r.Agreed, r.Clauses, r.Manual, r.Identity)
	}

	hash.Sum(sum[:0])

	return sum
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
	r.Address, err = formats.Address.Parse(value)
	return err
}

func (r *Row) setAgreed(value string) error {
	agreed, err := formats.Instant.Parse(value)
	if err == nil {
		r.Agreed = agreed.UnixMilli()
	}

	return err
}

// shown returns the name of an unknown column for a message. A name that looks like personal
// data is not shown: if the header is missing, the first line is a person's row.
func shown(name string) string {
	if !jsonvalue.IsFieldName(name) {
		return "(its name is not shown, because it looks like personal data)"
	}
	return strconv.Quote(name)
}
