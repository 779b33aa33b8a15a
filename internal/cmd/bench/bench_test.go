// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"flag"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

func TestTraffic_countsLooksWhileSomethingWaits(t *testing.T) {
	t.Parallel()
	at := func(second int) time.Time { return time.Date(2026, 3, 1, 0, 0, second, 0, time.UTC) }
	got := trafficOf([]stage.Entry{
		{Operation: "listPendingRequests", Status: http.StatusOK, At: at(0)}, // before anything was sent
		{Operation: "updateProfile", Status: http.StatusAccepted, At: at(1)},
		{Operation: "listPendingRequests", Status: http.StatusOK, At: at(2)},
		{Operation: "updateProfile", Status: http.StatusAccepted, At: at(3)},
		{Operation: "listPendingRequests", Status: http.StatusOK, At: at(4)},
		{Operation: "getProfile", Status: http.StatusOK, At: at(5)},
	})

	want := traffic{polls: 3, others: 3, waiting: 4 * time.Second, waitingPolls: 2}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(traffic{})); diff != "" {
		t.Errorf("unexpected traffic (-want +got):\n%s", diff)
	}
	if got.pollsPerSecond() != 0.5 || got.othersPer(2) != 1.5 {
		t.Errorf("%v looks per second, %v others for each", got.pollsPerSecond(), got.othersPer(2))
	}

	if none := trafficOf(nil); none.pollsPerSecond() == none.pollsPerSecond() {
		t.Error("a rate without time is known")
	}
}

func TestReading_hasARowForEachShape(t *testing.T) { //nolint:paralleltest // sets GOMAXPROCS
	b := &bench{options: options{records: 500}, note: func(string, ...any) {}}
	got, err := reading(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}

	for _, row := range []string{"object of arrays ", "array ", "NDJSON ", "NDJSON without a discriminator ", "object of arrays, gzip "} {
		if !strings.Contains(got.String(), "| "+row) {
			t.Errorf("there is no row for %sin\n%s", row, got)
		}
	}
}

func TestTable_setsManyBesideOne(t *testing.T) {
	t.Parallel()
	got := table{
		title: "Things", one: "1 thing", many: "1,000 things", remark: "A remark.",
		rows: []row{
			{"wall time", 2, 5, inSeconds},
			{"requests", 10, 12345, whole},
			{"memory", unknown, 30e6, inMegabytes},
		},
	}.String()

	want := `Things

|           | 1 thing | 1,000 things |    ratio |
|:--------- | -------:| ------------:| --------:|
| wall time |   2.0 s |        5.0 s |    x 2.5 |
| requests  |      10 |       12,345 | x 1234.5 |
| memory    | unknown |        30 MB |          |

A remark.
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected table (-want +got):\n%s", diff)
	}
}

func TestParse_flagsAreNumbersAndAName(t *testing.T) {
	t.Parallel()
	usual := options{many: 300, records: 1_000_000, sizes: []int{500, 5000}, resources: []int{500}, singles: 500, latencies: []time.Duration{0, 20 * time.Millisecond}}
	changed := func(change func(*options)) options {
		o := usual
		change(&o)
		return o
	}

	for args, want := range map[string]options{
		"":                         usual,
		"-n=20 -people=5":          changed(func(o *options) { o.many, o.sizes = 20, []int{5} }),
		"-only=exports -records=5": changed(func(o *options) { o.records, o.only = 5, "exports" }),
		"-latencies=1s":            changed(func(o *options) { o.latencies = []time.Duration{time.Second} }),
		"-only=generic -restapi=x": changed(func(o *options) { o.only, o.restapi = "generic", "x" }),
		"-n=0":                     {}, "-n=x": {}, "20": {}, "-only=other": {}, "-only=generic": {}, "-records=0": {}, "-people=": {}, "-people=1,0": {}, "-resources=x": {}, "-latencies=20": {}, "-latencies=-1s": {},
	} {
		got, err := parse(strings.Fields(args), io.Discard)
		if want.sizes == nil {
			if err == nil {
				t.Errorf("%q is accepted as %+v", args, got)
			}
			continue
		}

		if diff := cmp.Diff(want, got, cmp.AllowUnexported(options{})); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", args, err, diff)
		}
	}

	if _, err := parse([]string{"-h"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("help ended with %v", err)
	}
}

func TestExportGrid_comparesWithCurl(t *testing.T) {
	t.Parallel()
	runs := []exportRun{
		{cost{wall: time.Second, memory: unknown}, 400e6},
		{cost{wall: 4 * time.Second, memory: unknown}, 40e6},
		{cost{wall: 3 * time.Second, memory: 40e6}, 400e6},
		{cost{wall: 3 * time.Second, memory: 50e6}, 40e6},
		{cost{wall: time.Second, memory: 30e6}, 0},
	}
	var ways []way
	for _, name := range []string{"curl", "gzip", "plain", "packed", "empty"} {
		ways = append(ways, way{name: name})
	}

	got := exportGrid(1000, ways, runs, exportRun{cost{wall: 21 * time.Second, memory: 41e6}, 4000e6}).rows
	want := [][]string{
		{"curl", "1.0 s", "1.0 s", "400", "100%", "400%", "unknown"},
		{"gzip", "4.0 s", "4.0 s", "100", "25%", "100%", "unknown"},
		{"plain", "3.0 s", "2.0 s", "200", "50%", "200%", "40 MB"},
		{"packed", "3.0 s", "2.0 s", "200", "50%", "200%", "50 MB"},
		{"empty", "1.0 s", "", "", "", "", "30 MB"},
		{"ten times the day", "21.0 s", "20.0 s", "200", "", "", "41 MB"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected rows (-want +got):\n%s", diff)
	}
}
