package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

// The objects of examples/data-rights.
const (
	profileAddress  = "analytics_profile.ada"
	accessAddress   = "analytics_data_access_request.ada"
	deletionAddress = "analytics_data_deletion.user_1001"
	consentAddress  = "data.analytics_consent.user_1001"
	pendingOutput   = "pending_deletions"
)

// onlyInData is a part of a person's data, in seed.json, that must be in no other
// place than the file.
const onlyInData = "asked for a hint"

func (d *demo) correctProfile(ctx context.Context) error {
	if err := d.enter(dataRights, "main.tf"); err != nil {
		return err
	}
	if _, err := d.terraform(ctx, 0, "init"); err != nil {
		return err
	}
	if err := d.add("profile.tf"); err != nil {
		return err
	}
	before, found, err := d.service.profile(ctx, choosing)
	if err != nil || !found {
		return orMissing(err, choosing, "profile")
	}
	d.screen.say("%-18s %s", choosing, before)
	if err := d.applyPlanned(ctx, "profile", "create "+profileAddress); err != nil {
		return err
	}
	if err := d.expectWrites("the correction", 1); err != nil {
		return err
	}
	return d.expectCorrected(ctx, before)
}

// expectCorrected fails unless the configured members were sent and are now at the
// service, and all others are what they were.
func (d *demo) expectCorrected(ctx context.Context, before profile) error {
	held, err := d.readState(ctx)
	if err != nil {
		return err
	}
	if err := held.expect(profileAddress, map[string]any{"fulfilled": true}); err != nil {
		return err
	}
	configured, err := profileOf(fmt.Sprint(held.of(profileAddress)["profile"]))
	if err != nil {
		return err
	}
	sent := ofKind(d.requests, kindWrite)[0]
	if len(sent.Fields) != len(configured) || sent.Status != http.StatusAccepted {
		return fmt.Errorf("the members %s were sent, and answered with status %d", strings.Join(sent.Fields, ", "), sent.Status)
	}
	after, found, err := d.service.profile(ctx, choosing)
	if err != nil || !found {
		return orMissing(err, choosing, "profile")
	}
	d.screen.say("%-18s %s", choosing, after)
	if wanted := before.with(configured); after.String() != wanted.String() {
		return fmt.Errorf("the profile should be %s", wanted)
	}
	if after.String() == before.String() {
		return errors.New("the profile is what it was before")
	}
	return d.expectEmptyPlan(ctx, "corrected")
}

func (d *demo) requestData(ctx context.Context) error {
	if err := d.add("access.tf"); err != nil {
		return err
	}
	if err := d.applyPlanned(ctx, "access", "create "+accessAddress); err != nil {
		return err
	}
	if n := accepted(ofKind(d.requests, kindAccess)); n != 1 {
		return fmt.Errorf("the data should be asked for once and was asked for %d times: %s", n, count(d.requests))
	}
	held, err := d.readState(ctx)
	if err != nil {
		return err
	}
	file := filepath.Join(d.tf.Dir, "ada.json")
	digest, err := d.inspect(file)
	if err != nil {
		return err
	}
	if err := held.expect(accessAddress, map[string]any{"fulfilled": true, "sha256": digest}); err != nil {
		return err
	}
	stored, err := d.stateFile()
	if err != nil {
		return err
	}
	if strings.Contains(stored, onlyInData) {
		return errors.New("the state holds the person's data")
	}
	d.screen.say("Terraform's state has that digest; her sessions and events are in the file only.")
	return d.expectEmptyPlan(ctx, "handed-out")
}

