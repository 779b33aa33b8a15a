package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

const (
	nightlyExport = "nightly-export"
	exportAddress = "analytics_export_file.yesterday"

	// exportedEvents is how many events the service has of every day; it has a session
	// for every twenty and a person for every hundred of them.
	exportedEvents = 2000

	// onlyInEvents is a part of every event, which must be in no other place than the
	// file.
	onlyInEvents = "button.clicked"
)

// readYesterday plans with a data source: what a plan can say of a day.
func (d *demo) readYesterday(ctx context.Context) error {
	if err := d.enter(nightlyExport, "main.tf"); err != nil {
		return err
	}
	if _, err := d.terraform(ctx, 0, "init"); err != nil {
		return err
	}
	res, p, err := d.plan(ctx, stage.PlanChanges, "night")
	if err != nil {
		return err
	}
	if err := p.expect("create " + exportAddress); err != nil {
		return &stage.UnexpectedError{Reason: err.Error(), Transcript: res.All()}
	}
	d.screen.excerpt(matching(res.Stdout, `will be created$`, `^Plan:`, `\+ persons += `))
	if !strings.Contains(res.Stdout, fmt.Sprintf("persons = %d", exportedEvents/100)) {
		return &stage.UnexpectedError{Reason: "the plan does not say how many persons there are", Transcript: res.All()}
	}
	return d.expectExports("a plan with the data source", 1)
}

// writeYesterday applies: the day in a file.
func (d *demo) writeYesterday(ctx context.Context) error {
	res, err := d.terraform(ctx, 0, "apply", planFile("night"))
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^Apply complete!`))
	if err := d.expectExports("the file", 1); err != nil {
		return err
	}
	digest, lines, err := d.inspectExport("yesterday.ndjson.gz")
	if err != nil {
		return err
	}
	held, err := d.readState(ctx)
	if err != nil {
		return err
	}
	if err := held.expect(exportAddress, map[string]any{"sha256": digest, "complete": true}); err != nil {
		return err
	}
	if wanted := exportedEvents + exportedEvents/20 + exportedEvents/100; lines != wanted {
		return fmt.Errorf("the file has %d lines, and the day %d records", lines, wanted)
	}
	stored, err := d.stateFile()
	if err != nil {
		return err
	}
	if strings.Contains(stored, onlyInEvents) {
		return errors.New("the state holds events")
	}
	if err := d.expectEmptyPlan(ctx, "exported"); err != nil {
		return err
	}
	if _, err := d.terraform(ctx, 0, "destroy", "-auto-approve"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(d.tf.Dir, "yesterday.ndjson.gz")); !os.IsNotExist(err) {
		return fmt.Errorf("the file is still there: %w", err)
	}
	d.screen.say("Destroyed, and with it the file that it had written.")
	return nil
}

// inspectExport shows a packed export by what it is, and one line of it by its shape.
func (d *demo) inspectExport(name string) (digest string, lines int, err error) {
	packed, err := os.ReadFile(filepath.Join(d.tf.Dir, name))
	if err != nil {
		return "", 0, fmt.Errorf("the day was not written: %w", err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", 0, fmt.Errorf("%s is not packed: %w", name, err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return "", 0, fmt.Errorf("%s cannot be unpacked: %w", name, err)
	}
	if !bytes.Contains(content, []byte(onlyInEvents)) {
		return "", 0, fmt.Errorf("%s lacks the events", name)
	}
	lines = bytes.Count(content, []byte("\n"))
	sum := sha256.Sum256(packed)
	digest = hex.EncodeToString(sum[:])
	d.screen.say("%s  %s lines, %s bytes packed into %s, sha256 %s", name, strconv.Itoa(lines), strconv.Itoa(len(content)), strconv.Itoa(len(packed)), digest)
	return digest, lines, nil
}

func (d *demo) expectExports(what string, wanted int) error {
	if got := len(ofKind(d.requests, kindExport)); got != wanted {
		return fmt.Errorf("%s should ask for %s and made %s", what, plural(wanted, kindExport), count(d.requests))
	}
	return nil
}
