package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor"
)

// screen prints a report for people.
type screen struct {
	out    io.Writer
	colour bool
}

// newScreen returns a screen on standard output. It has colours on a terminal, unless
// NO_COLOR (https://no-color.org) or TERM=dumb says otherwise.
func newScreen(p Process) *screen {
	file, ok := p.Stdout.(*os.File)
	colour := ok && isTerminal(file) && p.Getenv("NO_COLOR") == "" && p.Getenv("TERM") != "dumb"
	return &screen{out: p.Stdout, colour: colour}
}

// Widths of the columns, in characters.
const (
	wordWidth  = 8
	checkWidth = 24
	textWidth  = 72
	lineWidth  = wordWidth + checkWidth + textWidth + 4
)

var wordColours = map[doctor.Word]text.Colors{
	doctor.OK:      {text.FgGreen},
	doctor.Unknown: {text.FgCyan},
	doctor.Differs: {text.FgYellow},
	doctor.Broken:  {text.FgRed, text.Bold},
}

// write prints the report.
func (s *screen) write(r *doctor.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", s.bold("analytics doctor "+r.Version+": "+r.Level))

	s.findings(&b, r.Findings)
	s.setup(&b, r.Setup, r.WireBlock)
	s.notAnswered(&b, r.NotAnswered)
	s.strangers(&b, r.Strangers)
	s.closing(&b, r)

	_, err := io.WriteString(s.out, b.String())

	return err
}

// findings prints a table for each group.
func (s *screen) findings(b *strings.Builder, findings []doctor.Finding) {
	for len(findings) > 0 {
		group := findings[0].Group
		rows := 0
		for rows < len(findings) && findings[rows].Group == group {
			rows++
		}

		fmt.Fprintf(b, "\n%s\n%s\n", s.bold(group), s.table(findings[:rows]))
		findings = findings[rows:]
	}
}

func (s *screen) table(findings []doctor.Finding) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleDefault)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.SuppressTrailingSpaces()
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, WidthMin: wordWidth},
		{Number: 2, WidthMin: checkWidth, WidthMax: checkWidth, WidthMaxEnforcer: text.WrapSoft},
		{Number: 3, WidthMax: textWidth, WidthMaxEnforcer: text.WrapSoft},
	})

	for _, f := range findings {
		t.AppendRow(table.Row{s.paint(wordColours[f.Word], string(f.Word)), f.Check, f.Text})
	}

	return t.Render()
}

// setup prints what a provider block for this service contains.
func (s *screen) setup(b *strings.Builder, setup doctor.Setup, wire string) {
	fmt.Fprintf(b, "\n%s\n", s.bold("For the provider block"))

	switch setup.PathFamily {
	case "project":
		b.WriteString("  org_id and project_id, and no account_id\n")
	case "account":
		b.WriteString("  account_id, and no org_id and project_id\n")
	}
	if setup.Credentials != "" {
		fmt.Fprintf(b, "  credentials: %s\n", setup.Credentials)
	}

	if wire == "" {
		b.WriteString("  no wire settings: as far as the command could see, the defaults fit\n")
		return
	}
	b.WriteString(indented(wire))
}

func (s *screen) notAnswered(b *strings.Builder, omissions []doctor.Omission) {
	if len(omissions) == 0 {
		return
	}

	fmt.Fprintf(b, "\n%s\n", s.bold("Not answered"))
	for _, o := range omissions {
		b.WriteString(bullet(o.Question + ": " + o.Why))
	}
}

// strangers prints what the provider does not understand, by name.
func (s *screen) strangers(b *strings.Builder, strangers []doctor.Stranger) {
	if len(strangers) == 0 {
		return
	}

	fmt.Fprintf(b, "\n%s\n", s.bold("Not understood by the provider (names only, for an issue report)"))
	for _, stranger := range strangers {
		b.WriteString(bullet(stranger.Where + " has " + strings.Join(stranger.Members, ", ")))
		for _, c := range stranger.Candidates {
			b.WriteString(indented(bullet(c.Member + " may be " + c.Field + ": " + c.Because)))
		}
	}
}

func (s *screen) closing(b *strings.Builder, r *doctor.Report) {
	var counts []string
	for _, w := range doctor.Words {
		counts = append(counts, fmt.Sprintf("%d %s", r.Count(w), s.paint(wordColours[w], string(w))))
	}
	fmt.Fprintf(b, "\n%s; %d answers, %d of them to logins; exit status %d\n", strings.Join(counts, ", "), r.Requests, r.LoginAttempts, r.ExitStatus)
}

func (s *screen) bold(line string) string { return s.paint(text.Colors{text.Bold}, line) }

func (s *screen) paint(colours text.Colors, line string) string {
	if !s.colour {
		return line
	}
	return colours.Sprint(line)
}

// bullet returns an item of a list, with lines of at most lineWidth characters.
func bullet(item string) string {
	lines := strings.Split(text.WrapSoft(item, lineWidth-4), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return "  - " + strings.Join(lines, "\n    ") + "\n"
}

// indented returns lines with two spaces in front.
func indented(lines string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n  ") + "\n"
}
