// SPDX-License-Identifier: MPL-2.0

package mocktest

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
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
	{Status: 403},
	{Status: 408},
	{Status: 429, Header: map[string][]string{"Retry-After": {"1"}}},
	{Status: 500},
	{Status: 500, Commit: true},
	{Status: 503, Header: map[string][]string{"Retry-After": {"2"}}},
	{Status: 504, Commit: true},
}

// Disorder returns choose, a Server.FaultFor with a random fault for one in so many requests, and end, after which it
// has none. Both are safe for concurrent use.
func Disorder(seed uint64, oneIn int) (choose func(mockserver.Request) *mockserver.Fault, end func()) {
	var mu sync.Mutex
	var ended atomic.Bool
	random := rand.New(rand.NewPCG(seed, 3))

	return func(mockserver.Request) *mockserver.Fault {
		mu.Lock()
		defer mu.Unlock()
		if ended.Load() || random.IntN(oneIn) > 0 {
			return nil
		}
		return new(disorders[random.IntN(len(disorders))])
	}, func() { ended.Store(true) }
}
