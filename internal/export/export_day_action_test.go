// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

const actionName = "analytics_export_day"

// invoked invokes the action and fails the test on an error.
func invoked(t *testing.T, p *prototest.Provider, config prototest.Attributes) prototest.Invocation {
	t.Helper()
	invocation := p.Invoke(actionName, config)
	p.NoErrors(invocation.Diagnostics)
	return invocation
}

// wantProgress fails the test if an action has shown other messages.
func wantProgress(t *testing.T, invocation prototest.Invocation, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, invocation.Progress); diff != "" {
		t.Errorf("unexpected messages (-want +got):\n%s", diff)
	}
}

func TestExportDay_writesTheDayAndSaysWhatItWrote(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := target(t)
	p.NoErrors(p.PlanAction(actionName, file(path, nil)))
	wantCount(t, service, 0)
	wantNothing(t, path)

	invocation := invoked(t, p, file(path, nil))
	wantProgress(t, invocation,
		"Exporting 2026-03-01.",
		"Written: 4 records (persons 1, sessions 1, events 2), 218 B, SHA-256 "+digest(lines)+".")
	if len(invocation.Diagnostics) > 0 {
		t.Errorf("it says %v", invocation.Texts())
	}

	wantCount(t, service, 1)
	wantContent(t, path, lines)
	for _, text := range invocation.Texts() {
		if strings.Contains(text, "Canary") || strings.Contains(text, filepath.Base(path)) {
			t.Errorf("a record or a path is in %s", text)
		}
	}
}

func TestExportDay_oneFileForEachKind(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	p := unkinded(t, service)
	service.PutExport(scope, day, mockserver.ExportDay{Events: []any{record(1)}, Others: []any{map[string]any{"x": 2}}})
	path, of := splitPath(t)
	invocation := invoked(t, p, splitFile(path, prototest.Attributes{"kinds": []any{"events", "persons"}}))
	wantProgress(t, invocation,
		"Exporting 2026-03-01.",
		"Written: 2 records (persons 0, events 1, unknown 1), 17 B, SHA-256 of persons "+digest("")+", of events "+digest("{\"id\":1}\n")+", of unknown "+digest("{\"x\":2}\n")+".")
	prototest.WantText(t, invocation.Warnings(), "Records of unknown kind")

	wantContent(t, of("persons"), "")
	wantContent(t, of("events"), "{\"id\":1}\n")
	wantContent(t, of("unknown"), "{\"x\":2}\n")
	wantNothingOf(t, of("sessions"))
}

// TestExportDay_defaultsAreThoseOfTheResource exports a day twice, and compares the files.
func TestExportDay_defaultsAreThoseOfTheResource(t *testing.T) {
	t.Parallel()

	for name, others := range map[string]prototest.Attributes{
		"nothing else": nil,
		"all of them":  {"compression": "gzip", "kinds": []any{"events"}, "with_kind": false, "org_id": mocktest.Org, "project_id": mocktest.Project},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, _ := start(t)
			byAction, byResource := target(t), target(t)
			invoked(t, p, file(byAction, others))
			created(t, p, file(byResource, others))
			wantContent(t, byAction, content(t, byResource))
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
		"no date":                 {prototest.Attributes{"utc_date": "2026-02-30"}, false},
		"an empty path":           {prototest.Attributes{"path": ""}, false},
		"no kinds":                {prototest.Attributes{"kinds": []any{}}, false},
		"an unknown kind":         {prototest.Attributes{"kinds": []any{"devices"}}, false},
		"a compression":           {prototest.Attributes{"compression": "zstd"}, true},
		"another compression":     {prototest.Attributes{"compression": "lzma"}, false},
		"no bytes":                {prototest.Attributes{"max_bytes": 0}, false},
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

	wantCount(t, service, 0)
}

func TestExportDay_existingFileIsRefusedByPlanAndInvocation(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := target(t)
	write(t, path, "theirs")

	prototest.WantText(t, p.PlanAction(actionName, file(path, nil)).Errors(), "There is a file already", "overwrite = true", "path")
	unplanned := p.InvokePlanned(t.Context(), actionName, file(path, nil), func(string) bool { return true })
	prototest.WantText(t, unplanned.Errors(), "There is a file already", "what was at path before is as it was")
	wantContent(t, path, "theirs")
	wantCount(t, service, 0)

	invoked(t, p, file(path, prototest.Attributes{"overwrite": true}))
	wantContent(t, path, lines)

	// The action owns nothing: its own file is an existing one for the next run.
	p = nextRun(t, service)
	prototest.WantText(t, p.Invoke(actionName, file(path, nil)).Errors(), "There is a file already")
	wantCount(t, service, 1)
}

func TestExportDay_planRefusesWhatIsNoFileOrHasNoScope(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "events"), 0o700); err != nil {
		t.Fatal(err)
	}

	overwrite := prototest.Attributes{"overwrite": true}
	prototest.WantText(t, p.PlanAction(actionName, file(folder, overwrite)).Errors(), "no regular file", "path")
	prototest.WantText(t, p.PlanAction(actionName, file(filepath.Join(folder, "{kind}"), overwrite)).Errors(), "The file of events", "no regular file")

	// A folder can still be created before the action is invoked.
	missing := filepath.Join(folder, "missing", "day")
	p.NoErrors(p.PlanAction(actionName, file(missing, nil)))
	prototest.WantText(t, p.Invoke(actionName, file(missing, nil)).Errors(), "The folder does not exist", "create_directories = true")

	p.Reconfigure(prototest.Config(service).Without("org_id", "project_id"))
	prototest.WantText(t, p.PlanAction(actionName, file(missing, nil)).Errors(), "No usable scope")
	wantCount(t, service, 0)
}

