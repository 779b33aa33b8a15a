// SPDX-License-Identifier: MPL-2.0

//go:build linux

package provider_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
)

// childrenOf returns the processes that the threads of a process have started.
func childrenOf(parent int) (children []string) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread may have ended
		children = append(children, strings.Fields(string(text))...)
	}

	return children
}

// isAlive reports whether a process exists and has not ended.
func isAlive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// waitUntil polls a condition on another process, and reports whether it was met.
func waitUntil(limit time.Duration, condition func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		if condition() {
			return true
		}
	}
	return false
}

// endsWithin is the promised ten seconds, with room for a busy machine.
const endsWithin = 15 * time.Second

func TestCLIProvider_endsAfterAKilledTerraform(t *testing.T) {
	t.Parallel()
	rows := header
	for n := range 400 {
		rows += fmt.Sprintf("user-%d,true,true,true,true,true\n", n)
	}

	const deletion = `resource "analytics_data_deletion" "x" { identity_id = "user-1" }`
	for name, tc := range map[string]struct {
		configuration string
		operation     string // that is under way at the kill
		latency       time.Duration
	}{
		"while it waits":     {deletion, mockserver.OpListPendingRequests, 0},
		"while it submits":   {deletion, mockserver.OpDeleteAllData, 2 * time.Second},
		"while a batch runs": {`resource "analytics_consent_batch" "x" { source = "people.csv" }`, mockserver.OpUpdateConsent, 200 * time.Millisecond},
		"while it exports":   {"resource \"analytics_export_file\" \"x\" {\n utc_date = \"2026-01-01\"\n path = \"day.ndjson\"\n}\n", mockserver.OpExportRecords, 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t, func(s *mockserver.Server) {
				s.Latency, s.FulfilmentDelay, s.ExportRecords = tc.latency, time.Hour, 2_000_000
			})

			cli := clitest.New(t, tc.configuration, service.Environment())
			cli.Write("people.csv", rows)
			terraform := cli.Command(t.Context(), "apply", "-auto-approve")
			if err := terraform.Start(); err != nil {
				t.Fatal(err)
			}
			if !waitUntil(time.Minute, func() bool { return service.Count(tc.operation) > 0 }) {
				t.Fatal("it never came so far")
			}

			providers := childrenOf(terraform.Process.Pid)
			_ = terraform.Process.Kill()
			_ = terraform.Wait()
			if !waitUntil(endsWithin, func() bool { return !slices.ContainsFunc(providers, isAlive) }) || len(providers) == 0 {
				t.Fatalf("of the processes %v some are there after %v", providers, endsWithin)
			}
			if deletions := service.Count(mockserver.OpDeleteAllData); deletions > 1 {
				t.Errorf("%d deletions were sent", deletions)
			}
		})
	}
}

// TestCLIProvider_unsolicitedAnswersAreNotLogged answers each request twice.
func TestCLIProvider_unsolicitedAnswersAreNotLogged(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 jane.canary\r\n\r\n"))
	}))
	t.Cleanup(server.Close)

	output := clitest.New(t, `data "analytics_current_user" "me" {}`, map[string]string{
		"ANALYTICS_BASE_URL": server.URL, "ANALYTICS_API_SECRET_KEY": "k", "TF_LOG": "TRACE",
	}).MustRun("plan").Output
	if !strings.Contains(output, "Request to the analytics service answered") {
		t.Error("the provider's own log is not in what was searched")
	}
	if strings.Contains(output, "Unsolicited") || strings.Contains(output, "jane.canary") {
		t.Error("what came without a request is in the log")
	}
}
