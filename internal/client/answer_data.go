package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// limitAcknowledgement is the size of the largest acknowledgement, in bytes. A larger
// answer is the data.
const limitAcknowledgement = 64 << 10

// receipt reads the answer to a request for data, and writes it to w if it is the data.
func (s *streamed) receipt(ctx context.Context, w io.Writer) (Receipt, error) {
	if detail := s.call.op.incomplete(s.resp.StatusCode); detail != "" {
		return Receipt{}, s.call.fail(ClassPayload, s.resp.StatusCode, detail)
	}

	body := &noted{Reader: s.resp.Body}
	unpacked, err := s.unpacked(body)
	if err != nil {
		return Receipt{}, s.dataError(err, body)
	}
	defer unpacked.Close()

	head, err := io.ReadAll(io.LimitReader(unpacked, limitAcknowledgement+1))
	if err != nil {
		return Receipt{}, s.dataError(err, body)
	}
	if len(head) <= limitAcknowledgement {
		return s.smallReceipt(ctx, head, w)
	}

	return s.largeReceipt(io.MultiReader(bytes.NewReader(head), unpacked), body, w)
}

// smallReceipt decides by the structure of an answer whether it is the data or an
// acknowledgement.
func (s *streamed) smallReceipt(ctx context.Context, text []byte, w io.Writer) (Receipt, error) {
	got, err := s.call.successAnswer(ctx, s.resp, text)
	if err != nil {
		return Receipt{}, err
	}

	if s.resp.StatusCode != http.StatusOK || isAcknowledgement(got.json) {
		if err := got.complaint(); err != nil {
			return Receipt{}, err
		}
		return receiptOf(got.json), nil
	}

	if _, err := w.Write(got.json); err != nil {
		return Receipt{}, err
	}

	return Receipt{At: time.Now(), Delivered: true}, nil
}

// largeReceipt writes an answer to w while it checks that it is one JSON object or array,
// in constant memory.
func (s *streamed) largeReceipt(text io.Reader, body *noted, w io.Writer) (Receipt, error) {
	sink := &sink{Writer: w}
	kind, err := documentKind(io.TeeReader(text, sink))
	if sink.err != nil {
		return Receipt{}, sink.err
	}
	if err != nil {
		return Receipt{}, s.dataError(err, body)
	}

	if s.resp.StatusCode != http.StatusOK || kind != '{' && kind != '[' {
		return Receipt{}, s.call.fail(ClassPayload, s.resp.StatusCode, "the answer is large and no data of a person: it is "+jsonvalue.KindName(kind))
	}

	return Receipt{At: time.Now(), Delivered: true}, nil
}

// documentKind reads text to its end, and returns the kind of the one JSON value in it; 0
// where it is blank.
func documentKind(text io.Reader) (jsontext.Kind, error) {
	decoder := jsontext.NewDecoder(text)
	kind := decoder.PeekKind()
	if err := decoder.SkipValue(); err != nil && !errors.Is(err, io.EOF) {
		return kind, err
	}

	_, err := decoder.ReadToken()
	if err == nil {
		return kind, jsonvalue.ErrTrailing
	}
	if errors.Is(err, io.EOF) {
		return kind, nil
	}

	return kind, err
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