func TestExportDay_incompleteDay(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := target(t)
	config := file(path, prototest.Attributes{"utc_date": today})
	unplanned := p.InvokePlanned(t.Context(), actionName, config, func(string) bool { return true })
	prototest.WantText(t, unplanned.Errors(), "The day is not over", "allow_incomplete_day = true")
	wantProgress(t, unplanned)
	wantCount(t, service, 0)

	config = config.With(prototest.Attributes{"allow_incomplete_day": true})
	prototest.WantText(t, p.PlanAction(actionName, config).Warnings(), "The day is not over", "a part of the day")
	wantCount(t, service, 0)
	unplanned = p.InvokePlanned(t.Context(), actionName, config, func(string) bool { return true })
	prototest.WantText(t, unplanned.Warnings(), "The day is not over", "a part of the day")
	wantContent(t, path, strings.ReplaceAll(lines, day, today))
}

func TestExportDay_unknownValuesAreLeftToTheInvocation(t *testing.T) {
	t.Parallel()

	p, _ := start(t)
	path := target(t)
	write(t, path, "theirs")

	names := []string{"utc_date", "kinds", "compression", "with_kind", "max_bytes", "create_directories", "allow_incomplete_day", "org_id"}
	for _, name := range names {
		p.NoErrors(p.PlanAction(actionName, file(target(t), prototest.Attributes{name: prototest.Unknown})))
	}
	for _, name := range []string{"path", "kinds", "overwrite"} {
		p.NoErrors(p.PlanAction(actionName, file(path, prototest.Attributes{name: prototest.Unknown})))
	}

	late := file(target(t), prototest.Attributes{"with_kind": false})
	prototest.WantText(t, p.PlanKnownLater(actionName, late).Errors(), "One file for records of several kinds", "with_kind")
	unplanned := p.InvokePlanned(t.Context(), actionName, late, func(string) bool { return true })
	prototest.WantText(t, unplanned.Errors(), "One file for records of several kinds", "with_kind")
}

// startAt returns a provider and its mock server in a bubble, whose time is moved to a day
// after those of the tests.
func startAt(t *testing.T, settings prototest.Attributes, configure ...func(*mockserver.Server)) (*prototest.Provider, *mocktest.Instance) {
	t.Helper()
	<-time.After(time.Until(time.Date(2026, 3, 10, 2, 0, 0, 0, time.UTC)))
	service := mocktest.StartPipe(t, configure...)
	dial, closeAll := service.Tracked()
	t.Cleanup(closeAll)
	return prototest.MustStart(t, prototest.Config(service).With(settings), func(cfg *client.Config) { cfg.DialContext = dial }), service
}

