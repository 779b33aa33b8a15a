package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// exportedEvents is how many events the service has of every day; it has a session for
// every twenty and a person for every hundred of them.
const exportedEvents = 2000

const (
	// seededPeople is how many people are seeded.
	seededPeople = 1000
	// seedingRate is how many requests a second the seeding may make: so few that there
	// is progress to report.
	seedingRate = 360
)

// inspectAccess shows the file with a person's data by what it is, not by what it says,
// and compares it with the state.
func inspectAccess(_ context.Context, d *demo) error {
	file := filepath.Join(d.tf.Dir, "ada.json")
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}

	digest := digestOf(content)
	d.screen.say("ada.json  %s, %d bytes, sha256 %s", info.Mode(), len(content), digest)
	if info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		return errors.New("ada.json can be read by others")
	}

	return d.expectStored(digest)
}

// inspectExports shows the files of the day and compares them with the state. The
// events are counted, and the first one is read back.
func inspectExports(_ context.Context, d *demo) error {
	events, err := d.inspectExport("events")
	if err != nil {
		return err
	}
	if bytes.Count(events, []byte("\n")) != exportedEvents {
		return fmt.Errorf("the day has %d events", exportedEvents)
	}

	var first map[string]any
	if err := json.NewDecoder(bytes.NewReader(events)).Decode(&first); err != nil {
		return err
	}
	d.screen.say("The first event reads back with %s.", strings.Join(slices.Sorted(maps.Keys(first)), ", "))

	_, persons := d.inspectExport("persons")
	_, sessions := d.inspectExport("sessions")

	return errors.Join(persons, sessions)
}

// inspectExport shows the file of a kind, whose digest has to be in state, and returns
// what is packed in it.
func (d *demo) inspectExport(kind string) ([]byte, error) {
	packed, err := os.ReadFile(d.exportFile(kind))
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}

	digest := digestOf(packed)
	d.screen.say("yesterday/%s.ndjson.gz  %d lines, %d bytes packed into %d, sha256 %s",
		kind, bytes.Count(content, []byte("\n")), len(content), len(packed), digest)

	return content, d.expectStored(digest)
}

// expectNoExports fails where a file is left of an export that was destroyed.
func expectNoExports(_ context.Context, d *demo) error {
	left, err := filepath.Glob(d.exportFile("*"))
	if len(left) > 0 {
		return fmt.Errorf("still there: %v", left)
	}
	return err
}

func (d *demo) exportFile(kind string) string {
	return filepath.Join(d.tf.Dir, "yesterday", kind+".ndjson.gz")
}

// expectStored fails where the stored state lacks text.
func (d *demo) expectStored(text string) error {
	stored, err := d.stateFile()
	if err == nil && !strings.Contains(stored, text) {
		err = fmt.Errorf("the state lacks %q", text)
	}
	return err
}

// writePeople writes the file of people and slows their seeding down.
func writePeople(_ context.Context, d *demo) error {
	d.screen.say("consents.csv has %d rows; requests_per_second is %d, and TF_LOG_PROVIDER=INFO tells how it goes.", seededPeople, seedingRate)
	d.tf = d.tf.In(d.tf.Dir, "ANALYTICS_REQUESTS_PER_SECOND="+strconv.Itoa(seedingRate), "TF_LOG_PROVIDER=INFO")
	_, err := d.stage.Write(filepath.Join(seeding, "consents.csv"), peopleCSV(seededPeople))
	return err
}

// changeOneRow changes a row of the file, and lets the batch go as fast as it can.
func changeOneRow(_ context.Context, d *demo) error {
	d.screen.say("One row of the file says false now.")
	d.tf = d.tf.In(d.tf.Dir, "ANALYTICS_REQUESTS_PER_SECOND=", "TF_LOG_PROVIDER=")
	rows := bytes.Replace(peopleCSV(seededPeople), []byte("user-0007,true"), []byte("user-0007,false"), 1)
	_, err := d.stage.Write(filepath.Join(seeding, "consents.csv"), rows)
	return err
}

// peopleCSV returns a file with the consent of so many people.
func peopleCSV(n int) []byte {
	var b bytes.Buffer
	b.WriteString("identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,agreement_time,user_ipv6\n")
	for i := range n {
		fmt.Fprintf(&b, "user-%04d,true,%t,%t,false,false,2026-01-15T09:30:00Z,2001:db8::%x\n", i, i%2 == 0, i%3 == 0, i+1)
	}
	return b.Bytes()
}

var (
	progressLine  = regexp.MustCompile(`Consent batch under way: .*`)
	progressField = regexp.MustCompile(`\b(done|rows|rows_per_second|seconds_left)=\S+`)
)

// showProgress shows the lines of the log on the progress of a batch, without what a
// logger puts before and behind them.
func showProgress(_ context.Context, d *demo) error {
	lines := progressLine.FindAllString(d.last.Stderr, -1)
	if len(lines) == 0 {
		return errors.New("the log has nothing on the progress")
	}

	for i, line := range lines {
		fields := progressField.FindAllString(line, -1)
		slices.Sort(fields) // a logger writes them in any order
		lines[i] = "Consent batch under way: " + strings.Join(fields, " ")
	}
	d.screen.excerpt(lines)

	return nil
}

func digestOf(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }
