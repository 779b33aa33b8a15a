// SPDX-License-Identifier: MPL-2.0

package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

var (
	opListPending = transport.Operation{Name: "List pending actions", Method: http.MethodGet, Path: "/compliance/pending-requests"}
	opGetProfile  = transport.Operation{Name: "Get user profile", Method: http.MethodGet, Path: "/compliance/user/{identityId}/profile"}
)

// submissions are the operations that submit deferred requests, by the type of request.
var submissions = map[string]transport.Operation{
	decode.RequestProfileUpdate: {Name: "Update user profile", Method: http.MethodPatch, Kind: transport.Queues, Path: "/compliance/user/{identityId}/profile"},
	decode.RequestDataDeletion:  {Name: "Delete all data of a user", Method: http.MethodDelete, Kind: transport.Queues, Path: "/compliance/user/{identityId}/all-data"},
	decode.RequestDataAccess:    {Name: "Get all data of a user", Method: http.MethodGet, Kind: transport.Queues, Path: "/compliance/user/{identityId}/all-data", Streams: true},
}

// ListPending is GET …/pending-requests (section 4), which lists only deferrable actions. It reads
// all pages of the list, and has a gap where they cannot be followed. Errors are *Error.
func (c *Client) ListPending(ctx context.Context, scope Scope) (list decode.PendingList, _ error) {
	pages := &pages{base: c.base}
	for more := true; more; {
		got, err := c.ask(ctx, Person{Scope: scope}, transport.Request{Op: opListPending, Query: pages.query})
		if err != nil {
			return decode.PendingList{}, err
		}
		part, isKnown, err := c.wire.readList(got.JSON)
		if err != nil || !isKnown {
			part.Hint, part.Gap, err = c.wire.adviseOnList(got.JSON, err)
		}
		if err != nil {
			return decode.PendingList{}, failure(got, err)
		}

		for i, r := range part.Records {
			if r.Code != "" {
				part.Records[i].Code = (&transport.Redactor{Values: []string{r.Identity}}).Text(got.Redact.Clean(r.Code), 80)
			}
		}
		list.Records = append(list.Records, part.Records...)
		list.Gap = cmp.Or(list.Gap, got.Redact.Clean(part.Gap))
		list.Hint = cmp.Or(list.Hint, got.Redact.Clean(part.Hint))
		list.Cached = list.Cached || got.Cached
		list.Date = cmp.Or(list.Date, got.Date) // a later page that is older by more than seconds is cached

		var next, total jsontext.Value // if they are set: an empty pointer leads to the answer itself
		if at := c.wire.Pending.Next; at != "" {
			next = jsonvalue.At(got.JSON, at)
		}
		if at := c.wire.Pending.Total; at != "" {
			total = jsonvalue.At(got.JSON, at)
		}
		more, err = pages.follow(got, next, total, int64(len(part.Records)))
		if err != nil {
			list.Gap = cmp.Or(list.Gap, decode.Partial(err.Error()).Error())
		}
	}
	slices.SortFunc(list.Records, decode.PendingRecord.Compare)

	return list, nil
}

// readList returns the list in an answer, or a page of it, and reports whether the fields of all records are known.
// Errors are those of package decode.
func (w Wire) readList(v jsontext.Value) (list decode.PendingList, isKnown bool, err error) {
	list, err = decode.ListCall{ListMap: w.Pending.ListMap, Envelope: w.Envelope}.Read(v)
	return list, !slices.ContainsFunc(list.Records, decode.PendingRecord.IsUnknown), err
}

// limitAdvice is the size of the largest list, in bytes, for which settings are proposed. Proposing reads the list many
// times, and a wait reads it every few seconds.
const limitAdvice = 256 << 10

// adviseOnList returns the settings that admit a list whose records have unknown fields, or that was read with an
// error. That of a list which is not whole becomes its gap.
func (w Wire) adviseOnList(v jsontext.Value, err error) (hint, gap string, _ error) {
	if len(v) <= limitAdvice {
		admits := func(with Wire) bool { _, isKnown, err := with.readList(v); return isKnown && err == nil }
		proposed := infer.Pending(infer.Answer{Body: v})
		hint, err = w.proposal(proposed, admits), w.advise(err, proposed, admits)
	}
	if p, ok := errors.AsType[*decode.Error](err); ok && p.Outcome == decode.Incomplete {
		return hint, p.Error(), nil
	}

	return hint, "", err
}

