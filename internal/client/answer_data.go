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

// limitAcknowledgement is the size in bytes up to which an answer may be an
// acknowledgement; a larger one is the data.
const limitAcknowledgement = 64 << 10

// receipt reads the answer to a request for data.
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

// smallReceipt judges an answer by its structure.
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

// largeReceipt passes an answer on while it checks that it is one JSON object or
// array, in constant memory.
func (s *streamed) largeReceipt(text io.Reader, body *noted, w io.Writer) (Receipt, error) {
	sink := &sink{Writer: w}
	decoder := jsontext.NewDecoder(io.TeeReader(text, sink))

	kind := decoder.PeekKind()
	err := decoder.SkipValue()
	if err == nil {
		_, err = decoder.ReadToken()
	}
	switch {
	case sink.err != nil:
		return Receipt{}, sink.err
	case err == nil:
		return Receipt{}, s.call.fail(ClassPayload, s.resp.StatusCode, jsonvalue.ErrTrailing.Error())
	case !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return Receipt{}, s.dataError(err, body)
	case kind != '{' && kind != '[' || s.resp.StatusCode != http.StatusOK:
		return Receipt{}, s.call.fail(ClassPayload, s.resp.StatusCode, "the answer is large and no data of a person: it is "+jsonvalue.KindName(jsontext.Value(kind.String())))
	}
	return Receipt{At: time.Now(), Delivered: true}, nil
}

// dataError turns what ended the reading of an answer into an *Error; nothing of the
// answer is shown.
func (s *streamed) dataError(err error, body *noted) error {
	var syntactic *jsontext.SyntacticError

	switch {
	case body.err != nil:
		return s.call.transportError(body.err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return s.call.fail(ClassTruncated, s.resp.StatusCode, "the JSON ends in the middle")
	case errors.As(err, &syntactic):
		return s.call.fail(ClassPayload, s.resp.StatusCode, jsonvalue.DescribeSyntax(err))
	}
	return s.call.fail(ClassPayload, s.resp.StatusCode, errCoding.Error())
}

// sink remembers the error of a writer, to tell it from one of what is read.
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
