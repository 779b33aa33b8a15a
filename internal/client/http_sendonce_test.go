// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
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

func TestHTTP2_onlyARefusalProvesThatNothingWasProcessed(t *testing.T) {
	t.Parallel()

	refusals := map[string]mockserver.StreamEnd{"REFUSED_STREAM": mockserver.ResetRefused, "GOAWAY": mockserver.GoAway}
	others := map[string]mockserver.StreamEnd{"INTERNAL_ERROR": mockserver.ResetInternal, "PROTOCOL_ERROR": mockserver.ResetProtocol}
	for name, tc := range map[string]struct {
		ends   map[string]mockserver.StreamEnd
		fault  mockserver.Fault
		sent   int
		failed *transport.Error // what the error says of the outcome; nil if there is none
	}{
		"a refusal":             {refusals, mockserver.Fault{Cut: mockserver.CutBeforeCommit}, 2, nil},
		"a refusal that stays":  {refusals, mockserver.Fault{Cut: mockserver.CutBeforeCommit, Times: -1}, 2, &transport.Error{NotProcessed: true, Attempts: 2}},
		"a reset of other kind": {others, mockserver.Fault{Cut: mockserver.CutAfterCommit}, 1, &transport.Error{Ambiguous: true, Attempts: 1}},
	} {
		for end, ending := range tc.ends {
			for operation, call := range changes() {
				t.Run(name+" "+end+" "+operation, func(t *testing.T) {
					t.Parallel()

					service, c := startHTTP2(t, ending, nil)
					fault := tc.fault
					fault.Operation = operation
					service.Inject(fault,
						// The reads that could resolve the outcome fail too.
						mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 403, Times: -1},
						mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 403, Times: -1})

					err := call(t.Context(), c)

					wantCount(t, service, operation, tc.sent)
					if tc.failed == nil {
						noError(t, err)
						wantCount(t, service, mockserver.OpGetConsent, 0)
						return
					}

					e := wantClass(t, err, transport.ClassConnectionLost, transport.ClassUnknownOutcome)
					if e.NotProcessed != tc.failed.NotProcessed || e.Ambiguous != tc.failed.Ambiguous || e.Attempts != tc.failed.Attempts {
						t.Errorf("%+v", e)
					}
				})
			}
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
