package client_test

import (
	"errors"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// startHTTP2 starts a service over HTTP/2 and a client with an open connection to it.
func startHTTP2(t *testing.T, end mockserver.StreamEnd, change func(*client.Config)) (*mocktest.Instance, *client.Client) {
	t.Helper()
	service := mocktest.StartTLS(t, mocktest.Valid, func(s *mockserver.Server) { s.StreamEnd = end })
	c, err := direct(service, change)
	noError(t, err)
	t.Cleanup(c.Close)
	_, err = c.CurrentUser(t.Context())
	noError(t, err)
	return service, c
}

func TestHTTP2_refusedRequestIsSentAgain(t *testing.T) {
	t.Parallel()

	for name, end := range map[string]mockserver.StreamEnd{"REFUSED_STREAM": mockserver.ResetRefused, "GOAWAY": mockserver.GoAway} {
		for operation, call := range changes() {
			t.Run(name+" "+operation, func(t *testing.T) {
				t.Parallel()

				service, c := startHTTP2(t, end, nil)
				service.Inject(mockserver.Fault{Operation: operation, Cut: mockserver.CutBeforeCommit})

				noError(t, call(t.Context(), c))

				wantCount(t, service, operation, 2)
				wantCount(t, service, mockserver.OpGetConsent, 0)
			})
		}
	}
}

func TestHTTP2_refusalThatStaysIsNotAnUnknownOutcome(t *testing.T) {
	t.Parallel()

	for name, end := range map[string]mockserver.StreamEnd{"REFUSED_STREAM": mockserver.ResetRefused, "GOAWAY": mockserver.GoAway} {
		for operation, call := range changes() {
			t.Run(name+" "+operation, func(t *testing.T) {
				t.Parallel()

				service, c := startHTTP2(t, end, nil)
				service.Inject(mockserver.Fault{Operation: operation, Cut: mockserver.CutBeforeCommit, Times: -1})

				err := call(t.Context(), c)

				e := wantClass(t, err, client.ClassConnectionLost)
				if !e.NotProcessed || e.Ambiguous || e.Attempts != 2 {
					t.Errorf("not processed: %v, ambiguous: %v, attempts: %d", e.NotProcessed, e.Ambiguous, e.Attempts)
				}

				wantCount(t, service, operation, 2)
			})
		}
	}
}

func TestHTTP2_otherResetsProveNothing(t *testing.T) {
	t.Parallel()

	for name, end := range map[string]mockserver.StreamEnd{"INTERNAL_ERROR": mockserver.ResetInternal, "PROTOCOL_ERROR": mockserver.ResetProtocol} {
		for operation, call := range changes() {
			t.Run(name+" "+operation, func(t *testing.T) {
				t.Parallel()

				service, c := startHTTP2(t, end, nil)
				service.Inject(
					mockserver.Fault{Operation: operation, Cut: mockserver.CutAfterCommit},
					// The reads that could resolve the outcome fail too.
					mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 403, Times: -1},
					mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 403, Times: -1})

				err := call(t.Context(), c)

				e, ok := errors.AsType[*client.Error](err)
				if !ok || !e.Ambiguous || e.NotProcessed {
					t.Errorf("the error is %+v", err)
				}

				wantCount(t, service, operation, 1)
			})
		}
	}
}

func TestHTTP2_lostAnswersAreResolved(t *testing.T) {
	t.Parallel()

	for name, fault := range map[string]mockserver.Fault{
		"reset before the change": {Cut: mockserver.CutBeforeCommit},
		"reset after the change":  {Cut: mockserver.CutAfterCommit},
		"goaway":                  {Header: map[string][]string{"Connection": {"close"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			service := mocktest.StartTLS(t, mocktest.Valid)
			c, err := direct(service, nil)
			noError(t, err)
			defer c.Close()

			for _, operation := range []string{mockserver.OpUpdateConsent, mockserver.OpGetConsent} {
				fault.Operation = operation
				service.Inject(fault)
			}

			noError(t, update(t.Context(), c))
			_, err = c.GetConsent(t.Context(), scope, person)
			noError(t, err)

			committed := 0
			for _, r := range service.Requests() {
				if r.Operation == mockserver.OpUpdateConsent && r.Committed {
					committed++
				}
			}

			if committed != 1 {
				t.Errorf("the change was made %d times", committed)
			}
		})
	}
}
