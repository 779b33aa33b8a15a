// SPDX-License-Identifier: MPL-2.0

package rows

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
)

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
