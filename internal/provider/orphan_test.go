// SPDX-License-Identifier: MPL-2.0

//go:build linux

package provider_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// childrenOf returns the processes that a process has started and that have not ended.
func childrenOf(t *testing.T, parent int) (children []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if state, of := statOf(pid); err == nil && of == strconv.Itoa(parent) && state != "Z" {
			children = append(children, pid)
		}
	}

	return children
}

// statOf returns the state of a process and its parent; empty if the process does not exist.
func statOf(pid int) (state, parent string) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", ""
	}
	_, behind, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(behind)
	return fields[0], fields[1]
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
	var rows strings.Builder
	rows.WriteString("identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent\n")

	for n := range 400 {
		fmt.Fprintf(&rows, "user-%d,true,true,true,true,true\n", n)
	}

	for name, tc := range map[string]struct {
		configuration string
		operation     string // that is under way at the kill
		latency       time.Duration
	}{
		"while it waits":     {`resource "analytics_data_deletion" "x" { identity_id = "user-1" }`, mockserver.OpListPendingRequests, 0},
		"while a batch runs": {`resource "analytics_consent_batch" "x" { source = "people.csv" }`, mockserver.OpUpdateConsent, 200 * time.Millisecond},
		"while it exports": {`resource "analytics_export_file" "x" {
  utc_date = "2026-01-01"
  path     = "day.ndjson"
}`, mockserver.OpExportRecords, 300 * time.Millisecond},
		"while it submits": {`resource "analytics_data_deletion" "x" { identity_id = "user-1" }`, mockserver.OpDeleteAllData, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t, func(s *mockserver.Server) {
				s.Latency, s.FulfilmentDelay, s.ExportRecords = tc.latency, time.Hour, 2_000_000
			})

			cli := clitest.New(t, tc.configuration, service.Environment())
			if err := os.WriteFile(cli.Dir+"/people.csv", []byte(rows.String()), 0o600); err != nil {
				t.Fatal(err)
			}

			terraform := cli.Command(t.Context(), "apply", "-auto-approve")
			if err := terraform.Start(); err != nil {
				t.Fatal(err)
			}
			if !waitUntil(time.Minute, func() bool { return service.Count(tc.operation) > 0 }) {
				t.Fatal("it never came so far")
			}

			providers := childrenOf(t, terraform.Process.Pid)
			_ = terraform.Process.Kill()
			_ = terraform.Wait()

			ended := waitUntil(endsWithin, func() bool {
				return !slices.ContainsFunc(providers, func(pid int) bool { state, _ := statOf(pid); return state != "" && state != "Z" })
			})
			if len(providers) == 0 || !ended {
				for _, pid := range providers {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
				t.Fatalf("of the processes %v some are there after %v", providers, endsWithin)
			}

			if deletions := service.Count(mockserver.OpDeleteAllData); deletions > 1 {
				t.Errorf("%d deletions were sent", deletions)
			}
		})
	}
}

func TestCLIProvider_unsolicitedAnswersAreNotLogged(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()

	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}

			go answerTwice(conn)
		}
	}()

	cli := clitest.New(t, `data "analytics_current_user" "me" {}`, map[string]string{
		"ANALYTICS_BASE_URL": "http://" + listener.Addr().String(), "ANALYTICS_API_SECRET_KEY": "k", "TF_LOG": "TRACE",
	})

	output := cli.MustRun("plan").Output

	if !strings.Contains(output, "Request to the analytics service answered") {
		t.Error("the provider's own log is not in what was searched")
	}
	if strings.Contains(output, "Unsolicited") || strings.Contains(output, "jane.canary") {
		t.Error("what came without a request is in the log")
	}
}

// answerTwice answers each request of a connection twice.
func answerTwice(conn net.Conn) {
	defer conn.Close()

	reader := bufio.NewReader(conn)
	for {
		if _, err := http.ReadRequest(reader); err != nil {
			return
		}
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 jane.canary\r\n\r\n"))
	}
}
