// SPDX-License-Identifier: MPL-2.0

package mocktest

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// disorders are what can go wrong on the way to a service and back, or in front of it.
var disorders = []mockserver.Fault{
	{Cut: mockserver.CutBeforeCommit},
	{Cut: mockserver.CutAfterCommit},
	{Cut: mockserver.CutBody, CutAt: 7},
	{Cut: mockserver.CutChunked, CutAt: 7},
	{Hang: true},
	{Hang: true, Commit: true},
	{Delay: 40 * time.Second},
	{Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>Sign in")},
	{Status: 200, Commit: true, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>Back soon")},
	{Status: 302, Header: map[string][]string{"Location": {"/elsewhere"}}},
	{Status: 400, Body: []byte(`{"error":{"code":"E400","message":"not today"}}`)},
	{Status: 401},
	{Status: 403, Body: []byte("{}")},
	{Status: 408},
	{Status: 425},
	{Status: 429, Header: map[string][]string{"Retry-After": {"1"}}},
	{Status: 500},
	{Status: 500, Commit: true},
	{Status: 502},
	{Status: 503, Header: map[string][]string{"Retry-After": {"2"}}},
	{Status: 504, Commit: true},
}

// Disorder chooses a random fault for one in so many requests. It is safe for concurrent use.
type Disorder struct {
	mu     sync.Mutex
	random *rand.Rand
	oneIn  int
	off    bool
}

// NewDisorder returns the disorder of a seed, for one in so many requests.
func NewDisorder(seed uint64, oneIn int) *Disorder {
	return &Disorder{random: rand.New(rand.NewPCG(seed, 3)), oneIn: oneIn}
}

// Choose returns the fault of a request, or nil. It is for Server.FaultFor.
func (d *Disorder) Choose(mockserver.Request) *mockserver.Fault {
	d.mu.Lock()
	defer d.mu.Unlock()

	if d.off || d.random.IntN(d.oneIn) > 0 {
		return nil
	}
	fault := disorders[d.random.IntN(len(disorders))]

	return &fault
}

// End ends the disorder.
func (d *Disorder) End() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = true
}
