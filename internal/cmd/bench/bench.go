// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/markdown"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/peak"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// unknown is a figure that could not be measured.
var unknown = math.NaN()

// bench is what measurements share.
type bench struct {
	options

	stage *stage.Stage
	note  func(format string, args ...any)
}

// cost is what a command took.
type cost struct {
	wall   time.Duration
	memory float64       // the provider's peak in bytes, or unknown
	cpu    time.Duration // of Terraform and the provider
}

// take keeps the shorter times and the higher peak.
func (c *cost) take(other cost) {
	if c.wall == 0 {
		*c = other
		return
	}
	c.wall, c.cpu, c.memory = min(c.wall, other.wall), min(c.cpu, other.cpu), max(c.memory, other.memory)
}

// initialize writes a configuration into a folder and runs init there.
func (b *bench) initialize(ctx context.Context, folder string, files map[string][]byte, env []string) (terraformcli.CLI, error) {
	dir := ""
	for name, content := range files {
		file, err := b.stage.Write(filepath.Join(folder, name), content)
		if err != nil {
			return terraformcli.CLI{}, err
		}
		dir = filepath.Dir(file)
	}

	tf := b.stage.Terraform.In(dir, env...)
	tf.Limit = timeLimit

	return tf, expect(ctx, tf, "successfully initialized", "init")
}

// measured runs a command that has to succeed and to print words, and returns its cost.
func (b *bench) measured(ctx context.Context, tf terraformcli.CLI, words string, args ...string) (cost, error) {
	memory := peak.Start(ctx, func(program, _ string) bool { return b.stage.IsProvider(program) })
	began := time.Now()
	res, err := result(ctx, tf, words, args...)
	return cost{wall: time.Since(began), memory: memory.Stop(), cpu: res.CPU}, err
}

// expect runs a command that has to succeed and to print words.
func expect(ctx context.Context, tf terraformcli.CLI, words string, args ...string) error {
	_, err := result(ctx, tf, words, args...)
	return err
}

// result runs a command that has to succeed and to print words, and returns its result.
func result(ctx context.Context, tf terraformcli.CLI, words string, args ...string) (terraformcli.Result, error) {
	res, err := tf.Run(ctx, args...)
	if err != nil {
		return res, err
	}

	if res.Code != 0 || !strings.Contains(res.Stdout, words) {
		return res, &terraformcli.UnexpectedError{
			Reason:     fmt.Sprintf("terraform %s ended with status %d, or without %q", args[0], res.Code, words),
			Transcript: res.Output,
		}
	}

	return res, nil
}

// grid is a table of texts.
type grid struct {
	title  string
	head   []string
	rows   [][]string
	remark string
}

// String returns the grid as it is printed, which is Markdown too.
func (g grid) String() string {
	text := g.title + "\n\n" + markdown.Table(g.head, g.rows)
	if g.remark != "" {
		text += "\n" + g.remark + "\n"
	}
	return text
}

func shown(figure float64, format func(float64) string) string {
	if math.IsNaN(figure) {
		return "unknown"
	}
	return format(figure)
}

func inSeconds(f float64) string   { return fmt.Sprintf("%.1f s", f) }
func hundredths(f float64) string  { return fmt.Sprintf("%.2f", f) }
func inMegabytes(f float64) string { return fmt.Sprintf("%.0f MB", f/1e6) }

// thousands formats 1234567 as 1,234,567.
func thousands(n int) string { return humanize.Comma(int64(n)) }

// stateSize returns the size of the state in bytes; 0 where there is none.
func stateSize(tf terraformcli.CLI) int64 {
	info, err := os.Stat(filepath.Join(tf.Dir, "terraform.tfstate"))
	if err != nil {
		return 0
	}
	return info.Size()
}

// operations counts requests by their operation.
func operations(entries []stage.Entry) map[string]int {
	counts := map[string]int{}
	for _, e := range entries {
		counts[e.Operation]++
	}
	return counts
}
