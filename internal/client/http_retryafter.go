package client

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// limitRetryAfter is the longest wait that a service can ask for: beyond it an error now
// is better than a run that seems to hang.
const limitRetryAfter = 120 * time.Second

// askedToWait returns the Retry-After of a 429 or 503, from 0 to limitRetryAfter, and
// whether the answer has one.
func askedToWait(resp *http.Response) (time.Duration, bool) {
	if resp == nil {
		return 0, false
	}

	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return parseRetryAfter(resp.Header.Get("Retry-After"), time.Now(), limitRetryAfter)
	}

	return 0, false
}

// parseRetryAfter reads both forms of the header, seconds and a date, and bounds the wait
// to 0…limit. What it cannot read counts as not given.
func parseRetryAfter(value string, now time.Time, limit time.Duration) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && !math.IsNaN(seconds) {
		seconds = min(max(0, seconds), limit.Seconds())
		return time.Duration(seconds * float64(time.Second)), true
	}

	when, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}

	return min(max(0, when.Sub(now)), limit), true
}
