// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

var opListPending = transport.Operation{Name: "List pending actions", Method: http.MethodGet, Path: "/compliance/pending-requests"}

// ListPending is GET …/pending-requests (section 4), which lists only deferrable actions. It reads
// all pages of the list, and has a gap where they cannot be followed. Errors are *Error.
func (c *Client) ListPending(ctx context.Context, scope Scope) (list answer.PendingList, _ error) {
	pages := &pages{base: c.base}
	for more := true; more; {
		got, err := c.ask(ctx, Person{Scope: scope}, transport.Request{Op: opListPending, Query: pages.query})
		if err != nil {
			return answer.PendingList{}, err
		}
		part, err := c.readPending(got)
		if err != nil {
			return answer.PendingList{}, failure(got, err)
		}

		list.Records = append(list.Records, part.Records...)
		list.Gap = cmp.Or(list.Gap, got.Redact.Clean(part.Gap))
		list.Hint = cmp.Or(list.Hint, got.Redact.Clean(part.Hint))
		list.Cached = list.Cached || got.Cached
		list.Date = cmp.Or(list.Date, got.Date) // a later page that is older by more than seconds is cached

		next, total := valueAt(got.JSON, c.wire.Pending.Next), valueAt(got.JSON, c.wire.Pending.Total)
		more, err = pages.follow(got, next, total, int64(len(part.Records)))
		if err != nil {
			list.Gap = cmp.Or(list.Gap, answer.Partial(err.Error()).Error())
		}
	}
	list.Sort()

	return list, nil
}

// isBefore reports whether a time that is known is before another one.
func isBefore(t, other time.Time) bool { return !t.IsZero() && t.Before(other) }

// valueAt returns what a pointer leads to; nil if it is not set, or if there is nothing.
func valueAt(v jsontext.Value, at jsontext.Pointer) jsontext.Value {
	if at == "" {
		return nil
	}
	return jsonvalue.At(v, at)
}

// limitAdvice is the size of the largest list, in bytes, for which settings are proposed: that reads it
// many times, and a list that is waited for is read every few seconds.
const limitAdvice = 256 << 10

// readPending returns the list that an answer is, or the page of it. Settings are proposed that admit what is
// not a whole list, or that name what its records do not say in a known way, unless it is long. Errors are those
// of package answer.
func (c *Client) readPending(got transport.Answer) (answer.PendingList, error) {
	read := func(with Wire) (answer.PendingList, error) {
		return answer.ListCall{ListMap: with.Pending.ListMap, Envelope: with.Envelope}.Read(got.JSON)
	}
	list, err := read(c.wire)
	if len(got.JSON) <= limitAdvice {
		propose := func(a infer.Answer) []infer.Settings { return infer.Pending(a) }
		err = c.wire.advise(err, got.JSON, propose, func(with Wire) bool { _, err := read(with); return err == nil })
		if list.HasUnknown() {
			list.Hint = c.wire.proposal(got.JSON, propose, func(with Wire) bool { named, err := read(with); return err == nil && !named.HasUnknown() })
		}
	}
	if p, ok := errors.AsType[*answer.Error](err); ok && p.Outcome == answer.Incomplete {
		list.Gap, err = p.Error(), nil
	}

	for i, r := range list.Records {
		if r.Code != "" {
			list.Records[i].Code = ShownID(got.Redact.Clean(r.Code), r.Identity)
		}
	}

	return list, err
}

// ShownID returns an identifier or a code that the service gives to a request about a person, for
// a message: escaped, cut to 80 characters, and without the person and what looks like one or like
// a secret.
func ShownID(id, person string) string {
	return (&transport.Redactor{Values: []string{person}}).Text(id, 80)
}

// DeferredError returns an error about a request of a type that no answer of the service
// has caused. An empty request type stands for the pending list.
func DeferredError(requestType string, class transport.ErrorClass, detail string) *transport.Error {
	op := map[string]transport.Operation{
		answer.RequestDataDeletion:  opDeleteData,
		answer.RequestDataAccess:    opGetAllData,
		answer.RequestProfileUpdate: opUpdateProfile,
		"":                          opListPending,
	}[requestType]

	return transport.NewError(about(op), class, detail)
}
