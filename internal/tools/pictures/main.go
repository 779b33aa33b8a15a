// SPDX-License-Identifier: MPL-2.0

// Command pictures draws the pictures of the documentation into .github/images: the charts
// of the figures page from the table that the bench wrote there, and the others from the
// files beside this one.
//
// The background is opaque, so that a picture reads the same in a light and a dark theme.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/goccy/go-graphviz"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pictures ROOT")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	images := filepath.Join(root, ".github", "images")
	if err := os.MkdirAll(images, 0o755); err != nil {
		return err
	}

	page, err := os.ReadFile(filepath.Join(root, "templates", "guides", "figures.md.tmpl"))
	if err != nil {
		return err
	}
	seedings, err := readSeedings(string(page))
	if err != nil {
		return err
	}
	for name, c := range charts {
		if err := drawChart(filepath.Join(images, name+".svg"), c, seedings); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}

	if err := drawTimeline(filepath.Join(images, "later-choice.svg")); err != nil {
		return fmt.Errorf("later-choice: %w", err)
	}

	return drawGraph(filepath.Join(images, "deferred.svg"))
}

// drawGraph draws deferred.dot.
func drawGraph(file string) error {
	ctx := context.Background()
	source, err := os.ReadFile("deferred.dot")
	if err != nil {
		return err
	}
	graph, err := graphviz.ParseBytes(source)
	if err != nil {
		return err
	}

	viz, err := graphviz.New(ctx)
	if err != nil {
		return err
	}
	var svg bytes.Buffer
	if err := viz.Render(ctx, graph, graphviz.SVG, &svg); err != nil {
		return err
	}

	return os.WriteFile(file, svg.Bytes(), 0o644)
}

// fontFamily matches the name of a font that only some machines have.
var fontFamily = regexp.MustCompile(`font-family:[^;"]*`)

// save writes a plot as an SVG of a size in points.
func save(p *plot.Plot, file string, width, height vg.Length) error {
	canvas := vgsvg.New(width, height)
	canvas.SetColor(background)
	canvas.Fill(vg.Rectangle{Max: vg.Point{X: width, Y: height}}.Path())
	// Room at the edges: a reader's font may be wider than the one that the text was measured in.
	p.Draw(draw.Crop(draw.New(canvas), 14, -30, 8, -8))
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}

	text := fontFamily.ReplaceAll(svg.Bytes(), []byte("font-family:Helvetica,Arial,sans-serif"))

	return os.WriteFile(file, text, 0o644)
}
