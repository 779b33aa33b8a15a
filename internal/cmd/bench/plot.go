package main

import (
	"bytes"
	"fmt"
	"math"
	"time"
)

// The plot of seeding, in the units of its viewBox. Both axes are logarithmic.
const (
	plotWidth, plotHeight   = 720, 420
	plotLeft, plotRight     = 70, 700
	plotTop, plotBottom     = 50, 360
	plotMinTime, plotMaxing = 0.3, 1000.0
)

// series is one line of the plot.
type series struct {
	label, colour string
	dashed        bool
	x, y          []float64
}

// plotSeeding draws plan and apply together over the number of people, as an SVG that
// reads on light and dark pages.
func plotSeeding(all []seeded) []byte {
	lines := []series{
		lineOf(all, consentsSeeder.name, 20*time.Millisecond, "analytics_consent, 20 ms latency", "#d62728", false),
		lineOf(all, consentsSeeder.name, 0, "analytics_consent, no latency", "#d62728", true),
		lineOf(all, dataSeeder.name, 0, "terraform_data: Terraform alone", "#7f7f7f", true),
		lineOf(all, batchSeeder.name, 20*time.Millisecond, "analytics_consent_batch, 20 ms latency", "#1f77b4", false),
		lineOf(all, batchSeeder.name, 0, "analytics_consent_batch, no latency", "#1f77b4", true),
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<text x="%d" y="22" font-size="15">Seeding consent: seconds for plan and apply, by the number of people</text>`+"\n", plotLeft)
	lowest, highest := bounds(lines)
	axes(&b, lowest, highest)
	for i, l := range lines {
		l.draw(&b, lowest, highest)
		y := plotTop + 16*i
		fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="2"%s/>`, plotLeft+12, y, plotLeft+40, y, l.colour, l.dashes())
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", plotLeft+46, y+4, l.label)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func lineOf(all []seeded, seeder string, latency time.Duration, label, colour string, dashed bool) series {
	l := series{label: label, colour: colour, dashed: dashed}
	for _, s := range all {
		if s.seeder == seeder && s.latency == latency {
			l.x, l.y = append(l.x, float64(s.people)), append(l.y, (s.plan+s.apply).Seconds())
		}
	}
	return l
}

func bounds(lines []series) (lowest, highest float64) {
	lowest, highest = math.Inf(1), 0
	for _, l := range lines {
		for _, x := range l.x {
			lowest, highest = min(lowest, x), max(highest, x)
		}
	}
	return lowest, max(highest, lowest*1.1)
}

func plotX(x, lowest, highest float64) float64 {
	return plotLeft + (plotRight-plotLeft)*(math.Log(x)-math.Log(lowest))/(math.Log(highest)-math.Log(lowest))
}

func plotY(seconds float64) float64 {
	seconds = min(max(seconds, plotMinTime), plotMaxing)
	return plotBottom - (plotBottom-plotTop)*(math.Log(seconds)-math.Log(plotMinTime))/(math.Log(plotMaxing)-math.Log(plotMinTime))
}

func axes(b *bytes.Buffer, lowest, highest float64) {
	for _, seconds := range []float64{1, 10, 100, 1000} {
		y := plotY(seconds)
		fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#dddddd"/><text x="%d" y="%.1f" text-anchor="end">%.0f s</text>`+"\n", plotLeft, y, plotRight, y, plotLeft-8, y+4, seconds)
	}
	for _, people := range []int{100, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000} {
		if float64(people) < lowest || float64(people) > highest {
			continue
		}
		x := plotX(float64(people), lowest, highest)
		fmt.Fprintf(b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#dddddd"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x, plotTop, x, plotBottom, x, plotBottom+18, thousands(people))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">people</text>`+"\n", (plotLeft+plotRight)/2, plotBottom+40)
}

func (l series) dashes() string {
	if l.dashed {
		return ` stroke-dasharray="5 4"`
	}
	return ""
}

func (l series) draw(b *bytes.Buffer, lowest, highest float64) {
	fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="2"%s points="`, l.colour, l.dashes())
	for i := range l.x {
		fmt.Fprintf(b, "%.1f,%.1f ", plotX(l.x[i], lowest, highest), plotY(l.y[i]))
	}
	b.WriteString("\"/>\n")
	for i := range l.x {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", plotX(l.x[i], lowest, highest), plotY(l.y[i]), l.colour)
	}
}
