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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Row is the consent of one person. There may be millions of them.
type Row struct {
	Identity string
	choice.Record
	Position
}

const identityColumn = "identity_id"

// columns are the columns of a CSV file, or the members of a JSON object: the identity, and the fields
// of a record. The first ones are required.
var columns = append([]string{identityColumn}, answer.ConsentFields...)

const requiredColumns = 1 + answer.Clauses

// Cells returns the values of the row by column: texts and truth values. A text that the row
// does not have is empty.
func (r *Row) Cells() map[string]any {
	values := map[string]any{identityColumn: r.Identity}
	for _, name := range answer.ConsentFields {
		switch field := r.Field(name).(type) {
		case *bool:
			values[name] = *field
		case *string:
			values[name] = *field
		default:
			values[name] = ""
		}
	}
	if r.UserIPv6.IsValid() {
		values["user_ipv6"] = r.UserIPv6.Unmap().String()
	}
	if !r.AgreementTime.IsZero() {
		values["agreement_time"] = client.FormatInstant(r.AgreementTime)
	}

	return values
}

// Sum returns a hash of the values of all rows, in their order. It does not depend on the
// format or on the lines. States hold digests of it, so it must not change.
func Sum(rows []Row) (sum [sha256.Size]byte) {
	hash := sha256.New()
	for _, r := range rows {
		var at int64
		if !r.AgreementTime.IsZero() {
			at = r.AgreementTime.UnixMilli()
		}
		// An identity has no line break, and the other values have no space.
		fmt.Fprintf(hash, "%s %d %t %t %s\n", r.UserIPv6.Unmap(), at, r.Clauses, r.Manual, r.Identity)
	}

	hash.Sum(sum[:0])

	return sum
}

// setText sets a column that holds text. The error completes a sentence about the column. An identity
// that cannot be used is left empty, so that it is not compared with others.
func (r *Row) setText(column, text string) (err error) {
	if column == identityColumn {
		if err := client.ValidateSegment(text); err != nil {
			return err
		}
		r.Identity = strings.Clone(text) // not the whole line
		return nil
	}

	switch field := r.Field(column).(type) {
	case *netip.Addr:
		*field, err = formats.Address.Parse(text)
	case *time.Time:
		var at time.Time
		at, err = formats.Instant.Parse(text)
		if err == nil {
			*field = time.UnixMilli(at.UnixMilli()).UTC()
		}
	case *string:
		*field = strings.Clone(text)
	}

	return err
}

// flag returns the truth value of a column; nil if the column holds text.
func (r *Row) flag(column string) *bool {
	if column == identityColumn {
		return nil
	}
	flag, _ := r.Field(column).(*bool)

	return flag
}

// columnNamed returns the index of a column; negative if there is none of that name.
func columnNamed(name string) int { return slices.Index(columns, name) }

// shown returns the name of an unknown column for a message. A name that looks like personal
// data is not shown: if the header is missing, the first line is a person's row.
func shown(name string) string {
	if !jsonvalue.IsFieldName(name) {
		return "(its name is not shown, because it looks like personal data)"
	}
	return strconv.Quote(name)
}
