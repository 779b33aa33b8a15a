// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

var opListPending = transport.Operation{Name: "List pending actions", Method: http.MethodGet, Path: "/compliance/pending-requests"}

// ListPending is GET …/pending-requests (section 4), which lists only deferrable actions. It reads
// all pages of the list, and has a gap where they cannot be followed. Errors are *Error.
func (c *Client) ListPending(ctx context.Context, scope Scope) (answer.PendingList, error) {
	to, err := scope.endpoint(opListPending)
	if err != nil {
		return answer.PendingList{}, err
	}

	var list answer.PendingList
	pages := c.pagesOf(to, nil)
	for more := true; more; {
		got, err := c.do(ctx, transport.Request{Op: opListPending, To: to, Payload: transport.Payload{Query: pages.query()}})
		if err != nil {
			return answer.PendingList{}, err
		}
		part, err := c.readPending(got)
		if err != nil {
			return answer.PendingList{}, err
		}

		list.Records = append(list.Records, part.Records...)
		list.Gap = cmp.Or(list.Gap, part.Gap)
		list.Cached = list.Cached || part.Cached
		if list.Date.IsZero() || isBefore(part.Date, list.Date) {
			list.Date = part.Date
		}

		read := page{header: got.Response.Header, records: int64(len(part.Records))}
		if at := c.config.Wire.Pending.Next; at != "" {
			read.next = jsonvalue.At(got.JSON, at)
		}
		if at := c.config.Wire.Pending.Total; at != "" {
			read.total = jsonvalue.At(got.JSON, at)
		}
		if more, err = pages.follow(read); err != nil {
			list.Gap = cmp.Or(list.Gap, answer.Partial(err.Error()))
		}
	}
	list.Sort()

	return list, nil
}

// limitAdvice is the size of the largest list, in bytes, for which settings are proposed: that reads it
// many times, and a list that is waited for is read every few seconds.
const limitAdvice = 256 << 10

// readPending returns the list that an answer is, or the page of it. Where it is not a whole list, the
// settings that admit it are proposed, unless it is long.
func (c *Client) readPending(got transport.Answer) (answer.PendingList, error) {
	call := c.config.Wire.listCall(got)
	list, err := call.Read(got.JSON)
	isWhole := err == nil && list.Gap == ""
	if !isWhole && len(got.JSON) <= limitAdvice {
		propose := func(a infer.Answer) []infer.Settings { return infer.Pending(a) }
		admits := func(with Wire) bool {
			list, err := with.listCall(got).Read(got.JSON)
			return err == nil && list.Gap == ""
		}
		if settings := c.config.Wire.advise(got.JSON, propose, admits); settings != "" {
			call.Advice = "look at it: " + answer.Admits(settings)
		}
		list, err = call.Read(got.JSON)
	}
	if err != nil {
		return answer.PendingList{}, answerError(got, err)
	}

	list.Cached, list.Date = got.Cached, got.Date
	list.Gap = got.Redact.Clean(list.Gap)
	for i, r := range list.Records {
		if r.Code != "" {
			list.Records[i].Code = ShownID(got.Redact.Clean(r.Code), r.Identity)
		}
	}

	return list, nil
}

// listCall returns the call that was answered, with its settings.
func (w Wire) listCall(got transport.Answer) answer.ListCall {
	pending := w.Pending

	return answer.ListCall{
		Envelope: w.envelope(),
		At:       pending.At,
		Next:     pending.Next,
		Total:    pending.Total,
		Empty:    pending.Empty,
		RecordMap: answer.RecordMap{
			ID: pending.ID, Identity: pending.Identity, Type: pending.Type, Status: pending.Status, Created: pending.Created,
			Types: pending.Types,
			Statuses: map[answer.Progress][]string{
				answer.Waiting: pending.Statuses[StatusWaiting],
				answer.Done:    pending.Statuses[StatusDone],
				answer.Failed:  pending.Statuses[StatusFailed],
				answer.Ended:   pending.Statuses[StatusEnded],
			},
		},
		Continued: got.Response.Header.Get("Content-Range") != "",
	}
}

// ShownID returns an identifier or a code that the service gives to a request about a person, for
// a message: escaped, cut to 80 characters, and without the person and what looks like one or like
// a secret.
func ShownID(id, person string) string { return transport.NewRedactor(person).Text(id, 80) }

// PendingListUse returns how the pending list is used: ListWhole, ListPartial or ListIgnored.
func (c *Client) PendingListUse() string { return c.config.Wire.Pending.Use }

// Lag returns how long any reading may lag behind the service.
func (c *Client) Lag() time.Duration {
	lag, _ := time.ParseDuration(c.config.Wire.Lag) // it was validated
	return lag
}

// LockPerson waits until nothing else of this process submits deferred requests about a
// person, or until the context ends. The caller calls unlock.
func (c *Client) LockPerson(ctx context.Context, p Person) (unlock func(), err error) {
	return c.requests.lock(ctx, p)
}

// deferredOperations are the operations that submit requests, by request type.
var deferredOperations = map[string]transport.Operation{
	answer.RequestDataDeletion:  opDeleteData,
	answer.RequestDataAccess:    opGetAllData,
	answer.RequestProfileUpdate: opUpdateProfile,
}

// DeferredError returns an error about a request of a type that no answer of the service
// has caused. An empty request type stands for the pending list.
func DeferredError(requestType string, scope Scope, class transport.ErrorClass, detail string) *transport.Error {
	op, ok := deferredOperations[requestType]
	if !ok {
		op = opListPending
	}

	to, _ := scope.endpoint(op) // for its template

	return transport.NewError(transport.About(op, to), class, detail)
}