// ShownID returns the identifier that the service gives to a request about a person, for a message: quoted,
// escaped, cut to 80 characters, and without the person and what looks like one or like a secret.
func ShownID(id, person string) string {
	if id == "" {
		return "without an id"
	}
	shown := []rune((&transport.Redactor{Values: []string{person}}).Clean(id))

	return strconv.Quote(string(shown[:min(len(shown), 80)]))
}

// DeferredError returns an error about a request of a type that no answer of the service
// has caused. An empty request type stands for the pending list.
func DeferredError(requestType string, class transport.ErrorClass, detail string) *transport.Error {
	return transport.NewError(about(cmp.Or(submissions[requestType], opListPending)), class, detail)
}

// DeleteData is DELETE …/user/:identityId/all-data (section 4), a deferred request. Deleting
// data does not revoke consent. The request is sent once, since each that arrives is another
// one in the service's queue; package deferred decides when. Errors are *Error.
func (c *Client) DeleteData(ctx context.Context, p Person) (decode.Receipt, error) {
	got, err := c.ask(ctx, p, transport.Request{Op: submissions[decode.RequestDataDeletion]})
	if err != nil {
		return decode.Receipt{}, err
	}

	receipt, err := c.wire.Envelope.ReadReceipt(got.Status, got.JSON, p.Identity)

	return c.shown(got, receipt, err)
}

// FetchData is GET …/user/:identityId/all-data (section 4), a deferred request, which is sent once like
// DeleteData. That the same call returns the data once the request is fulfilled is our assumption: the
// interface shows no other way. The data are written to w as they come, whatever their size, and the receipt says
// Delivered; what is written without that is not the data. The caller sets Seen in the call. Errors are *Error, or
// those of w as they are.
func (c *Client) FetchData(ctx context.Context, p Person, call decode.DataCall, w io.Writer) (decode.Receipt, error) {
	call.Person, call.Envelope, call.At = p.Identity, c.wire.Envelope, c.wire.AllData.At
	if c.ListUse == ListIgnored && call.At == nil {
		return decode.Receipt{}, transport.NewError(about(submissions[decode.RequestDataAccess]), transport.ClassInvalid, "where wire.pending.use is \"ignored\", only wire.all_data.at shows that an answer is the data; nothing was sent")
	}

	s, err := c.ask(ctx, p, transport.Request{Op: submissions[decode.RequestDataAccess]})
	if err != nil {
		return decode.Receipt{}, err
	}
	defer s.Body.Close()

	if s.Cached {
		return decode.Receipt{}, transport.NewError(s.Exchange, transport.ClassPayload, "the answer comes from a cache, or is older than the request, so it is not the data that was asked for")
	}
	next, err := nextLinks(s.Header, nil)
	call.Continued = len(next) > 0 || err != nil

	return c.readData(s, call, w)
}

// readData reads the answer to a request for data. Data of the media type of the settings, which are not
// JSON, are written as they come. An answer without content is not the data.
func (c *Client) readData(s transport.Answer, call decode.DataCall, w io.Writer) (receipt decode.Receipt, _ error) {
	unpacked, err := transport.Unpack(s.Header, s.Body)
	if err != nil {
		return decode.Receipt{}, failure(s, err)
	}
	defer unpacked.Close()

	text, sink := bufio.NewReaderSize(unpacked, limitAcknowledgement+1), &sink{Writer: w}
	form := cmp.Or(c.wire.AllData.MediaType, "none")
	if s.MediaType != form || s.Status != http.StatusOK {
		receipt, err = c.readJSONData(s, call, text, sink)
		return receipt, cmp.Or(sink.err, err)
	}

	n, err := io.Copy(sink, text)
	isWhole := n > 0 && s.Body.IsDelimited
	if err == nil && !isWhole {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return decode.Receipt{}, cmp.Or(sink.err, failure(s, err))
	}

	return c.shown(s, decode.Receipt{At: time.Now(), Delivered: true}, nil)
}

// limitAcknowledgement is the size of the largest receipt, in bytes.
const limitAcknowledgement = 64 << 10

