// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/csv"
	"os"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawTimeline draws the events of later-choice.csv, in a lane for each who acts.
func drawTimeline(file string) error {
	f, err := os.Open("later-choice.csv")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return err
	}

	lanes := []string{"Terraform", "Configuration", "Ada"} // from the bottom
	p := plot.New()
	p.BackgroundColor = background
	p.Title.Text = "A later choice stands"
	p.Title.TextStyle.Font.Size, p.Title.TextStyle.Color, p.Title.Padding = 17, ink, 10
	p.X.Tick.Marker = plot.TimeTicks{Format: "2 Jan", Ticker: plot.ConstantTicks(months())}
	p.X.Color, p.X.Tick.Color, p.X.Tick.Label.Color, p.X.Tick.Label.Font.Size = ink, ink, ink, 15
	p.NominalY(lanes...)
	p.Y.Tick.Label.Font.Size, p.Y.Tick.Label.Color = 15, ink
	p.Y.Min, p.Y.Max = -0.6, 2.7

	for i, lane := range lanes {
		var points plotter.XYLabels
		for _, row := range rows[1:] {
			day, err := time.Parse(time.DateOnly, row[0])
			if err != nil {
				return err
			}
			if row[1] == lane {
				points.XYs = append(points.XYs, plotter.XY{X: float64(day.Unix()), Y: float64(i)})
				points.Labels = append(points.Labels, row[2])
			}
		}
		if err := addLane(p, points, i); err != nil {
			return err
		}
	}
	p.X.Min, p.X.Max = float64(months()[0].Value), months()[len(months())-1].Value

	return save(p, file, 560, 300)
}

// addLane adds the events of a lane, each with its text above its mark.
func addLane(p *plot.Plot, points plotter.XYLabels, lane int) error {
	marks, err := plotter.NewScatter(points.XYs)
	if err != nil {
		return err
	}
	marks.Color, marks.Shape, marks.Radius = ways[len(ways)-1-lane].color, draw.CircleGlyph{}, 6

	labels, err := plotter.NewLabels(points)
	if err != nil {
		return err
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font.Size, labels.TextStyle[i].Color = 15, ink
		labels.TextStyle[i].XAlign = text.XLeft
	}
	labels.Offset = vg.Point{X: -6, Y: 10}
	p.Add(marks, labels)

	return nil
}

// months are the marks below the time line.
func months() (ticks []plot.Tick) {
	for month := range slices.Values([]time.Month{1, 2, 3, 4, 5}) {
		day := time.Date(2026, month, 1, 0, 0, 0, 0, time.UTC)
		ticks = append(ticks, plot.Tick{Value: float64(day.Unix()), Label: day.Format("2 Jan")})
	}
	return ticks
}
