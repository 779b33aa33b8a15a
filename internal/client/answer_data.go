package client

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	answers "github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// limitAcknowledgement is the size of the largest receipt, in bytes. A larger answer is the
// data, or not understood.
const limitAcknowledgement = 64 << 10

// receipt reads the answer to a request for data, and writes it to w.
func (s *streamed) receipt(ctx context.Context, of answers.DataCall, w io.Writer) (answers.Receipt, error) {
	if detail := s.call.op.incomplete(s.resp.StatusCode); detail != "" {
		return answers.Receipt{}, s.call.fail(ClassPayload, s.resp.StatusCode, detail)
	}

	body := &noted{Reader: s.resp.Body}
	unpacked, err := s.unpacked(body)
	if err != nil {
		return answers.Receipt{}, s.dataError(err, body)
	}
	defer unpacked.Close()

	head, err := io.ReadAll(io.LimitReader(unpacked, limitAcknowledgement+1))
	if err != nil {
		return answers.Receipt{}, s.dataError(err, body)
	}

	of.Continued = hasNextLink(s.resp.Header)
	if len(head) > limitAcknowledgement {
		return s.largeReceipt(of, io.MultiReader(bytes.NewReader(head), unpacked), body, w)
	}

	got, err := s.call.successAnswer(ctx, s.resp, head)
	if err != nil {
		return answers.Receipt{}, err
	}
	receipt, err := of.Read(got.status, got.json)
	if err == nil && receipt.Delivered {
		_, err = w.Write(got.json)
	}

	return got.receipt(receipt, err)
}

// receipt returns the receipt of an answer as it may be shown, or the error of an answer
// that is none. err is of package answer.
func (a answer) receipt(r answers.Receipt, err error) (answers.Receipt, error) {
	if err != nil {
		return answers.Receipt{}, a.problem(err)
	}
	r.NotUnderstood = a.call.redact.clean(r.NotUnderstood)
	return r, nil
}

// largeReceipt writes an answer to w while it checks that it is one JSON value, in constant
// memory.
func (s *streamed) largeReceipt(of answers.DataCall, text io.Reader, body *noted, w io.Writer) (answers.Receipt, error) {
	sink := &sink{Writer: w}
	v, err := answers.Skeleton(io.TeeReader(text, sink))
	if sink.err != nil {
		return answers.Receipt{}, sink.err
	}
	if err != nil {
		return answers.Receipt{}, s.dataError(err, body)
	}

	got := answer{call: s.call, status: s.resp.StatusCode, json: v}
	receipt, err := of.Read(got.status, v)

	return got.receipt(receipt, err)
}

// dataError returns the *Error for what ended the reading of body. It shows nothing of the
// answer.
func (s *streamed) dataError(err error, body *noted) error {
	if body.err != nil {
		return s.call.transportError(body.err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return s.call.fail(ClassTruncated, s.resp.StatusCode, "the JSON ends in the middle")
	}

	if errors.Is(err, jsonvalue.ErrTrailing) || isType[*jsontext.SyntacticError](err) {
		return s.call.fail(ClassPayload, s.resp.StatusCode, jsonvalue.DescribeSyntax(err))
	}

	return s.call.fail(ClassPayload, s.resp.StatusCode, errCoding.Error())
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
