// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"net/http"
	"testing"
	"time"
)

func TestBackoff_fullJitterUnderADoublingLimit(t *testing.T) {
	t.Parallel()
	for attempt := range 200 {
		limit := min(backoffBase<<min(attempt, 10), backoffCap)
		for range 20 {
			if wait := BackoffAfter(attempt, 0); wait < backoffFloor || wait > limit+backoffFloor {
				t.Fatalf("attempt %d waits %v, limit %v", attempt, wait, limit)
			}
		}
	}
}

func TestRetryAfter_parsedAndBounded(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]struct {
		wait  time.Duration
		given bool
	}{
		"":                              {0, false},
		"2":                             {2 * time.Second, true},
		" 2 ":                           {2 * time.Second, true},
		"0":                             {0, true},
		"-1":                            {0, true},
		"1.5":                           {1500 * time.Millisecond, true},
		"3600":                          {limitRetryAfter, true},
		"9223372037":                    {limitRetryAfter, true},
		"1e300":                         {limitRetryAfter, true},
		"1e999":                         {0, false},
		"NaN":                           {0, false},
		"Inf":                           {limitRetryAfter, true},
		"-Inf":                          {0, true},
		"abc":                           {0, false},
		"Sat, 31 Jan 2026 12:00:30 GMT": {30 * time.Second, true},
		"Sat, 31 Jan 2026 11:00:00 GMT": {0, true},
		"Sat, 31 Jan 2026 14:00:00 GMT": {limitRetryAfter, true},
		"Fri, 31 Dec 9999 23:59:59 GMT": {limitRetryAfter, true},
		"Mon, 01 Jan 0001 00:00:00 GMT": {0, true},
	} {
		wait, given := ParseRetryAfter(value, now, limitRetryAfter)
		if wait != want.wait || given != want.given {
			t.Errorf("%q: %v %v, want %v %v", value, wait, given, want.wait, want.given)
		}
	}
}

func FuzzRetryAfter_neitherHotLoopNorHang(f *testing.F) {
	for _, seed := range []string{"2", "-1", "1.5", "9223372037", "abc", "Fri, 31 Dec 9999 23:59:59 GMT", "0x10", "1_000"} {
		f.Add(seed, 0)
	}

	f.Fuzz(func(t *testing.T, value string, attempt int) {
		if attempt < 0 {
			return
		}

		resp := &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {value}}}
		asked, _ := askedToWait(resp)
		wait := BackoffAfter(attempt, asked)
		if wait < backoffFloor || wait > limitRetryAfter+limitRetryAfter/10+backoffBase+backoffFloor {
			t.Fatalf("Retry-After %q, attempt %d: waits %v", value, attempt, wait)
		}
	})
}
