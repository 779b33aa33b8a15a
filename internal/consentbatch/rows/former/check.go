package former

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// column is a column of a CSV file, or a member of a JSON object. It has one of the two
// setters, by the form of its values.
type column struct {
	name     string // that of the attribute of analytics_consent
	required bool
	setText  func(*draft, string) error // the error completes a sentence about the column
	setBool  func(*draft, bool)
}

// columns are all columns that a row may have.
var columns = []column{
	{name: identityColumn, required: true, setText: (*draft).setIdentity},
	{name: "clause_1_consent", required: true, setBool: setClause(0)},
	{name: "clause_2_consent", required: true, setBool: setClause(1)},
	{name: "clause_3_consent", required: true, setBool: setClause(2)},
	{name: "clause_4_consent", required: true, setBool: setClause(3)},
	{name: "clause_5_consent", required: true, setBool: setClause(4)},
	{name: "user_ipv6", setText: (*draft).setAddress},
	{name: "agreement_time", setText: (*draft).setAgreed},
	{name: "manual", setBool: func(d *draft, value bool) { d.manual = value }},
}

const identityColumn = "identity_id"

func setClause(i int) func(*draft, bool) {
	return func(d *draft, value bool) { d.clauses[i] = value }
}

// columnNamed returns the index of a column; negative if there is none of that name.
func columnNamed(name string) int {
	return slices.IndexFunc(columns, func(c column) bool { return c.name == name })
}

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

// draft is the row being read.
type draft struct {
	line     int
	given    []bool // by column
	identity string
	clauses  [answer.Clauses]bool
	address  netip.Addr
	agreed   time.Time
	manual   bool
	anyTime  bool // agreed may lie in the future
}

// isGiven reports whether the row has a value for the column of that name.
func (d *draft) isGiven(name string) bool { return d.given[columnNamed(name)] }

// setIdentity leaves an identity that cannot be used empty, so that it is not compared with
// others.
func (d *draft) setIdentity(value string) error {
	if err := client.ValidateSegment(value); err != nil {
		return err
	}

	d.identity = value
	return nil
}

func (d *draft) setAddress(value string) (err error) {
	d.address, err = customtypes.ParseIPAddress(value)
	return err
}

func (d *draft) setAgreed(value string) (err error) {
	d.agreed, err = customtypes.ParseInstant(value)
	if err != nil || d.anyTime {
		return err
	}

	return tfkit.CheckAgreed(d.agreed)
}

// builder checks rows one by one and collects them.
type builder struct {
	format   Format
	shard    Shard
	kept     collected // of the shard
	others   collected // only to find repeated people
	problems Error
	read     int  // rows so far, bad ones included
	open     bool // a row was begun and not ended
	flagged  bool // the present row has a problem
	draft    draft
}

func newBuilder(format Format, shard Shard, anyTime bool) *builder {
	return &builder{
		format: format,
		shard:  shard,
		kept:   newCollected(format),
		others: newCollected(format),
		draft:  draft{given: make([]bool, len(columns)), anyTime: anyTime},
	}
}

// collected are rows that can be found by identity.
type collected struct {
	rows  *Rows
	index index
}

func newCollected(format Format) collected {
	rows := &Rows{format: format}
	return collected{rows, newIndex(rows)}
}

// begin starts a row.
func (b *builder) begin(line int) {
	b.read++
	b.open, b.flagged = true, false

	given := b.draft.given
	clear(given)
	b.draft = draft{line: line, given: given, manual: true, anyTime: b.draft.anyTime}
}

// problem records what is wrong with the present row.
func (b *builder) problem(format string, args ...any) {
	if !b.flagged {
		b.flagged = true
		b.problems.Rows++
	}

	if b.problems.Rows <= limitBadRows {
		where := place(b.format, b.draft.line, b.read)
		b.problems.texts = append(b.problems.texts, "line "+where+": "+fmt.Sprintf(format, args...))
	}
}

// text sets a column of text.
func (b *builder) text(i int, value string) {
	b.draft.given[i] = true

	if err := columns[i].setText(&b.draft, value); err != nil {
		b.problem("%s %v", columns[i].name, err)
	}
}

// boolean sets a column that is true or false.
func (b *builder) boolean(i int, value bool) {
	b.draft.given[i] = true
	columns[i].setBool(&b.draft, value)
}

// end checks the present row as a whole and adds it to those of its shard or to the others.
// expected tells which columns the file has.
func (b *builder) end(expected []bool) {
	b.open = false
	b.checkRequired(expected)

	if b.draft.identity == "" {
		return
	}

	to := &b.others
	if b.shard.Has(b.draft.identity) {
		to = &b.kept
	}

	if first, repeated := to.index.find(b.draft.identity); repeated {
		b.problem("identity_id is the same as in line %s; a person can have one row only", to.rows.Place(first))
		return
	}

	to.rows.add(&b.draft, b.read)
	to.index.enterLast()
}

// checkRequired reports required columns without a value.
func (b *builder) checkRequired(expected []bool) {
	for i, c := range columns {
		if c.required && expected[i] && !b.draft.given[i] {
			b.problem("%s is missing", c.name)
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
