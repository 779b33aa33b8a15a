// SPDX-License-Identifier: MPL-2.0

package client

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// limitAcknowledgement is the size of the largest receipt, in bytes. A larger answer is the
// data, or not understood.
const limitAcknowledgement = 64 << 10

// dataReceipt reads the answer to a request for data, and writes it to w.
func dataReceipt(ctx context.Context, s *transport.Stream, of answer.DataCall, w io.Writer) (answer.Receipt, error) {
	if detail := s.Call.Op.Incomplete(s.Response.StatusCode); detail != "" {
		return answer.Receipt{}, s.Call.Fail(transport.ClassPayload, s.Response.StatusCode, detail)
	}

	unpacked, err := s.Unpacked()
	if err != nil {
		return answer.Receipt{}, dataError(s, err)
	}
	defer unpacked.Close()

	head, err := io.ReadAll(io.LimitReader(unpacked, limitAcknowledgement+1))
	if err != nil {
		return answer.Receipt{}, dataError(s, err)
	}

	of.Continued = transport.HasNextLink(s.Response.Header)
	if len(head) > limitAcknowledgement {
		return largeReceipt(s, of, io.MultiReader(bytes.NewReader(head), unpacked), w)
	}

	got, err := s.Call.SuccessAnswer(ctx, s.Response, head)
	if err != nil {
		return answer.Receipt{}, err
	}
	receipt, err := of.Read(got.Status, got.JSON)
	if err == nil && receipt.Delivered {
		_, err = w.Write(got.JSON)
	}

	return shownReceipt(got, receipt, err)
}

// shownReceipt returns the receipt of an answer as it may be shown, or the error of an answer
// that is none. err is of package answer.
func shownReceipt(a transport.Answer, r answer.Receipt, err error) (answer.Receipt, error) {
	if err != nil {
		return answer.Receipt{}, problem(a, err)
	}
	r.NotUnderstood = a.Call.Redact.Clean(r.NotUnderstood)
	return r, nil
}

// largeReceipt writes an answer to w while it checks that it is one JSON value, in constant
// memory.
func largeReceipt(s *transport.Stream, of answer.DataCall, text io.Reader, w io.Writer) (answer.Receipt, error) {
	sink := &sink{Writer: w}
	v, err := answer.Skeleton(io.TeeReader(text, sink))
	if sink.err != nil {
		return answer.Receipt{}, sink.err
	}
	if err != nil {
		return answer.Receipt{}, dataError(s, err)
	}

	got := transport.Answer{Call: s.Call, Status: s.Response.StatusCode, JSON: v}
	receipt, err := of.Read(got.Status, v)

	return shownReceipt(got, receipt, err)
}

// dataError returns the *Error for what ended the reading of the answer. It shows nothing of the
// answer.
func dataError(s *transport.Stream, err error) error {
	if lost := s.NetworkError(); lost != nil {
		return s.Call.TransportError(lost)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return s.Call.Fail(transport.ClassTruncated, s.Response.StatusCode, "the JSON ends in the middle")
	}

	if _, ok := errors.AsType[*jsontext.SyntacticError](err); ok || errors.Is(err, jsonvalue.ErrTrailing) {
		return s.Call.Fail(transport.ClassPayload, s.Response.StatusCode, jsonvalue.DescribeSyntax(err))
	}

	return s.Call.Fail(transport.ClassPayload, s.Response.StatusCode, transport.ErrCoding.Error())
}

// sink is a writer that remembers its error, to tell it from one of what is read.
type sink struct {
	io.Writer

	err error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err != nil {
		s.err = err
	}
	return n, err
}
