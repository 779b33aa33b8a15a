package client_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// queueing is a call that puts another request into the service's queue each time
// it arrives.
type queueing struct {
	operation string // of the service
	kind      string // of the client
	send      func(context.Context, *client.Client) (client.Request, error)
}

var queueingCalls = []queueing{
	{mockserver.OpDeleteAllData, client.OperationDataDeletion, func(ctx context.Context, c *client.Client) (client.Request, error) {
		return c.RequestDeletion(ctx, scope, person)
	}},
	{mockserver.OpGetAllData, client.OperationDataAccess, func(ctx context.Context, c *client.Client) (client.Request, error) {
		return c.RequestData(ctx, scope, person)
	}},
}

// eachQueueing runs a test for both queueing calls, with an hour until fulfilment.
func eachQueueing(t *testing.T, test func(t *testing.T, service *mocktest.Instance, c *client.Client, q queueing)) {
	t.Helper()
	for _, q := range queueingCalls {
		t.Run(q.kind, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) { test(t, service, c, q) },
				useSecretKey, func(service *mocktest.Instance, _ *client.Config) { service.FulfilmentDelay = time.Hour })
		})
	}
}

func wantQueued(t *testing.T, service *mocktest.Instance, want int) {
	t.Helper()
	if got := len(service.Queue()); got != want {
		t.Errorf("%d requests were accepted, want %d", got, want)
	}
}

func TestAQueueingCallThatIsLostIsFoundAndNotSentAgain(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mockserver.Fault{
		"cut after acceptance":  {Cut: mockserver.CutAfterCommit},
		"500 after acceptance":  {Status: 500, Commit: true},
		"504 after acceptance":  {Status: 504, Commit: true, Body: []byte("<p>gateway</p>")},
		"hang after acceptance": {Hang: true, Commit: true},
		"half an answer":        {Cut: mockserver.CutBody, CutAt: 4},
		"a page after it":       {Status: 200, Commit: true, Header: html, Body: []byte("<p>ok</p>")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachQueueing(t, func(t *testing.T, service *mocktest.Instance, c *client.Client, q queueing) {
				_, err := c.CurrentUser(t.Context()) // the connection is a used one: the HTTP stack repeats a GET on those
				noError(t, err)
				lost := fault
				lost.Operation = q.operation
				service.Inject(lost)
				r, err := q.send(t.Context(), c)
				noError(t, err)
				wantQueued(t, service, 1)
				if r.ID != service.Queue()[0].ID {
					t.Errorf("found %q", r.ID)
				}
				wantCount(t, service, q.operation, 1)
			})
		})
	}
}

func TestAQueueingCallThatNobodyCanFindIsAnUnknownOutcomeAndIsAdoptedNextTime(t *testing.T) {
	t.Parallel()
	eachQueueing(t, func(t *testing.T, service *mocktest.Instance, c *client.Client, q queueing) {
		service.Inject(
			mockserver.Fault{Operation: q.operation, Cut: mockserver.CutAfterCommit},
			mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 503, Times: client.DefaultMaxRetries + 1},
		)
		_, err := q.send(t.Context(), c)
		_ = wantKind(t, err, client.KindUnknownOutcome)
		<-time.After(time.Minute)
		r, err := q.send(t.Context(), c)
		noError(t, err)
		if !r.Adopted || r.ID != service.Queue()[0].ID {
			t.Errorf("not adopted: %+v", r)
		}
		wantQueued(t, service, 1)
	})
}

func TestAQueueingCallThatNeverArrivedIsNotTakenForAccepted(t *testing.T) {
	t.Parallel()
	eachQueueing(t, func(t *testing.T, service *mocktest.Instance, c *client.Client, q queueing) {
		service.Inject(mockserver.Fault{Operation: q.operation, Cut: mockserver.CutBeforeCommit})
		_, err := q.send(t.Context(), c)
		e := wantKind(t, err, client.KindUnknownOutcome)
		if !strings.Contains(e.Detail, "no such request is pending") {
			t.Errorf("the detail is %q", e.Detail)
		}
		wantQueued(t, service, 0)
		_, err = q.send(t.Context(), c)
		noError(t, err)
		wantQueued(t, service, 1)
	})
}

