// SPDX-License-Identifier: MPL-2.0

// Package markdown prints tables that read well on a terminal and in a Markdown page.
package markdown

import (
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table returns a table with columns of equal width and a line break at its end. The first
// column is aligned to the left, and the others, which are figures, to the right.
func Table(head []string, lines [][]string) string {
	t := table.NewWriter()
	t.SetStyle(table.Style{Markdown: table.MarkdownOptions{PadContent: true}})

	columns := []table.ColumnConfig{{Number: 1, Align: text.AlignLeft, AlignHeader: text.AlignLeft}}
	for i := range head[1:] {
		columns = append(columns, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)

	t.AppendHeader(row(head))
	for _, line := range lines {
		t.AppendRow(row(line))
	}

	return t.RenderMarkdown() + "\n"
}

func row(cells []string) (r table.Row) {
	for _, cell := range cells {
		r = append(r, cell)
	}
	return r
}
