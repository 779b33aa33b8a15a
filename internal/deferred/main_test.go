// SPDX-License-Identifier: MPL-2.0

package deferred_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	scope       = client.Scope{OrgID: "org-demo", ProjectID: "web"}
	serverScope = mockserver.Scope{OrgID: "org-demo", ProjectID: "web"}
	gold        = map[string]jsontext.Value{"plan": jsontext.Value(`"gold"`)}
)

const person = "jane.doe@example.com"

var about = client.Person{Scope: scope, Identity: person}

// run is one run of the provider: a client and its engine.
type run struct {
	*deferred.Engine
	*client.Client
}

// bubble runs a test in virtual time against a service of its own.
func bubble(t *testing.T, test func(t *testing.T, service *mocktest.Instance, r run), configure ...func(*mockserver.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t, configure...)
		test(t, service, newRun(t, service))
	})
}

// newRun returns another run of the provider, which knows nothing about earlier ones.
func newRun(t *testing.T, service *mocktest.Instance, change ...func(*client.Config)) run {
	t.Helper()
	cfg := client.Config{BaseURL: service.URL, Config: transport.Config{
		Credentials: transport.Credentials{APISecretKey: service.SecretKey},
		MaxRetries:  client.DefaultMaxRetries,
		UserAgent:   "deferred-test",
		DialContext: service.DialContext,
	}}

	for _, f := range change {
		f(&cfg)
	}

	c, err := client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(c.Close)

	return run{deferred.NewEngine(c), c}
}

// becomes returns a setting of the server that decides what happens to every request that
// is accepted.
func becomes(o mockserver.Outcome) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return o }
	}
}

// deletion returns a deletion request, as its resource makes it; access and update
// likewise.
func (r run) deletion(identity string) deferred.Request {
	about := client.Person{Scope: scope, Identity: identity}
	return deferred.Request{
		Person: about, Type: decode.RequestDataDeletion,
		Send:   func(ctx context.Context) (decode.Receipt, error) { return r.DeleteData(ctx, about) },
		Effect: r.effect(about, func(p decode.Profile) bool { return len(p.Members) == 0 }),
	}
}

func (r run) access(w io.Writer) deferred.Request {
	return deferred.Request{
		Person: about, Type: decode.RequestDataAccess,
		Send: func(ctx context.Context) (decode.Receipt, error) {
			return r.FetchData(ctx, about, decode.DataCall{}, w)
		},
	}
}

func (r run) update(members map[string]jsontext.Value) deferred.Request {
	return deferred.Request{
		Person: about, Type: decode.RequestProfileUpdate, IdempotencyKey: jsonvalue.FormatObject(members),
		Send:   func(ctx context.Context) (decode.Receipt, error) { return r.UpdateProfile(ctx, about, members) },
		Effect: r.effect(about, func(p decode.Profile) bool { return p.Holds(members) }),
	}
}

// effect reads an effect that a profile shows or not.
func (r run) effect(about client.Person, shows func(decode.Profile) bool) func(context.Context) (deferred.Reading, error) {
	return func(ctx context.Context) (deferred.Reading, error) {
		profile, err := r.GetProfile(ctx, about, nil)
		reading := deferred.Reading{Profile: profile, Shows: proof.Missing}
		if shows(profile) {
			reading.Shows = proof.Shown
		}
		if profile.IsNone {
			err = nil
		}

		return reading, err
	}
}

// queueing is a call that puts another request into the service's queue each time it
// arrives.
type queueing struct {
	operation string // of the service
	of        func(run) deferred.Request
}

// eachQueueing runs a test for both queueing calls. Requests are fulfilled after five minutes,
// and the person has a profile.
func eachQueueing(t *testing.T, test func(t *testing.T, service *mocktest.Instance, r run, q queueing), configure ...func(*mockserver.Server)) {
	t.Helper()
	for name, q := range map[string]queueing{
		"deletion": {mockserver.OpDeleteAllData, func(r run) deferred.Request { return r.deletion(person) }},
		"access":   {mockserver.OpGetAllData, func(r run) deferred.Request { return r.access(io.Discard) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
				service.PutProfile(serverScope, person, `{"plan":"free"}`)
				test(t, service, r, q)
			}, append(configure, within(5*time.Minute))...)
		})
	}
}

// within makes the service fulfil requests after some time.
func within(delay time.Duration) func(*mockserver.Server) {
	return func(s *mockserver.Server) { s.FulfilmentDelay = delay }
}

// enqueue puts a request about the person into the service's queue, which somebody else has
// sent some time ago.
func enqueue(service *mocktest.Instance, operation string, age time.Duration) {
	service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: person, Operation: operation, At: time.Now().Add(-age)})
}

// mustSubmit submits a request that has to be accepted.
func (r run) mustSubmit(t *testing.T, q deferred.Request) (proof.Submission, deferred.Observed) {
	t.Helper()
	s, report, err := r.Submit(t.Context(), q, proof.Submission{})
	noError(t, err)
	return s, report
}

// mustRefresh looks once at a request some time later.
func (r run) mustRefresh(t *testing.T, q deferred.Request, s proof.Submission, later time.Duration) (proof.Submission, deferred.Observed) {
	t.Helper()
	<-time.After(later)
	s, report, err := r.Refresh(t.Context(), q, s)
	noError(t, err)
	return s, report
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantClass fails the test if err is not a client error of the class.
func wantClass(t *testing.T, err error, class transport.ErrorClass) *transport.Error {
	t.Helper()
	e, ok := errors.AsType[*transport.Error](err)
	if !ok || e.Class != class {
		t.Fatalf("got the error %v, want %q", err, (&transport.Error{Class: class}).Title())
	}
	return e
}

// wantState fails the test if a submission is in another state.
func wantState(t *testing.T, s proof.Submission, want proof.State) {
	t.Helper()
	if s.State != want {
		t.Errorf("the request is %q, want %q: %+v", s.State, want, s)
	}
}

// wantOurs fails the test if a request is not pending, or not the one that the service has accepted.
func wantOurs(t *testing.T, service *mocktest.Instance, s proof.Submission) {
	t.Helper()
	wantState(t, s, proof.Listed)
	wantQueued(t, service, 1)
	if ours := service.Queue()[0].ID; s.ShownID() != ours {
		t.Errorf("the request is taken for %q, and ours is %q", s.ShownID(), ours)
	}
}

// wantQueued fails the test if the service has accepted another number of requests.
func wantQueued(t *testing.T, service *mocktest.Instance, want int) {
	t.Helper()
	if got := len(service.Queue()); got != want {
		t.Errorf("%d requests were accepted, want %d", got, want)
	}
}

// wantCount fails the test if the service received another number of calls.
func wantCount(t *testing.T, service *mocktest.Instance, operation string, want int) {
	t.Helper()
	if got := service.Count(operation); got != want {
		t.Errorf("the service received %d %s calls, want %d", got, operation, want)
	}
}