func TestAPendingRequestIsAdoptedAndTheOldestOfSeveral(t *testing.T) {
	t.Parallel()
	eachQueueing(t, func(t *testing.T, service *mocktest.Instance, c *client.Client, q queueing) {
		var ids []string
		for range 3 {
			ids = append(ids, service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: person, Operation: q.operation}))
			<-time.After(time.Second)
		}
		service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: "somebody else", Operation: q.operation})
		r, err := q.send(t.Context(), c)
		noError(t, err)
		if !r.Adopted || r.ID != ids[0] || !slices.Equal(r.Others, ids[1:]) {
			t.Errorf("adopted %+v of %v", r, ids)
		}
		wantCount(t, service, q.operation, 0)
	})
}

func TestAContraryPendingRequestIsAConflictBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	members := map[string]jsontext.Value{"plan": jsontext.Value(`"gold"`)}
	for name, tc := range map[string]struct {
		pending string
		send    func(context.Context, *client.Client) error
	}{
		"deletion against a profile update": {mockserver.OpUpdateProfile, func(ctx context.Context, c *client.Client) error {
			_, err := c.RequestDeletion(ctx, scope, person)
			return err
		}},
		"deletion against a data access": {mockserver.OpGetAllData, func(ctx context.Context, c *client.Client) error {
			_, err := c.RequestDeletion(ctx, scope, person)
			return err
		}},
		"data access against a deletion": {mockserver.OpDeleteAllData, func(ctx context.Context, c *client.Client) error {
			_, err := c.RequestData(ctx, scope, person)
			return err
		}},
		"profile update against a deletion": {mockserver.OpDeleteAllData, func(ctx context.Context, c *client.Client) error {
			_, err := c.UpdateProfile(ctx, scope, person, members)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				service.FulfilmentDelay = time.Hour
				id := service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: person, Operation: tc.pending})
				e := wantKind(t, tc.send(t.Context(), c), client.KindConflict)
				if !strings.Contains(e.Detail, "conflicting pending request "+id) {
					t.Errorf("the detail is %q", e.Detail)
				}
				wantQueued(t, service, 1)
			}, useSecretKey)
		})
	}
}

func TestPendingRecordsAreRecognisedInUsualShapes(t *testing.T) {
	t.Parallel()
	record := func(m map[string]any, names ...string) map[string]any {
		return map[string]any{names[0]: m["id"], names[1]: m["identityId"], names[2]: m["operation"], names[3]: m["createdAt"], names[4]: m["status"]}
	}
	each := func(records []map[string]any, names ...string) []any {
		var out []any
		for _, r := range records {
			out = append(out, record(r, names...))
		}
		return out
	}
	for name, shape := range map[string]func([]map[string]any) any{
		"camel": nil,
		"snake": func(r []map[string]any) any {
			return each(r, "request_id", "identity_id", "request_type", "created_at", "state")
		},
		"mongo": func(r []map[string]any) any {
			return map[string]any{"data": each(r, "_id", "userId", "action", "timestamp", "status")}
		},
		"wrapped":          func(r []map[string]any) any { return map[string]any{"pendingRequests": r, "total": len(r)} },
		"wrapped twice":    func(r []map[string]any) any { return map[string]any{"data": map[string]any{"items": r}} },
		"a record wrapped": func(r []map[string]any) any { return []any{map[string]any{"request": r[0]}} },
		"ids in objects": func(r []map[string]any) any {
			return []any{map[string]any{"_id": map[string]any{"$oid": r[0]["id"]}, "user": map[string]any{"id": r[0]["identityId"]}, "type": "DELETE_ALL_DATA", "createdAt": r[0]["createdAt"], "status": "queued"}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				service.FulfilmentDelay, service.PendingAnswer = time.Hour, shape
				id := service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: person, Operation: mockserver.OpDeleteAllData})
				records, err := c.ListPending(t.Context(), scope)
				noError(t, err)
				if len(records) != 1 {
					t.Fatalf("%d records", len(records))
				}
				gotID, _ := records[0].ID.Get()
				identity, _ := records[0].Identity.Get()
				operation, _ := records[0].Operation.Get()
				at, ok := records[0].CreatedAt.Get()
				if gotID != id || identity != person || operation != client.OperationDataDeletion || !ok || !at.Equal(service.Queue()[0].At.Truncate(time.Second)) && time.Since(at) > time.Minute {
					t.Errorf("recognised %q %q %q %v", gotID, identity, operation, at)
				}
			}, useSecretKey)
		})
	}
}

