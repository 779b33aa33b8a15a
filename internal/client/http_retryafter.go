package client

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// askedToWait reads Retry-After of a 429 or 503, bounded to limitRetryAfter.
func askedToWait(resp *http.Response) (time.Duration, bool) {
	if resp == nil || resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	return parseRetryAfter(resp.Header.Get("Retry-After"), time.Now())
}

// parseRetryAfter understands both forms of the header, seconds and a date, and bounds the wait to 0…limitRetryAfter. What it does
// not understand counts as not given.
func parseRetryAfter(value string, now time.Time) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0, false
	}
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && !math.IsNaN(seconds) {
		if seconds >= limitRetryAfter.Seconds() {
			return limitRetryAfter, true
		}
		return max(0, time.Duration(seconds*float64(time.Second))), true
	}
	when, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	if when.Year() > now.Year()+1 { // far dates overflow a duration
		return limitRetryAfter, true
	}
	return min(max(0, when.Sub(now)), limitRetryAfter), true
}

// waitAsked returns the wait that a Retry-After asks for, up to a day. It is shown and
// not waited for, so that the bounds of retries do not apply.
func waitAsked(value string, now time.Time) (time.Duration, bool) {
	const most = 24 * time.Hour
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, most), seconds > 0
	}

	when, err := http.ParseTime(value)
	if err != nil || !when.After(now) {
		return 0, false
	}
	return min(when.Sub(now).Round(time.Second), most), true
}
