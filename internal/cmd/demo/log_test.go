package main

import (
	"net/http"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

func TestRequestsAreToldByTheirPurpose(t *testing.T) {
	t.Parallel()
	named := func(operation string) stage.Entry { return stage.Entry{Operation: operation} }
	login, read, write, poll := named("login"), named("getProfile"), named("updateConsent"), named("listPendingRequests")
	for want, entries := range map[string][]stage.Entry{
		"no request":         nil,
		"1 request (1 read)": {read},
		"6 requests (1 login, 2 reads, 2 writes, 1 other)":              {write, named("getCurrentUser"), read, login, read, write},
		"3 requests (1 deletion, 2 looks at the queue)":                 {poll, named("deleteAllData"), poll},
		"3 requests (2 data requests, 1 look at the queue)":             {named("getAllData"), poll, named("getAllData")},
		"4 requests (1 read, 1 write, 1 deletion, 1 look at the queue)": {poll, named("deleteAllData"), write, read},
	} {
		if got := count(entries); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if n := writes([]stage.Entry{login, read, write, poll, named("deleteAllData"), named("getAllData")}); n != 2 {
		t.Errorf("%d writes", n)
	}
}

func TestWhatWasTakenIntoTheQueueIsCounted(t *testing.T) {
	t.Parallel()
	if n := accepted([]stage.Entry{{Status: http.StatusOK}, {Status: http.StatusAccepted}, {Status: http.StatusConflict}}); n != 1 {
		t.Errorf("%d", n)
	}
}