func TestAPendingListThatIsNoneIsAnError(t *testing.T) {
	t.Parallel()
	for body, kind := range map[string]client.Kind{
		"":                       client.KindEmpty,
		"{}":                     client.KindPayload,
		`"x"`:                    client.KindPayload,
		`{"error":{"code":"E"}}`: client.KindRejected,
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 200, Body: []byte(body)})
			_, err := c.ListPending(t.Context(), scope)
			_ = wantKind(t, err, kind)
		}, useSecretKey)
	}
	for _, body := range []string{"null", "[]", `{"data":[]}`, `{"data":null}`, `{"pending_requests":[],"next":null}`} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 200, Body: []byte(body)})
			records, err := c.ListPending(t.Context(), scope)
			if err != nil || len(records) != 0 {
				t.Errorf("%s: %v %v", body, records, err)
			}
		}, useSecretKey)
	}
}

// deletion is a wait for the usual person's deletion.
func deletion(c *client.Client, id string) client.Awaited {
	return client.Awaited{Scope: scope, Identity: person, Operation: client.OperationDataDeletion, ID: id, Effect: c.ProfileGone(scope, person)}
}

func TestTheEndingOfAWaitIsWhatBecameOfTheRequest(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		outcome mockserver.Outcome
		ending  client.Ending
		code    string
		status  string
	}{
		"fulfilled":         {mockserver.Outcome{After: time.Minute}, client.Fulfilled, "", ""},
		"fulfilled at once": {mockserver.Outcome{After: -1}, client.Fulfilled, "", ""},
		"never":             {mockserver.Outcome{Fate: mockserver.Never}, client.StillPending, "", ""},
		"failed":            {mockserver.Outcome{Fate: mockserver.Failed, After: time.Minute, Code: "E42"}, client.Rejected, "E42", ""},
		"vanished":          {mockserver.Outcome{Fate: mockserver.Vanished, After: time.Minute}, client.Gone, "", ""},
		"an unknown status": {mockserver.Outcome{After: time.Minute, Status: "QUEUED_V2"}, client.Fulfilled, "", "QUEUED_V2"},
		"unknown for ever":  {mockserver.Outcome{Fate: mockserver.Never, Status: "QUEUED_V2"}, client.StillPending, "", "QUEUED_V2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				service.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return tc.outcome }
				service.PutProfile(serverScope, person, `{"plan":"gold"}`)
				r, err := c.RequestDeletion(t.Context(), scope, person)
				noError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				o := c.Await(ctx, deletion(c, r.ID))
				if o.Ending != tc.ending || o.Code != tc.code || o.Status != tc.status || o.Err != nil {
					t.Errorf("the outcome is %+v", o)
				}
				if again := c.Check(t.Context(), deletion(c, r.ID)); again.Ending != tc.ending {
					t.Errorf("looked at once more it is %+v", again)
				}
				wantQueued(t, service, 1)
			}, useSecretKey)
		})
	}
}

func TestAWaitOutlivesAPendingListThatIsDown(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.FulfilmentDelay = 30 * time.Minute
		r, err := c.RequestDeletion(t.Context(), scope, person)
		noError(t, err)
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 503, Times: 40})
		if o := c.Await(t.Context(), deletion(c, r.ID)); o.Ending != client.Fulfilled {
			t.Errorf("the outcome is %+v", o)
		}
	}, useSecretKey)
}

func TestAWaitThatMayNotLookSaysWhy(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.FulfilmentDelay = time.Hour
		r, err := c.RequestDeletion(t.Context(), scope, person)
		noError(t, err)
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 403, Body: []byte("{}"), Times: -1})
		o := c.Await(t.Context(), deletion(c, r.ID))
		_ = wantKind(t, o.Err, client.KindForbidden)
		if o.Ending != client.StillPending {
			t.Errorf("the outcome is %+v", o)
		}
	}, useSecretKey)
}

func TestAListingThatBeganBeforeTheRequestProvesNothing(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.FulfilmentDelay = 10 * time.Minute
		// The first look is answered with an old list, long after the request was sent.
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 200, Body: []byte("[]"), Delay: 20 * time.Second})
		r, err := c.RequestDeletion(t.Context(), scope, person)
		noError(t, err)
		began := time.Now()
		if o := c.Await(t.Context(), client.Awaited{Scope: scope, Identity: person, Operation: client.OperationDataDeletion, ID: r.ID}); o.Ending != client.Fulfilled {
			t.Errorf("the outcome is %+v", o)
		}
		if took := time.Since(began); took < 9*time.Minute {
			t.Errorf("the wait was over after %v", took)
		}
	}, useSecretKey)
}