// TestExportDay_saysHowFarItIs lets an answer stall after 1.5 MB, until the client
// gives it up and reads the day from its beginning.
func TestExportDay_saysHowFarItIs(t *testing.T) {
	t.Parallel()

	path := target(t)
	synctest.Test(t, func(t *testing.T) {
		p, service := startAt(t, prototest.Attributes{"request_timeout": "100s"},
			func(s *mockserver.Server) { s.ExportRecords = 5_000 })
		service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutStall, CutAt: 1_500_000, Times: 1})

		invocation := invoked(t, p, file(path, nil))
		want := []string{
			`^Exporting 2026-03-01\.$`,
			`^\d,\d{3} records, \d\.\d MiB so far\.$`, `^\d,\d{3} records, \d\.\d MiB so far\.$`, `^\d,\d{3} records, \d\.\d MiB so far\.$`,
			`^The answer broke off after [34],\d{3} records\. The day is read again from its beginning\.$`,
			`^Written: 5,300 records \(persons 50, sessions 250, events 5,000\), 2\.\d MiB, SHA-256 [0-9a-f]{64}\.$`,
		}
		if len(invocation.Progress) != len(want) {
			t.Fatalf("there are %d messages, want %d:\n%s", len(invocation.Progress), len(want), strings.Join(invocation.Progress, "\n"))
		}
		for i, pattern := range want {
			if !regexp.MustCompile(pattern).MatchString(invocation.Progress[i]) {
				t.Errorf("message %d is %q", i, invocation.Progress[i])
			}
		}
	})
	prototest.WantAlone(t, path)
}

// TestExportDay_answerWithoutEnd has a service that sends a record each minute, for ever.
func TestExportDay_answerWithoutEnd(t *testing.T) {
	t.Parallel()

	path := target(t)
	endless := func(s *mockserver.Server) {
		operations := s.Wrap
		s.Wrap = func(others http.Handler) http.Handler {
			others = operations(others)

			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, "/export") {
					others.ServeHTTP(w, r)
					return
				}

				w.Header().Set("Content-Type", "application/json")
				_, err := io.WriteString(w, `{"persons":[{"id":"p"}`)

				for err == nil && r.Context().Err() == nil {
					_ = http.NewResponseController(w).Flush()
					<-time.After(time.Minute)
					_, err = io.WriteString(w, `,{"id":"p"}`)
				}
			})
		}
	}

	synctest.Test(t, func(t *testing.T) {
		p, _ := startAt(t, prototest.Attributes{"request_timeout": "100s"}, endless)
		for name, export := range map[string]func() prototest.Diagnostics{
			"action": func() prototest.Diagnostics { return p.Invoke(actionName, file(path, nil)).Diagnostics },
			"resource": func() prototest.Diagnostics {
				_, diags := p.Create(fileName, file(path, nil))
				return diags
			},
		} {
			began := time.Now()
			diags := export()
			if took := time.Since(began).Round(time.Minute); took != 24*time.Hour {
				t.Errorf("%s: it took %s", name, took)
			}
			prototest.WantText(t, diags.Errors(), "The service did not answer in time", "24h", "what was at path before is as it was")
			if errors := diags.Errors(); len(errors) > 1 {
				t.Errorf("%s: there are %d errors", name, len(errors))
			}
		}
	})
	wantNothing(t, path)
}

// TestExportDay_interruptedLeavesNothing interrupts an export while its answer stalls, by
// the context and by a connection that is gone.
func TestExportDay_interruptedLeavesNothing(t *testing.T) {
	t.Parallel()

	for name, hears := range map[string]bool{"cancelled": true, "nobody listens": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			begun := make(chan struct{})
			p, service := start(t, func(s *mockserver.Server) {
				s.OnRequest = func(r mockserver.Request) {
					if r.Operation == mockserver.OpExportRecords {
						close(begun)
					}
				}
			})
			service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutStall, CutAt: 30, Times: -1})

			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-begun
				cancel()
			}()

			path := target(t)
			invocation := p.InvokePlanned(ctx, actionName, file(path, nil), func(string) bool { return hears })
			wantProgress(t, invocation, "Exporting 2026-03-01.")
			wantNothing(t, path)
		})
	}
}