// inspect shows a file with a person's data by what it is, not by what it says, and
// returns its digest.
func (d *demo) inspect(file string) (digest string, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("the data was not written: %w", err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	digest = hex.EncodeToString(sum[:])
	d.screen.say("%s  %s, %d bytes, sha256 %s", filepath.Base(file), info.Mode(), len(content), digest)
	switch {
	case !json.Valid(content):
		return "", fmt.Errorf("%s is no JSON", filepath.Base(file))
	case !strings.Contains(string(content), onlyInData):
		return "", fmt.Errorf("%s lacks a part of the person's data", filepath.Base(file))
	case info.Mode().Perm() != 0o600 && runtime.GOOS != "windows":
		return "", fmt.Errorf("%s can be read by others", filepath.Base(file))
	}
	return digest, nil
}

func (d *demo) planDeletion(ctx context.Context) error {
	if err := d.add("deletion.tf"); err != nil {
		return err
	}
	res, p, err := d.plan(ctx, stage.PlanChanges, "deletion", "-var=wait_for_deletion=false")
	if err != nil {
		return err
	}
	if err := p.expect("create " + deletionAddress); err != nil {
		return &stage.UnexpectedError{Reason: err.Error(), Transcript: res.All()}
	}
	d.screen.excerpt(matching(res.Stdout, `will be created$`, `^Plan:`))
	if err := d.expectWarning(res, deletionAddress, 3); err != nil {
		return err
	}
	return d.expectWrites("a plan", 0)
}

func (d *demo) submitDeletion(ctx context.Context) error {
	res, err := d.terraform(ctx, 0, "apply", planFile("deletion"))
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^Apply complete!`, `^`+pendingOutput))
	if err := d.expectWrites("the deletion", 1); err != nil {
		return err
	}
	held, err := d.readState(ctx)
	if err != nil {
		return err
	}
	if pending := held.Values.Outputs[pendingOutput].Value; pending != float64(1) {
		return &stage.UnexpectedError{Reason: fmt.Sprintf("%v deletions are pending instead of one", pending), Transcript: res.All()}
	}
	return held.expect(deletionAddress, map[string]any{"fulfilled": false})
}

func (d *demo) awaitDeletion(ctx context.Context) error {
	before, err := d.service.consent(ctx, drifting)
	if err != nil {
		return err
	}
	res, err := d.terraform(ctx, 0, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^Apply complete!`, `^`+pendingOutput))
	if err := d.expectWrites("going on waiting", 0); err != nil {
		return err
	}
	held, err := d.readState(ctx)
	if err != nil {
		return err
	}
	if err := held.expect(deletionAddress, map[string]any{"fulfilled": true}); err != nil {
		return err
	}
	if pending := held.Values.Outputs[pendingOutput].Value; pending != float64(0) {
		return &stage.UnexpectedError{Reason: fmt.Sprintf("%v deletions are pending still", pending), Transcript: res.All()}
	}
	switch _, found, err := d.service.profile(ctx, drifting); {
	case err != nil:
		return err
	case found:
		return fmt.Errorf("the profile of %s is still there", drifting)
	}
	d.screen.say("%-18s has no profile any more", drifting)
	if err := held.expect(consentAddress, map[string]any{"clause_1_consent": before.Clause1, "clause_5_consent": before.Clause5}); err != nil {
		return err
	}
	if err := d.expectRecord(ctx, drifting, before); err != nil {
		return err
	}
	return d.expectEmptyPlan(ctx, "deleted")
}

// destroy lets go of the first two configurations: the second, of which nothing can be taken
// back, and then the first.
func (d *demo) destroy(ctx context.Context) error {
	if err := d.enter(dataRights); err != nil {
		return err
	}
	res, err := d.terraform(ctx, 0, "destroy", "-auto-approve")
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^Destroy complete!`))
	for _, address := range []string{deletionAddress, accessAddress} {
		if err := d.expectWarning(res, address, 1); err != nil {
			return err
		}
	}
	if err := d.expectWrites("forgetting", 0); err != nil {
		return err
	}
	if err := d.enter(quickstart); err != nil {
		return err
	}
	return d.destroyConsents(ctx)
}

// add takes one more file of the example into the configuration and shows it.
func (d *demo) add(file string) error {
	if _, err := d.stage.Example(dataRights, file); err != nil {
		return err
	}
	content, err := os.ReadFile(filepath.Join(d.tf.Dir, file))
	if err != nil {
		return err
	}
	d.screen.say("Added to the configuration, %s:", file)
	d.screen.excerpt(strings.Split(strings.TrimSpace(string(content)), "\n"))
	return nil
}

// applyPlanned plans, compares the plan with what it should do, and applies it.
func (d *demo) applyPlanned(ctx context.Context, name string, wanted ...string) error {
	res, p, err := d.plan(ctx, stage.PlanChanges, name)
	if err != nil {
		return err
	}
	if err := p.expect(slices.Clone(wanted)...); err != nil {
		return &stage.UnexpectedError{Reason: err.Error(), Transcript: res.All()}
	}
	d.screen.excerpt(matching(res.Stdout, `^Plan:`))
	res, err = d.terraform(ctx, 0, "apply", planFile(name))
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^Apply complete!`))
	return nil
}

func (d *demo) expectEmptyPlan(ctx context.Context, name string) error {
	res, _, err := d.plan(ctx, stage.PlanEmpty, name)
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^No changes\.`))
	return nil
}