func TestManyWaitersPollNoMoreThanOne(t *testing.T) {
	t.Parallel()
	polls := func(t *testing.T, waiters int) (count int) {
		t.Helper()
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{Fate: mockserver.Never} }
			for i := range waiters {
				service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: fmt.Sprint("user-", i), Operation: mockserver.OpDeleteAllData})
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			var wg sync.WaitGroup
			for i := range waiters {
				wg.Go(func() {
					c.Await(ctx, client.Awaited{Scope: scope, Identity: fmt.Sprint("user-", i), Operation: client.OperationDataDeletion})
				})
			}
			wg.Wait()
			count = service.Count(mockserver.OpListPendingRequests)
		}, useSecretKey)
		return count
	}
	waiters := soak.Size(50, 1000)
	one, many := polls(t, 1), polls(t, waiters)
	if many > one+one/5+2 {
		t.Errorf("one waiter polls %d times in ten minutes, %d poll %d times", one, waiters, many)
	}
}

func TestALongWaitEndsWithItsContextAndLeavesNothing(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{Fate: mockserver.Never} }
		r, err := c.RequestDeletion(t.Context(), scope, person)
		noError(t, err)
		hours := soak.Size(3, 24)
		length := time.Duration(hours) * time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), length)
		defer cancel()
		began := time.Now()
		if o := c.Await(ctx, deletion(c, r.ID)); o.Ending != client.StillPending || o.Err != nil {
			t.Errorf("the outcome is %+v", o)
		}
		if late := time.Since(began) - length; late > 50*time.Millisecond {
			t.Errorf("the wait ended %v late", late)
		}
		if polls := service.Count(mockserver.OpListPendingRequests); polls > 320+120*hours {
			t.Errorf("%d polls in %d hours", polls, hours)
		}
	}, useSecretKey)
}

func TestARequestIsFoundInALongListInAnyOrder(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.FulfilmentDelay = time.Hour
		service.PendingAnswer = func(records []map[string]any) any {
			for i := range soak.Size(1_000, 100_000) {
				records = append(records, map[string]any{"id": fmt.Sprint("r", i), "identityId": fmt.Sprint("user-", i), "operation": "deleteAllData", "status": "pending"})
			}
			rand.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
			return records
		}
		id := service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: person, Operation: mockserver.OpDeleteAllData})
		r, err := c.RequestDeletion(t.Context(), scope, person)
		noError(t, err)
		if r.ID != id {
			t.Errorf("found %+v", r)
		}
	}, useSecretKey)
}

func TestDataIsCollectedOnceTheRequestIsFulfilled(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.FulfilmentDelay = time.Minute
		service.PutProfile(serverScope, person, `{"plan":"gold"}`)
		r, err := c.RequestData(t.Context(), scope, person)
		noError(t, err)
		if r.Data != nil {
			t.Fatal("there is data already")
		}
		o := c.Await(t.Context(), client.Awaited{Scope: scope, Identity: person, Operation: client.OperationDataAccess, ID: r.ID})
		if o.Ending != client.Fulfilled {
			t.Fatalf("the outcome is %+v", o)
		}
		r, err = c.CollectData(t.Context(), scope, person)
		noError(t, err)
		if !strings.Contains(string(r.Data), `"gold"`) {
			t.Errorf("the data is %s", r.Data)
		}
		wantQueued(t, service, 1)
	}, useSecretKey)
}

func TestARequestThatAnInterruptCutsOffIsStillFound(t *testing.T) {
	t.Parallel()
	eachQueueing(t, func(t *testing.T, service *mocktest.Instance, c *client.Client, q queueing) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		service.Inject(mockserver.Fault{Operation: q.operation, Commit: true, Hang: true})
		time.AfterFunc(10*time.Second, cancel)
		began := time.Now()
		r, err := q.send(ctx, c)
		noError(t, err)
		if r.ID == "" || r.ID != service.Queue()[0].ID {
			t.Errorf("found %+v", r)
		}
		if late := time.Since(began) - 10*time.Second; late > 1600*time.Millisecond {
			t.Errorf("it ended %v after the interrupt", late)
		}
		wantQueued(t, service, 1)
	})
}

func TestWhatThisProcessHasJustSentIsSeenByTheNextRequest(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.FulfilmentDelay = time.Hour
		_, err := c.UpdateProfile(t.Context(), scope, person, members(t, `{"plan":"gold"}`))
		noError(t, err)
		_, err = c.RequestDeletion(t.Context(), scope, person)
		_ = wantKind(t, err, client.KindConflict)
		wantQueued(t, service, 1)
	}, useSecretKey)
}
