package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

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
	memory float64 // the provider's peak in bytes, or unknown
}

// take keeps the shorter time and the higher peak.
func (c *cost) take(other cost) {
	if c.wall == 0 {
		*c = other
		return
	}
	c.wall, c.memory = min(c.wall, other.wall), max(c.memory, other.memory)
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
	err := expect(ctx, tf, words, args...)
	return cost{time.Since(began), memory.Stop()}, err
}

// expect runs a command that has to succeed and to print words.
func expect(ctx context.Context, tf terraformcli.CLI, words string, args ...string) error {
	res, err := tf.Run(ctx, args...)
	if err != nil {
		return err
	}

	if res.Code != 0 || !strings.Contains(res.Stdout, words) {
		return &terraformcli.UnexpectedError{
			Reason:     fmt.Sprintf("terraform %s ended with status %d, or without %q", args[0], res.Code, words),
			Transcript: res.Output,
		}
	}

	return nil
}
