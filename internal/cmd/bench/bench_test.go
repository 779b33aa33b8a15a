// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
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
		"-before=old":              changed(func(o *options) { o.before = "old" }),
		"-only=seeding":            changed(func(o *options) { o.only = "seeding" }),
		"20":                       {}, "-only=other": {}, "-records=0": {}, "-people=": {}, "-people=1,0": {}, "-people=1000001": {}, "-latencies=20": {}, "-latencies=-1s": {},
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

func TestService_countsTheRequestsSinceTheLastCall(t *testing.T) {
	t.Parallel()
	s := &service{log: filepath.Join(t.TempDir(), "requests")}
	text := ""
	for _, step := range []struct {
		logged string
		want   map[string]int
	}{
		{"1 getConsent GET /v1: 200\n2 updateConsent PATCH /v1: 200\n3 getConsent GET /v1: 404\n", map[string]int{"getConsent": 2, "updateConsent": 1}},
		{"", map[string]int{}},
		{"4 getConsent GET /v1: 200\n", map[string]int{"getConsent": 1}},
	} {
		text += step.logged
		if err := os.WriteFile(s.log, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		got, err := s.requests()
		if diff := cmp.Diff(step.want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

// TestDayGrid_pairsWaysWithinARound has rounds of which one is slow for all ways.
func TestDayGrid_pairsWaysWithinARound(t *testing.T) {
	t.Parallel()
	day := shapeDay{shape: "array", ways: slices.Concat(ways[:4], ways[6:])}
	for _, slow := range []int{1, 3, 1} {
		var round []exported
		for i, ms := range []int{2000, 2500, 500, 400, 4300, 300} {
			took := time.Duration(slow*ms) * time.Millisecond
			memory := 40e6 + float64(slow)*1e6
			if day.ways[i].shell != "" {
				memory = math.NaN()
			}
			round = append(round, exported{cost{wall: took, cpu: took / 2, memory: memory}, 400e6})
		}
		day.rounds = append(day.rounds, round)
	}

	got := dayGrid(1000, []shapeDay{day}, []exported{
		{cost{wall: 21 * time.Second, cpu: 3 * time.Second, memory: 41e6}, 4000e6}, {cost{wall: time.Second, cpu: time.Second / 2}, 0},
	}).rows
	want := [][]string{
		{"the bare loop", "array", "2.0 s", "2.0 s", "1.0 s", "200", "1.00", "1.00", ""},
		{"analytics_export_file", "array", "2.5 s", "2.0 s", "1.0 s", "200", "1.00", "1.00", "43 MB"},
		{"a day without records", "array", "0.5 s", "", "", "", "", "", "43 MB"},
		{"curl -o", "array", "0.4 s", "0.4 s", "0.2 s", "1000", "0.20", "0.20", ""},
		{"analytics_export_file, before", "array", "4.3 s", "4.0 s", "2.0 s", "100", "2.00", "2.00", "43 MB"},
		{"a day without records, before", "array", "0.3 s", "", "", "", "", "", "43 MB"},
		{"ten times the day", "object", "21.0 s", "20.0 s", "2.5 s", "200", "", "", "41 MB"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected rows (-want +got):\n%s", diff)
	}
}

func TestSeedingGrid_comparesWithCurlAndTheFewestPeople(t *testing.T) {
	t.Parallel()
	seeding := func(people int, memory float64, curl time.Duration) seeded {
		return seeded{
			seedingCase: seedingCase{seeder: seeder{name: "way"}, people: people},
			plan:        cost{wall: time.Second}, apply: cost{wall: 3 * time.Second, cpu: 2 * time.Second, memory: memory}, again: cost{wall: time.Second},
			curl: curl, sent: map[string]int{"getConsent": 2 * people, "updateConsent": people}, sentAgain: map[string]int{"getConsent": people}, state: 1400,
		}
	}

	got := seedingGrid([]seeded{seeding(100, 30e6, 2*time.Second), seeding(1100, 31e6, 0), seeding(2100, math.NaN(), 0)}).rows
	want := [][]string{
		{"way", "100", "0s", "1.0 s", "3.0 s", "2.0 s", "1.0 s", "2.0 s", "x 1.50", "30 MB", "", "3.00", "1.00", "1.4 kB"},
		{"way", "1,100", "0s", "1.0 s", "3.0 s", "2.0 s", "1.0 s", "", "", "31 MB", "1000 B", "3.00", "1.00", "1.4 kB"},
		{"way", "2,100", "0s", "1.0 s", "3.0 s", "2.0 s", "1.0 s", "", "", "", "", "3.00", "1.00", "1.4 kB"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected rows (-want +got):\n%s", diff)
	}
}

// TestCases_leaveOutWhatWouldTakeLong has a size below each limit and one above it.
func TestCases_leaveOutWhatWouldTakeLong(t *testing.T) {
	t.Parallel()
	o := options{sizes: []int{5, 2000, 3000}, singles: 2000, latencies: []time.Duration{0, time.Second}}
	got := map[string][]int{}
	for _, c := range o.cases() {
		key := c.name + " " + c.latency.String()
		got[key] = append(got[key], c.people)
	}

	want := map[string][]int{
		"analytics_consent_batch 0s": {5, 2000, 3000}, "analytics_consent 0s": {5, 2000}, "terraform_data 0s": {5, 2000},
		"analytics_consent_batch 1s": {5, 2000, 3000}, "analytics_consent 1s": {5},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected cases (-want +got):\n%s", diff)
	}
}
