package main

import (
	"net/http"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

// traffic is what the service received: looks at its pending list, and all others.
type traffic struct {
	polls, others int

	// waiting is the time from the first request that the service accepted into its
	// queue to the last request at all; waitingPolls are the looks in it.
	waiting      time.Duration
	waitingPolls int
}

func trafficOf(entries []stage.Entry) (t traffic) {
	var began time.Time
	for _, e := range entries {
		switch {
		case e.Operation != "listPendingRequests":
			t.others++
		case began.IsZero():
			t.polls++
		default:
			t.polls++
			t.waitingPolls++
		}
		if began.IsZero() && e.Status == http.StatusAccepted {
			began = e.At
		}
		if !began.IsZero() {
			t.waiting = e.At.Sub(began)
		}
	}
	return t
}

func (t traffic) pollsPerSecond() float64 {
	if t.waiting <= 0 {
		return unknown
	}
	return float64(t.waitingPolls) / t.waiting.Seconds()
}

// othersPer is how many requests beside the looks there were for each of n objects.
func (t traffic) othersPer(n int) float64 { return float64(t.others) / float64(n) }
