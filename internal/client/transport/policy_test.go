// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetryAfter_parsedAndBounded(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) { // at the beginning of 2000
		for value, want := range map[string]time.Duration{
			"1.5":                           1500 * time.Millisecond,
			"3600":                          limitRetryAfter,
			"NaN":                           0,
			"Sat, 01 Jan 2000 00:00:30 GMT": 30 * time.Second,
			"Fri, 31 Dec 1999 23:00:00 GMT": 0,
			"Sat, 01 Jan 2000 02:00:00 GMT": limitRetryAfter,
		} {
			if wait := retryAfter(http.Header{"Retry-After": {value}}, limitRetryAfter); wait != want {
				t.Errorf("%q: %v, want %v", value, wait, want)
			}
		}
	})
}

// FuzzBackoff_neitherHotLoopNorHang checks the wait before the next attempt: what the service asks for,
// with full jitter under a limit that doubles.
func FuzzBackoff_neitherHotLoopNorHang(f *testing.F) {
	for attempt, seed := range []string{"", "-1", "1.5", "9223372037", "abc", "", "Fri, 31 Dec 9999 23:59:59 GMT", "0x10", "1_000", "", "2"} {
		f.Add(seed, attempt)
		f.Add("", attempt*20)
	}

	f.Fuzz(func(t *testing.T, value string, attempt int) {
		attempt = max(attempt, 0)
		asked := retryAfter(http.Header{"Retry-After": {value}}, limitRetryAfter)
		limit := asked + backoffFloor + min(backoffBase<<min(attempt, 10), backoffCap)
		for range 20 {
			wait := backoffAfter(attempt, asked)
			if asked < 0 || asked > limitRetryAfter || wait < asked+backoffFloor || wait > limit {
				t.Fatalf("Retry-After %q, attempt %d: waits %v", value, attempt, wait)
			}
		}
	})
}

// TestPolicy_neverRepeatsWhatMayHaveBeenCarriedOut checks the columns of what changes something.
func TestPolicy_neverRepeatsWhatMayHaveBeenCarriedOut(t *testing.T) {
	t.Parallel()

	refused := []ErrorClass{ClassUnreachable, ClassRateLimited, classRenewed}
	for class, row := range policy {
		isRefused := slices.Contains(refused, class)
		isRepeated := row[Reads] == retries || row[Reads] == anew
		if row[Queues] == retries && !isRefused || row[Writes] == retries && !isRefused {
			t.Errorf("%s: a change is repeated without a look", class)
		}
		if isRepeated && !isRefused && (row[Writes] != compared || row[Queues] != unknown) {
			t.Errorf("%s: a change whose outcome is open is called refused", class)
		}
	}
	for class := range policy {
		if e := NewError(Exchange{Op: Operation{Kind: Queues}}, class, ""); e.Ambiguous {
			t.Errorf("%s: what was not sent is called open: %+v", class, e)
		}
	}
}
