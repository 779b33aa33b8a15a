package rows

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// columns are the columns or members of a row, named as the attributes of
// analytics_consent. Those up to the last clause are required.
var columns = []string{
	"identity_id",
	"clause_1_consent", "clause_2_consent", "clause_3_consent", "clause_4_consent", "clause_5_consent",
	"user_ipv6", "agreement_time", "manual",
}

// Indexes in columns. The clauses follow the first.
const (
	columnIdentity = 0
	columnClause1  = 1
	columnAddress  = columnClause1 + client.Clauses
	columnAgreed   = columnAddress + 1
	columnManual   = columnAgreed + 1
)

// Limits on what an Error says.
const (
	limitBadRows  = 100
	limitNames    = 10 // of unknown columns or members of one row
	limitNameShow = 40 // characters of such a name
)

// Error lists everything that is wrong with a file, one problem on each line. It holds no
// value of a row.
type Error struct {
	// Rows is how many rows have a problem; the header counts as a row.
	Rows  int
	texts []string
}

func (p *Error) Error() string {
	text := strings.Join(p.texts, "\n")
	if more := p.Rows - limitBadRows; more > 0 {
		text += fmt.Sprintf("\nand %d more rows with problems.", more)
	}

	return text
}

// isText reports whether the values of a column are text; others are true or false.
func isText(column int) bool {
	return column == columnIdentity || column == columnAddress || column == columnAgreed
}

// draft is the row being read.
type draft struct {
	line     int
	identity string
	given    [columnManual + 1]bool
	clauses  [client.Clauses]bool
	address  netip.Addr
	agreed   time.Time
	manual   bool
}

// setText sets a column of text. The error completes a sentence about the column.
func (d *draft) setText(column int, value string) (err error) {
	switch column {
	case columnIdentity:
		return d.setIdentity(value)
	case columnAddress:
		d.address, err = customtypes.ParseIPAddress(value)
	case columnAgreed:
		return d.setAgreed(value)
	}

	return err
}

// setIdentity leaves an identity that cannot be used empty, so that it is not compared with
// others.
func (d *draft) setIdentity(value string) error {
	if err := client.ValidateSegment(value); err != nil {
		return err
	}

	d.identity = value
	return nil
}

func (d *draft) setAgreed(value string) (err error) {
	d.agreed, err = customtypes.ParseInstant(value)
	if err != nil {
		return err
	}

	return tfkit.CheckAgreed(d.agreed)
}

// builder checks rows one by one and collects them.
type builder struct {
	rows     Rows
	problems Error
	index    index
	read     int  // rows so far, bad ones included
	open     bool // a row was begun and not ended
	flagged  bool // the present row has a problem
	draft    draft
}

func newBuilder(format Format) *builder {
	b := &builder{rows: Rows{format: format}}
	b.index = newIndex(&b.rows)

	return b
}

// begin starts a row.
func (b *builder) begin(line int) {
	b.read++
	b.open, b.flagged = true, false
	b.draft = draft{line: line, manual: true}
}

// problem records what is wrong with the present row.
func (b *builder) problem(format string, args ...any) {
	if !b.flagged {
		b.flagged = true
		b.problems.Rows++
	}

	if b.problems.Rows <= limitBadRows {
		where := place(b.rows.format, b.draft.line, b.read)
		b.problems.texts = append(b.problems.texts, "line "+where+": "+fmt.Sprintf(format, args...))
	}
}

// text sets a column of text.
func (b *builder) text(column int, value string) {
	b.draft.given[column] = true

	if err := b.draft.setText(column, value); err != nil {
		b.problem("%s %v", columns[column], err)
	}
}

// boolean sets a clause, or manual.
func (b *builder) boolean(column int, value bool) {
	b.draft.given[column] = true
	if column == columnManual {
		b.draft.manual = value
		return
	}

	b.draft.clauses[column-columnClause1] = value
}

// end checks the present row as a whole and adds it to the rows. expected tells which columns
// the file has.
func (b *builder) end(expected []bool) {
	b.open = false
	b.checkRequired(expected)

	if b.draft.identity == "" {
		return
	}

	if first, repeated := b.index.find(b.draft.identity); repeated {
		b.problem("identity_id is the same as in line %s; a person can have one row only", b.rows.Place(first))
		return
	}

	b.rows.add(&b.draft, b.read)
	b.index.enterLast()
}

// checkRequired reports required columns without a value.
func (b *builder) checkRequired(expected []bool) {
	for column, name := range columns[:columnAddress] {
		if expected[column] && !b.draft.given[column] {
			b.problem("%s is missing", name)
		}
	}
}

// everyColumn tells that a JSON object may have every column.
var everyColumn = slices.Repeat([]bool{true}, len(columns))

// shown returns the name of an unknown column for a message. A name that looks like personal
// data is not shown: if the header is missing, the first line is a person's row.
func shown(name string) string {
	if !looksLikeColumn(name) {
		return "(its name is not shown, because it looks like personal data)"
	}

	if runes := []rune(name); len(runes) > limitNameShow {
		name = string(runes[:limitNameShow]) + "…"
	}

	return strconv.Quote(name)
}

const (
	letters     = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits      = "0123456789"
	limitDigits = 5 // in the name of a column
)

// looksLikeColumn reports whether a name consists of letters, few digits, and separators.
func looksLikeColumn(name string) bool {
	count := 0
	for _, r := range name {
		if strings.ContainsRune(digits, r) {
			count++
		} else if !strings.ContainsRune(letters+"_-", r) {
			return false
		}
	}

	return count <= limitDigits
}
