// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse_flagsAreNumbersAndAName(t *testing.T) {
	t.Parallel()
	usual := options{records: 1_000_000, sizes: []int{500, 5000}, singles: 500, latencies: []time.Duration{0, 20 * time.Millisecond}}
	changed := func(change func(*options)) options {
		o := usual
		change(&o)
		return o
	}

	for args, want := range map[string]options{
		"":                         usual,
		"-people=5":                changed(func(o *options) { o.sizes = []int{5} }),
		"-only=exports -records=5": changed(func(o *options) { o.records, o.only = 5, "exports" }),
		"-latencies=1s":            changed(func(o *options) { o.latencies = []time.Duration{time.Second} }),
		"-only=generic -restapi=x": changed(func(o *options) { o.only, o.restapi = "generic", "x" }),
		"-n=20":                    {}, "20": {}, "-only=other": {}, "-only=generic": {}, "-records=0": {}, "-people=": {}, "-people=1,0": {}, "-latencies=20": {}, "-latencies=-1s": {},
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
