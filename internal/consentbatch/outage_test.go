package consentbatch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// failureClasses holds the classes of the failures that the service or the network can cause,
// except rejected credentials, which end a run at once.
var failureClasses = []client.ErrorClass{
	client.ClassUnreachable, client.ClassTimeout, client.ClassConnectionLost, client.ClassTLS, client.ClassProxyAuth,
	client.ClassRedirect, client.ClassLoginAnswer, client.ClassForbidden, client.ClassNotFound,
	client.ClassEndpointNotFound, client.ClassRejected, client.ClassConflict, client.ClassRateLimited, client.ClassServer,
	client.ClassNotJSON, client.ClassEmpty, client.ClassTruncated, client.ClassTooLarge, client.ClassPayload, client.ClassUnknownOutcome,
}

// fakeService fails for some rows, and for all of them once it is down.
type fakeService struct {
	getFails, patchFails map[int]client.ErrorClass
	// downAfter is how many requests it answers; 0 is no limit.
	downAfter int64
	requests  atomic.Int64
}

func (s *fakeService) request(row int, method string, fails map[int]client.ErrorClass) error {
	n := s.requests.Add(1)
	class, bad := fails[row]
	if s.downAfter > 0 && n > s.downAfter {
		class, bad = client.ClassServer, true
	}
	if !bad {
		return nil
	}

	return &client.Error{Class: class, Method: method, Attempts: 1}
}

func (s *fakeService) run(t *testing.T, rows, workers int) *tally {
	t.Helper()
	get := func(_ context.Context, row int) error { return s.request(row, http.MethodGet, s.getFails) }

	return runner{
		rows: rows, workers: workers, interval: progressInterval, ask: get,
		do: func(ctx context.Context, row int) (client.ConsentOutcome, error) {
			if err := get(ctx, row); err != nil {
				return 0, err
			}
			return client.ConsentWritten, s.request(row, http.MethodPatch, s.patchFails)
		},
	}.run(t.Context())
}

// wantAllTaken fails the test if a row that the service takes was not written, or a row
// that it does not take was.
func (s *fakeService) wantAllTaken(t *testing.T, done *tally, about string) {
	t.Helper()
	for row, result := range done.results {
		_, noGet := s.getFails[row]
		_, noPatch := s.patchFails[row]
		want := written
		if noGet || noPatch {
			want = failed
		}
		if result != want {
			t.Fatalf("%s: row %d is %d, want %d (%v)", about, row, result, want, done.counts)
		}
	}
}

// TestOutage_anyPatternOfFailingRows checks that every row which the service takes is
// written, whatever the pattern of the others: always if only their updates fail, and also if
// reading them fails, as long as one of the rows tried first is answered.
func TestOutage_anyPatternOfFailingRows(t *testing.T) {
	t.Parallel()
	for schedule := range soak.Schedules(60, 20000) {
		seed := soak.Seed(schedule)
		soak.Add(soak.Tried, 1)
		random := rand.New(rand.NewPCG(seed, 13))
		s := &fakeService{getFails: map[int]client.ErrorClass{}, patchFails: map[int]client.ErrorClass{}}
		rows, bad := 1+random.IntN(600), random.Float64()

		for row := range rows {
			if random.Float64() > bad {
				continue
			}
			class := failureClasses[random.IntN(len(failureClasses))]
			if row > suspiciousStreak && random.IntN(2) == 0 {
				s.getFails[row] = class
				continue
			}

			s.patchFails[row] = class
		}

		done := s.run(t, rows, 1+random.IntN(16))
		s.wantAllTaken(t, done, fmt.Sprintf("seed %d", seed))
	}
}

// TestOutage_neighboursThatCannotBeRead has a file in which the service answers for one
// block of rows only, which may begin anywhere.
func TestOutage_neighboursThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const rows = 400
	for _, length := range []int{25, 40, 200, 360} {
		for from := 0; from+length <= rows; from += 13 {
			s := &fakeService{getFails: map[int]client.ErrorClass{}}
			for row := range rows {
				if row < from || row >= from+length {
					s.getFails[row] = client.ClassServer
				}
			}

			for _, workers := range []int{1, 8} {
				s.wantAllTaken(t, s.run(t, rows, workers), fmt.Sprintf("%d rows from %d on, %d workers", length, from, workers))
			}
		}
	}
}