// readJSONData reads an answer that is the data as JSON, or a receipt. A receipt is not written, and counts where there
// is no space.
func (c *Client) readJSONData(s transport.Answer, call decode.DataCall, text *bufio.Reader, sink *sink) (decode.Receipt, error) {
	head, err := text.Peek(limitAcknowledgement + 1)
	head = bytes.Clone(head)

	isShort := errors.Is(err, io.EOF)
	switch {
	case isShort:
		s.JSON, err = s.Parse(text)
	case err == nil:
		s.JSON, err = decode.Abridge(io.TeeReader(text, sink))
	}
	if err != nil {
		return decode.Receipt{}, formError(s, head, err)
	}

	receipt, err := call.Read(s.Status, s.JSON)
	if err != nil {
		err = c.wire.advise(err, infer.Data(infer.Answer{Body: s.JSON}), func(with Wire) bool {
			call.At = with.AllData.At
			receipt, err := call.Read(s.Status, s.JSON)
			return err == nil && receipt.Delivered
		})
	}
	if isShort && receipt.Delivered {
		_, _ = sink.Write(head)
	}

	return c.shown(s, receipt, err)
}

// formError returns the *Error of an answer that is not JSON, with the setting that admits its form. It quotes
// nothing, since the text may be the person's data. Plain text may as well be an acknowledgement.
func formError(s transport.Answer, head []byte, err error) error {
	if !transport.IsError(err) {
		err = failure(s, err)
	}
	forms := infer.Data(infer.Answer{Body: head, MediaType: s.MediaType})
	isWhole := transport.IsClass(err, transport.ClassNotJSON, transport.ClassPayload)
	if len(forms) == 0 || !isWhole {
		return err
	}

	detail := "the answer is " + s.ShownType() + " and not JSON"
	if s.MediaType != "text/plain" {
		detail += `; if it is the data, wire.all_data.media_type = "` + s.ShownType() + `" takes it as it comes`
	}

	return transport.NewError(s.Exchange, transport.ClassNotJSON, detail)
}

// shown returns the receipt of an answer as it may be shown, or the error of an answer that is neither a
// receipt nor whole data. err is of package decode.
func (c *Client) shown(a transport.Answer, r decode.Receipt, err error) (decode.Receipt, error) {
	if err != nil {
		return decode.Receipt{}, failure(a, err)
	}
	if r.Delivered {
		return r, a.EndError(c.wire.Ignored)
	}
	r.NotUnderstood = a.Redact.Clean(r.NotUnderstood)

	return r, nil
}

// sink is a writer that remembers its error, to tell it from one of what is read.
type sink struct {
	io.Writer

	err error
}

func (s *sink) Write(p []byte) (n int, err error) {
	n, s.err = s.Writer.Write(p)
	return n, s.err
}

// GetProfile is GET …/user/:identityId/profile (section 4). managed are members that the caller knows of; an
// answer that has them in another place is an error. Errors are *Error, of ClassNotFound if the service says
// that there is no profile. The Profile says so too.
func (c *Client) GetProfile(ctx context.Context, p Person, managed map[string]jsontext.Value) (decode.Profile, error) {
	got, err := c.ask(ctx, p, transport.Request{Op: opGetProfile})
	if none, ok := errors.AsType[*transport.Error](err); ok {
		return decode.Profile{Cached: none.Cached, Date: none.Date, IsNone: none.Class == transport.ClassNotFound}, err
	}

	profile, err := decode.ProfileCall{Envelope: c.wire.Envelope, At: c.wire.Profile.At, Managed: managed}.Read(got.JSON)
	profile.Cached, profile.Date = got.Cached, got.Date

	return profile, failure(got, err)
}

// UpdateProfile is PATCH …/user/:identityId/profile (section 4), a deferred request that is
// usually fulfilled within 60 seconds (section 8). It sends the given members once; package
// deferred decides when. Errors are *Error.
func (c *Client) UpdateProfile(ctx context.Context, p Person, members map[string]jsontext.Value) (decode.Receipt, error) {
	r := transport.Request{Op: submissions[decode.RequestProfileUpdate], Body: []byte(jsonvalue.FormatObject(members)), Header: transport.JSONBody, Attribute: "profile"}
	for _, v := range members {
		r.Private = append(r.Private, transport.PrivateValues(v)...)
	}

	got, err := c.ask(ctx, p, r)
	if err != nil {
		return decode.Receipt{}, err
	}
	receipt, err := c.wire.Envelope.ReadUpdateReceipt(got.Status, got.JSON, p.Identity, members)

	return c.shown(got, receipt, err)
}
