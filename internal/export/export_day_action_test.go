// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

const actionName = "analytics_export_day"

// invoked invokes the action and fails the test on an error.
func invoked(t *testing.T, p *prototest.Provider, config prototest.Attributes) prototest.Invocation {
	t.Helper()
	invocation := p.Invoke(actionName, config)
	p.NoErrors(invocation.Diagnostics)
	return invocation
}

// TestExportDay_saysWhatItWrote exports a day that is not over, and two kinds of one that is.
func TestExportDay_saysWhatItWrote(t *testing.T) {
	t.Parallel()

	part := strings.ReplaceAll(lines, day, today)
	for date, tc := range map[string]struct {
		config prototest.Attributes
		warns  []string // words of the warning of the plan and of the invocation
		says   string
	}{
		today: {
			prototest.Attributes{"utc_date": today, "allow_incomplete_day": true},
			[]string{"The day is not over", "a part of the day"},
			"4 records, 218 B, SHA-256 " + digest(part),
		},
		day: {
			prototest.Attributes{"path": filepath.Join(t.TempDir(), "{kind}"), "kinds": []any{"events", "persons"}},
			nil,
			"3 records, 89 B, SHA-256 of persons " + digest("{\"id\":\"p-2026-03-01\",\"name\":\"Jane Canary\"}\n") + ", of events " + digest(eventRecords),
		},
	} {
		t.Run(date, func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			config := file(target(t), tc.config)
			planned := p.PlanAction(actionName, config)
			p.NoErrors(planned)
			wantSaid(t, "warnings of the plan", planned.Warnings(), tc.warns)
			wantCount(t, service, 0)

			invocation := invoked(t, p, config)
			if diff := cmp.Diff([]string{"Exporting " + date + ".", "Written: " + tc.says + "."}, invocation.Progress); diff != "" {
				t.Errorf("unexpected messages (-want +got):\n%s", diff)
			}
			wantSaid(t, "warnings", invocation.Warnings(), tc.warns)
			wantCount(t, service, 1)
		})
	}
}

func TestExportDay_validationIsThatOfTheResource(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := target(t)
	for name, c := range map[string]struct {
		config prototest.Attributes
		valid  bool
	}{
		"nothing else":            {nil, true},
		"an empty path":           {prototest.Attributes{"path": ""}, false},
		"another compression":     {prototest.Attributes{"compression": "lzma"}, false},
		"lines of several kinds":  {prototest.Attributes{"with_kind": false}, false},
		"several kinds, one line": {prototest.Attributes{"with_kind": false, "kinds": []any{"events"}}, true},
		"a file for each kind":    {prototest.Attributes{"with_kind": false, "path": path + "{kind}"}, true},
		"half a scope":            {prototest.Attributes{"org_id": "other"}, false},
		"an account":              {prototest.Attributes{"account_id": "acct-7"}, false},
		"a day in the future":     {prototest.Attributes{"utc_date": tomorrow}, false},
		"the current day":         {prototest.Attributes{"utc_date": today}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			config := file(path, c.config)
			action := p.PlanAction(actionName, config).Errors()
			resource := p.Validate(fileName, config).Errors()
			if len(resource) == 0 {
				_, diags := p.Plan(fileName, nil, config)
				resource = diags.Errors()
			}

			if diff := cmp.Diff(resource, action); diff != "" || (len(action) == 0) != c.valid {
				t.Errorf("the action says %q (-resource +action):\n%s", action, diff)
			}
		})
	}

	for _, name := range []string{"verify", "on_destroy"} { // which the action does not have
		prototest.WantText(t, p.Validate(fileName, file(path, prototest.Attributes{name: "never"})).Errors(), "must be one of", name)
	}
	wantCount(t, service, 0)
}

// TestExportDay_refusals refuses what it must not write, in the plan as far as that can be seen
// there. The action owns nothing: its own file is that of somebody else in the next run.
func TestExportDay_refusals(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	folder, taken := t.TempDir(), target(t)
	write(t, taken, "theirs")
	if err := os.Mkdir(filepath.Join(folder, "events"), 0o700); err != nil {
		t.Fatal(err)
	}

	exists, notRegular := []string{"There is a file already", "overwrite = true", "path"}, []string{"not a regular file", "path"}
	notOver := []string{"The day is not over", "allow_incomplete_day = true"}
	mixed := []string{"One file for records of several kinds", "with_kind"}
	overwrite := prototest.Attributes{"overwrite": true}
	for _, tc := range []struct {
		config           prototest.Attributes
		planned, invoked []string // words of an error
	}{
		{file(taken, nil), exists, append(exists, "what was at path before is as it was")},
		{file(folder, overwrite), notRegular, notRegular},
		{file(folder+"/{kind}", overwrite), append(notRegular, "The file of events"), append(notRegular, "The file of events")},
		{file(folder+"/missing/day", nil), nil, []string{"The folder does not exist", "create_directories = true"}}, // it can still be created
		{file(folder+"/day", prototest.Attributes{"utc_date": today}), notOver, notOver},
		{file(folder+"/day", prototest.Attributes{"with_kind": false}), mixed, mixed},
	} {
		wantSaid(t, "errors of the plan", p.PlanAction(actionName, tc.config).Errors(), tc.planned)
		unplanned := p.InvokePlanned(actionName, tc.config, nil)
		wantSaid(t, "errors", unplanned.Errors(), tc.invoked)
	}
	wantContent(t, taken, "theirs")

	p.Reconfigure(prototest.Config(service).Without("org_id", "project_id"))
	prototest.WantText(t, p.PlanAction(actionName, file(folder+"/day", nil)).Errors(), "No usable scope")
	wantCount(t, service, 0)

	invoked(t, nextRun(t, service), file(taken, overwrite))
	wantContent(t, taken, lines)
	prototest.WantText(t, nextRun(t, service).Invoke(actionName, file(taken, nil)).Errors(), "There is a file already")
}

// TestExportDay_saysHowFarItIs lets an answer stall after 1.5 MB, until the client
// gives it up and reads the day from its beginning.
func TestExportDay_saysHowFarItIs(t *testing.T) {
	t.Parallel()

	path := target(t)
	prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutStall, CutAt: 1_500_000, Times: 1})
		p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"request_timeout": "100s"}))
		said := strings.Join(invoked(t, p, file(path, nil)).Progress, "\n")
		want := `^Exporting 2026-03-01\.\n(\d,\d{3} records, \d\.\d MiB so far\.\n){3}Written: 5,300 records, 2\.\d MiB, SHA-256 [0-9a-f]{64}\.$`
		if !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("it says %s", said)
		}
	}, func(s *mockserver.Server) { s.ExportRecords = 5_000 })
	prototest.WantAlone(t, path)
}
