// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// seeding is a line of the bench's table.
type seeding struct {
	as      string
	people  float64
	latency string
	apply   float64 // seconds
	state   float64 // bytes
}

// readSeedings returns the lines of the table that the bench wrote into the figures page.
func readSeedings(page string) (list []seeding, err error) {
	_, section, found := strings.Cut(page, "<!-- bench: seeding -->")
	section, _, ends := strings.Cut(section, "<!-- bench ends -->")
	if !found || !ends {
		return nil, errors.New("the figures page has no section for seeding")
	}

	var head []string
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|:") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if head == nil {
			head = cells
			continue
		}
		cell := func(name string) string { return cells[slices.Index(head, name)] }
		list = append(list, seeding{
			as: cell("people as"), people: number(cell("people")), latency: cell("latency"),
			apply: number(strings.TrimSuffix(cell("apply"), " s")), state: 1000 * number(strings.TrimSuffix(cell("state"), " kB")),
		})
	}
	if len(list) == 0 {
		err = errors.New("the figures page has no seeding")
	}

	return list, err
}

// number returns a number with commas, and 0 where there is none.
func number(text string) float64 {
	n, _ := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	return n
}

// chart is people against something, both on a logarithmic scale.
type chart struct {
	title string
	value func(seeding) float64
}

var charts = map[string]chart{
	"people-seconds": {"Seconds of an apply", func(s seeding) float64 { return s.apply }},
	"people-state":   {"Bytes of state", func(s seeding) float64 { return s.state }},
}

var (
	ink        = color.RGBA{0x1f, 0x29, 0x33, 0xff}
	grid       = color.RGBA{0xd9, 0xdd, 0xe3, 0xff}
	background = color.RGBA{0xfd, 0xfd, 0xfb, 0xff}
)

// ways are the lines of a chart, with colours that differ in brightness too.
var ways = []struct {
	name  string
	color color.RGBA
	shape draw.GlyphDrawer
}{
	{"analytics_consent_batch", color.RGBA{0x0f, 0x76, 0x6e, 0xff}, draw.CircleGlyph{}},
	{"analytics_consent", color.RGBA{0xb4, 0x53, 0x09, 0xff}, draw.BoxGlyph{}},
	{"terraform_data", color.RGBA{0x6b, 0x7b, 0x8c, 0xff}, draw.PyramidGlyph{}},
}

func drawChart(file string, c chart, seedings []seeding) error {
	p := plot.New()
	p.BackgroundColor = background
	p.Title.Text = c.title + ", by number of people"
	p.Title.TextStyle.Font.Size, p.Title.TextStyle.Color = 17, ink
	p.Title.Padding = 8
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Scale, axis.Tick.Marker = plot.LogScale{}, decades{}
		axis.Color, axis.Tick.Color, axis.Tick.Label.Color = ink, ink, ink
		axis.Tick.Label.Font.Size = 14
	}
	lines := plotter.NewGrid()
	lines.Horizontal.Color, lines.Vertical.Color = grid, grid
	p.Add(lines)

	p.Legend.Top, p.Legend.Left, p.Legend.TextStyle.Font.Size, p.Legend.TextStyle.Color = true, true, 14, ink
	p.Legend.Padding, p.Legend.XOffs, p.Legend.YOffs = 3, 8, -4
	lowest, highest := math.Inf(1), 0.0
	for _, way := range ways {
		var points plotter.XYs
		for _, s := range seedings {
			if s.as == way.name && s.latency == "0s" {
				points = append(points, plotter.XY{X: s.people, Y: c.value(s)})
				lowest, highest = min(lowest, c.value(s)), max(highest, c.value(s))
			}
		}
		if len(points) == 0 {
			continue
		}

		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, line.Width = way.color, 2.5
		marks.Color, marks.Shape, marks.Radius = way.color, way.shape, 4
		p.Add(line, marks)
		p.Legend.Add(way.name, line, marks)
	}
	p.Y.Min, p.Y.Max = lowest/2, highest*30 // room for the legend

	return save(p, file, 460, 330)
}

// decades marks the powers of ten, in words that are short.
type decades struct{}

func (decades) Ticks(low, high float64) (ticks []plot.Tick) {
	labels := map[int]string{-1: "0.1", 0: "1", 1: "10", 2: "100", 3: "1,000", 4: "10,000", 5: "100,000", 6: "1 million", 7: "10 million", 8: "100 million"}
	for power, value := -1, 0.1; power <= 8; power, value = power+1, value*10 {
		if value >= low*0.99 && value <= high*1.01 {
			ticks = append(ticks, plot.Tick{Value: value, Label: labels[power]})
		}
	}
	return ticks
}
