package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

const (
	seeding      = "seeding"
	batchAddress = "analytics_consent_batch.people"

	// seededPeople is how many people are seeded, and seedingRate how many requests a
	// second that may take: so slow that progress is worth telling.
	seededPeople = 1000
	seedingRate  = 360
)

// seedPeople seeds a file of people.
func (d *demo) seedPeople(ctx context.Context) error {
	if err := d.enter(seeding, "main.tf"); err != nil {
		return err
	}
	if _, err := d.stage.Write(filepath.Join(seeding, "consents.csv"), peopleCSV(seededPeople)); err != nil {
		return err
	}
	d.screen.say("consents.csv has %d rows; requests_per_second is %d, and TF_LOG_PROVIDER=INFO tells how it goes.", seededPeople, seedingRate)
	d.tf = d.tf.In(d.tf.Dir, "ANALYTICS_REQUESTS_PER_SECOND="+strconv.Itoa(seedingRate), "TF_LOG_PROVIDER=INFO")
	if _, err := d.terraform(ctx, 0, "init"); err != nil {
		return err
	}
	res, err := d.terraform(ctx, 0, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^Apply complete!`))
	progress := progressOf(res.Stderr)
	if len(progress) == 0 {
		return &stage.UnexpectedError{Reason: "nothing was said of the progress", Transcript: res.All()}
	}
	d.screen.excerpt(progress)
	if err := d.expectWrites("seeding", seededPeople); err != nil {
		return err
	}
	held, err := d.readState(ctx)
	if err != nil {
		return err
	}
	if err := held.expect(batchAddress, map[string]any{"rows": float64(seededPeople), "written": float64(seededPeople), "missing": float64(0)}); err != nil {
		return err
	}
	stored, err := d.stateFile()
	if err != nil {
		return err
	}
	if strings.Contains(stored, "user-00") || strings.Contains(stored, "2001:db8") {
		return fmt.Errorf("the state names people")
	}
	d.screen.say("Terraform's state has %d bytes, for all of them.", len(stored))
	return nil
}

// seedAgain changes one row, and one person chooses anew: one write, one choice kept.
func (d *demo) seedAgain(ctx context.Context) error {
	d.tf = d.tf.In(d.tf.Dir, "ANALYTICS_REQUESTS_PER_SECOND=", "TF_LOG_PROVIDER=")
	rows := bytes.Replace(peopleCSV(seededPeople), []byte("user-0007,true"), []byte("user-0007,false"), 1)
	if _, err := d.stage.Write(filepath.Join(seeding, "consents.csv"), rows); err != nil {
		return err
	}
	d.screen.say("One row of the file says false now.")
	res, err := d.terraform(ctx, 0, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	if err := d.expectWarning(res, batchAddress, 4); err != nil {
		return err
	}
	if err := d.expectWrites("one changed row", 1); err != nil {
		return err
	}
	if err := d.expectEmptyPlan(ctx, "seeded"); err != nil {
		return err
	}
	_, err = d.terraform(ctx, 0, "destroy", "-auto-approve")
	return err
}

// progressOf are the lines of a log that tell how far a batch has come, without what a
// logger puts before them.
func progressOf(log string) []string {
	var lines []string
	for line := range strings.Lines(log) {
		if _, told, found := strings.Cut(line, "Consent batch under way: "); found {
			var kept []string
			for word := range strings.FieldsSeq(told) {
				if name, _, _ := strings.Cut(word, "="); name == "done" || name == "rows" || name == "rows_per_second" || name == "seconds_left" {
					kept = append(kept, word)
				}
			}
			lines = append(lines, "Consent batch under way: "+strings.Join(kept, " "))
		}
	}
	return lines
}

// peopleCSV is a file with the consent of so many people.
func peopleCSV(n int) []byte {
	var b bytes.Buffer
	b.WriteString("identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,agreement_time,user_ipv6\n")
	for i := range n {
		fmt.Fprintf(&b, "user-%04d,true,%t,%t,false,false,2026-01-15T09:30:00Z,2001:db8::%x\n", i, i%2 == 0, i%3 == 0, i+1)
	}
	return b.Bytes()
}
