// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func engineOf(list listFunc) *Engine {
	polled := &pollers{list: list, scopes: map[client.Scope]*poller{}}
	return &Engine{people: &client.PersonLocks{}, read: polled.snapshot, known: map[client.Person][]proof.Submission{}}
}

// TestDeferred_unknownOutcome has a row for what follows after the answer to a request was lost.
func TestDeferred_unknownOutcome(t *testing.T) {
	t.Parallel()
	unread := strings.Repeat("paged; ", 12)
	for name, c := range map[string]struct {
		setting, script string
		submitted       string // the keys that are submitted; each word is a run, which knows what the one before ended with
		attempts        int    // how often a request was sent
		isKnown         bool   // what becomes of the last one
	}{
		"an update that never arrived":              {"profile update", "as it is; lost before", "A", 2, true},
		"an update that is refused the second time": {"profile update", "as it is; lost before; rejected", "A", 2, false},
		"an update that is lost twice":              {"profile update", "as it is; lost before; lost before", "A", 2, false},
		"the same in one run":                       {"deletion of a person without a profile", "as it is; lost before", "AA", 1, false},
		"another key in one run":                    {"deletion", "as it is; lost before", "AB", 2, true},
		"any key in one run":                        {"deletion", "as it is; lost before", "A*", 2, true},
		"the same in another run":                   {"deletion", "as it is; lost before", "A A", 2, true},
		"an update in another run":                  {"profile update", "as it is; lost before; rejected", "A A", 3, true},
		"another key in another run":                {"deletion", "as it is; lost after; " + strings.Repeat("paged; ", 8) + "done", "B A", 2, true},
		"the same without a list":                   {"deletion", "as it is; lost before; " + unread + unread, "A A", 1, false},
		"a list of a cache, and then whole ones":    {"deletion", "as it is; lost before; cached", "A", 1, false},
		"the same in a later listing":               {"deletion", "as it is; lost after; " + unread, "A A", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := scripted(c.setting, c.script)
				var s proof.Submission
				var err error
				for run := range strings.FieldsSeq(c.submitted) {
					w.restart()
					prior := s
					for key := range strings.SplitSeq(run, "") {
						began := time.Now()
						s, _, err = w.engine.Submit(t.Context(), w.request(strings.ReplaceAll(key, "*", AnyIdempotencyKey)), prior)
						if took := time.Since(began); took > time.Minute {
							t.Errorf("it took %s", took)
						}
					}
				}
				isUnknown, saysGap := transport.IsClass(err, transport.ClassUnknownOutcome), strings.Contains(fmt.Sprint(err), "as a whole")
				if isUnknown == c.isKnown || isUnknown == (err == nil) || saysGap != (name == "the same without a list") {
					t.Errorf("it ends with %v", err)
				}
				if w.attempts != c.attempts {
					t.Errorf("it was sent %d times, want %d", w.attempts, c.attempts)
				}
			})
		})
	}
}

// A run that is interrupted while it waits for the person has sent nothing and says so.
func TestDeferred_interruptedBeforeSending(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := engineOf(func(ctx context.Context, _ client.Scope) (l decode.PendingList, err error) {
			return l, transport.Pause(ctx, time.Minute)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()

		r := Request{Type: deletes}
		go func() { _, _, _ = e.Submit(t.Context(), r, proof.Submission{}) }()
		synctest.Wait()
		_, _, err := e.Submit(ctx, r, proof.Submission{})
		if !transport.IsClass(err, transport.ClassCancelled) || !strings.Contains(err.Error(), "Delete all data") {
			t.Errorf("the error is %v", err)
		}
	})
}

// A listing that began before a submission ended proves nothing about it, even if it ends
// afterwards, and even if the list never lags.
func TestDeferred_deletionsAtOnceSendOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var queue []decode.PendingRecord
		e := engineOf(func(context.Context, client.Scope) (decode.PendingList, error) {
			list := decode.PendingList{Records: slices.Clone(queue)}
			<-time.After(900 * time.Millisecond)
			return list, nil
		})
		var group sync.WaitGroup
		for i, key := range []string{"friday", "monday", "sunday"} {
			group.Go(func() {
				<-time.After(time.Duration(i) * 400 * time.Millisecond)
				r := Request{Person: client.Person{Identity: whom}, Type: deletes, IdempotencyKey: key, Send: func(context.Context) (decode.Receipt, error) {
					queue = append(queue, decode.PendingRecord{ID: "r", Identity: whom, RequestType: deletes, Progress: decode.Waiting, CreatedAt: time.Now()})
					return decode.Receipt{ID: "r", At: time.Now()}, nil
				}}
				if _, _, err := e.Submit(t.Context(), r, proof.Submission{}); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if len(queue) != 1 {
			t.Errorf("%d deletions were sent", len(queue))
		}
	})
}

// What somebody else has sent since the list was read for another person counts.
func TestDeferred_conflictSinceTheListWasRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var theirs []decode.PendingRecord
		e := engineOf(func(context.Context, client.Scope) (decode.PendingList, error) {
			return decode.PendingList{Records: theirs}, nil
		})
		sent := 0
		send := func(context.Context) (decode.Receipt, error) {
			sent++
			return decode.Receipt{ID: "ours", At: time.Now()}, nil
		}

		for _, person := range []string{"somebody else", whom} {
			_, _, err := e.Submit(t.Context(), Request{Person: client.Person{Identity: person}, Type: deletes, Send: send}, proof.Submission{})
			if isConflict := transport.IsClass(err, transport.ClassConflict); isConflict != (person == whom) || sent != 1 {
				t.Errorf("the deletion for %s ends with %v, and %d were sent", person, err, sent)
			}
			theirs = []decode.PendingRecord{{ID: "theirs", Identity: whom, RequestType: decode.RequestProfileUpdate, Progress: decode.Waiting, JSON: []byte(`{"user":"` + whom + `"}`)}}
			<-time.After(2 * time.Second)
		}
	})
}

// The refreshes of one run share a listing, also those that come while it is read. Another refresh looks again.
func TestDeferred_refreshesShareAListing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		e := engineOf(func(context.Context, client.Scope) (l decode.PendingList, err error) {
			reads++
			<-time.After(3 * time.Second)
			return l, nil
		})
		later := time.Now().Add(time.Hour) // by the clock of another machine
		sent := slices.Repeat([]proof.Submission{{State: proof.Accepted, ID: "r", Sent: later, Seen: later}}, 100)
		for want := range 2 {
			var group sync.WaitGroup
			for i := range sent {
				group.Go(func() {
					<-time.After(time.Duration(i/10) * 2 * time.Second)
					r := Request{Person: client.Person{Identity: strconv.Itoa(i)}, Type: deletes}
					sent[i], _, _ = e.Refresh(t.Context(), r, sent[i])
				})
			}
			group.Wait()
			if reads != want+1 {
				t.Errorf("%d listings were read for %d refreshes of all", reads, want+1)
			}
		}
	})
}