// TestOutage_fewRowsAreAllTried checks that files of some rows are tried completely.
func TestOutage_fewRowsAreAllTried(t *testing.T) {
	t.Parallel()

	for rows := 1; rows <= suspiciousStreak+2*sampleRows; rows++ {
		s := &fakeService{getFails: map[int]client.ErrorClass{}}
		for row := range rows - 1 {
			s.getFails[row] = failureClasses[row%len(failureClasses)]
		}
		s.wantAllTaken(t, s.run(t, rows, 1+rows%5), fmt.Sprintf("%d rows", rows))
	}
}

// TestOutage_endsTheRun has a service that is down from the beginning, and one that goes
// down later.
func TestOutage_endsTheRun(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 16} {
		s := &fakeService{downAfter: 1, getFails: map[int]client.ErrorClass{0: client.ClassServer}}
		done := s.run(t, 5000, workers)
		if n := int(s.requests.Load()); n > suspiciousStreak+sampleRows+workers || !done.outage.certain || done.rest() != 5000-n {
			t.Errorf("%d workers: %d requests to a service that is down, %d rows not tried", workers, n, done.rest())
		}

		for _, downAfter := range []int64{2, 500, 3333} {
			s := &fakeService{downAfter: downAfter}
			done := s.run(t, 5000, workers)
			// The others may be at work while one asks again.
			if n := int(s.requests.Load() - downAfter); n > suspiciousStreak+200 || !done.outage.certain || !done.outage.hasAnswered {
				t.Errorf("%d workers: %d requests after the service went down", workers, n)
			}
		}
	}
}

// TestOutage_updatesThatAreNeverSentEndTheRun has a service that never gets an update.
func TestOutage_updatesThatAreNeverSentEndTheRun(t *testing.T) {
	t.Parallel()
	done := runner{
		rows: 5000, workers: 4, interval: progressInterval,
		do: func(context.Context, int) (client.ConsentOutcome, error) {
			return 0, &client.Error{Class: client.ClassLoginAnswer, Method: http.MethodPatch}
		},
	}.run(t.Context())
	if n := done.done(); n > suspiciousStreak+sampleRows+4 || !done.outage.certain {
		t.Errorf("%d rows were tried", n)
	}
}

// TestOutage_oneWorkerAsksAgain has a service that goes down after some rows, while many
// workers are busy. One of them asks about an earlier row, and the others go on until it has
// an answer.
func TestOutage_oneWorkerAsksAgain(t *testing.T) {
	t.Parallel()
	down := &client.Error{Class: client.ClassServer, Method: http.MethodGet, Attempts: 1}
	var tried, asked atomic.Int64
	var once sync.Once
	enough := make(chan struct{})
	end := func() { once.Do(func() { close(enough) }) }

	done := runner{
		rows: 5000, workers: 8, interval: progressInterval,
		do: func(context.Context, int) (client.ConsentOutcome, error) {
			if tried.Add(1) <= 100 {
				return client.ConsentWritten, nil
			}
			if asked.Load() > 0 && tried.Load() > 1000 {
				end()
			}
			return 0, down
		},
		ask: func(context.Context, int) error {
			if asked.Add(1) > 1 {
				end()
			}
			<-enough

			return down
		},
	}.run(t.Context())

	if asked.Load() != 1 || !done.outage.certain {
		t.Errorf("it was asked %d times", asked.Load())
	}
}

// TestOutage_failuresOfOneRowNeverCount has a service that refuses every row by itself.
func TestOutage_failuresOfOneRowNeverCount(t *testing.T) {
	t.Parallel()
	for _, class := range concernOneRow {
		s := &fakeService{getFails: map[int]client.ErrorClass{}}
		for row := range 1000 {
			s.getFails[row] = class
		}
		s.wantAllTaken(t, s.run(t, 1000, 4), fmt.Sprint(class))
	}
}

func TestQueue_eachRowOnceHoweverItIsTaken(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{1, 63, 64, 65, 100, 1000} {
		random := rand.New(rand.NewPCG(uint64(rows), 1))
		q, seen := &queue{rows: rows}, map[int]bool{}
		for {
			take := q.next
			if random.IntN(3) == 0 {
				take = q.sample
			}

			row, ok := take()
			if !ok {
				break
			}
			if seen[row] || row < 0 || row >= rows {
				t.Fatalf("%d rows: row %d is taken twice or not there", rows, row)
			}

			seen[row] = true
		}

		if len(seen) != rows {
			t.Errorf("%d of %d rows were taken", len(seen), rows)
		}
	}
}
