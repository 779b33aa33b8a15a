package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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

// exportedRecords is how many records of each kind the service has of every day.
var exportedRecords = map[string]int{"persons": exportedEvents / 100, "sessions": exportedEvents / 20, "events": exportedEvents}

// writeYesterday applies: the day in one file for each kind, of which one is read back.
func (d *demo) writeYesterday(ctx context.Context) error {
	res, err := d.terraform(ctx, 0, "apply", planFile("night"))
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^Apply complete!`))
	if err := d.expectExports("three files", 1); err != nil {
		return err
	}

	if err := d.inspectExports(ctx); err != nil {
		return err
	}
	if err := d.expectEmptyPlan(ctx, "exported"); err != nil {
		return err
	}

	if _, err := d.terraform(ctx, 0, "destroy", "-auto-approve"); err != nil {
		return err
	}
	for kind := range exportedRecords {
		if _, err := os.Stat(d.exported(kind)); !os.IsNotExist(err) {
			return fmt.Errorf("the file of %s is still there: %w", kind, err)
		}
	}
	d.screen.say("Destroyed, and with it the files that it had written.")
	return nil
}

// exported returns the path of a kind's file.
func (d *demo) exported(kind string) string {
	return filepath.Join(d.tf.Dir, "yesterday", kind+".ndjson.gz")
}

// inspectExports compares the files with the state and with the service.
func (d *demo) inspectExports(ctx context.Context) error {
	digests := map[string]any{}
	for _, kind := range slices.Sorted(maps.Keys(exportedRecords)) {
		digest, lines, err := d.readExport(kind)
		if err != nil {
			return err
		}
		if wanted := exportedRecords[kind]; len(lines) != wanted {
			return fmt.Errorf("the file of %s has %d lines, and the day %d records", kind, len(lines), wanted)
		}
		digests[kind] = digest
		if kind == "events" {
			if err := d.showRecord(lines[0]); err != nil {
				return err
			}
		}
	}

	held, err := d.readState(ctx)
	if err != nil {
		return err
	}
	if err := held.expect(exportAddress, map[string]any{"complete": true}); err != nil {
		return err
	}
	if got := held.of(exportAddress)["sha256_by_kind"]; !reflect.DeepEqual(got, digests) {
		return fmt.Errorf("state should have the digests %v and has %v", digests, got)
	}

	stored, err := d.stateFile()
	if err != nil {
		return err
	}
	if strings.Contains(stored, onlyInEvents) {
		return errors.New("the state holds events")
	}
	return nil
}

// readExport returns the lines of a kind's file, and shows the file by what it is.
func (d *demo) readExport(kind string) (digest string, lines []string, err error) {
	packed, err := os.ReadFile(d.exported(kind))
	if err != nil {
		return "", nil, fmt.Errorf("%s were not written: %w", kind, err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", nil, fmt.Errorf("the file of %s is not packed: %w", kind, err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return "", nil, fmt.Errorf("the file of %s cannot be unpacked: %w", kind, err)
	}

	sum := sha256.Sum256(packed)
	digest = hex.EncodeToString(sum[:])
	lines = strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	d.screen.say("yesterday/%s.ndjson.gz  %s lines, %s bytes packed into %s, sha256 %s",
		kind, strconv.Itoa(len(lines)), strconv.Itoa(len(content)), strconv.Itoa(len(packed)), digest)
	return digest, lines, nil
}

// showRecord shows the members of one event, which is the record alone.
func (d *demo) showRecord(line string) error {
	var record map[string]any
	if err := json.Unmarshal([]byte(line), &record); err != nil {
		return fmt.Errorf("a line is not a record: %w", err)
	}
	if _, wrapped := record["record"]; wrapped || !strings.Contains(line, onlyInEvents) {
		return errors.New("the first event is not a record alone")
	}
	d.screen.say("The first event reads back with %s.", strings.Join(slices.Sorted(maps.Keys(record)), ", "))
	return nil
}

func (d *demo) expectExports(what string, wanted int) error {
	if got := len(ofKind(d.requests, kindExport)); got != wanted {
		return fmt.Errorf("%s should ask for %s and made %s", what, plural(wanted, kindExport), count(d.requests))
	}
	return nil
}
