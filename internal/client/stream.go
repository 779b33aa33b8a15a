package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

const (
	// limitWindow bounds what a zstd stream may have us hold, in bytes; it is what
	// RFC 8878 asks every decoder of HTTP to accept, and not more.
	limitWindow = 8 << 20

	// limitHead is how much of an answer is kept for an error message, in bytes.
	limitHead = 4 << 10
)

// streamed is an answer that is read while it comes.
type streamed struct {
	call *call
	resp *http.Response
	head head
}

// stream sends a request and returns with the beginning of its answer, which has a
// status of success; whatever else is an *Error. The stream has to be closed.
func (c *Client) stream(ctx context.Context, op operation, to endpoint, p payload, private ...string) (*streamed, error) {
	k := c.newCall(op, to, p, private...)
	ctx = context.WithValue(ctx, callKey{}, k)
	req, err := c.newRequest(ctx, op, to, p)
	if err != nil {
		return nil, k.fail(KindInternal, 0, "the request could not be built")
	}
	req.Header.Set("Accept", "application/json, application/x-ndjson, */*;q=0.1")
	req.Header.Set("Accept-Encoding", "zstd, gzip")
	resp, err := c.retries.Do(req)
	if err != nil {
		if resp != nil {
			resp.Body.Close()
		}
		return nil, k.transportError(err)
	}
	if resp.StatusCode/100 != 2 {
		_, err := k.readAnswer(resp)
		return nil, err
	}
	return &streamed{call: k, resp: resp}, nil
}

func (s *streamed) close() { s.resp.Body.Close() }

// split hands the records of the answer to emit. It takes the end of the answer for
// the end of the day only where that is proven: by a length, by the last chunk, by the
// end of a compressed stream, or by the last bracket of a single JSON value.
func (s *streamed) split(asked records.Kind, emit func(records.Kind, jsontext.Value) error) error {
	body, packed, err := s.decoded()
	if err != nil {
		return s.midway(s.call.transportError(err))
	}
	if body == nil {
		return s.call.fail(KindPayload, s.resp.StatusCode, "the answer is compressed in a way that was not asked for")
	}
	defer body.Close()
	ahead := readAhead(io.TeeReader(body, &s.head))
	// The reader ahead ends before what it reads from is closed.
	res, err := records.Split(ahead, asked, func(k records.Kind, record jsontext.Value) error {
		if err := emit(k, record); err != nil {
			return &sinkError{err}
		}
		return nil
	})
	s.stop(ahead)
	if own, ok := errors.AsType[*sinkError](err); ok {
		return own.error
	}
	if err == nil && !res.Closed && !packed && !s.delimited() {
		err = records.ErrTruncated
	}
	if err != nil {
		return s.judge(err)
	}
	return nil
}

// delimited reports whether the transport shows that the answer is complete.
func (s *streamed) delimited() bool {
	return s.resp.ProtoMajor >= 2 || s.resp.ContentLength >= 0 || slices.Contains(s.resp.TransferEncoding, "chunked")
}

// decoded is the answer without its compression; nil where that is not known.
func (s *streamed) decoded() (body io.ReadCloser, packed bool, err error) {
	switch strings.ToLower(strings.TrimSpace(s.resp.Header.Get("Content-Encoding"))) {
	case "", "identity":
		return io.NopCloser(s.resp.Body), false, nil
	case "gzip", "x-gzip":
		body, err = gzip.NewReader(s.resp.Body)
		return body, true, err
	case "zstd":
		d, err := zstd.NewReader(s.resp.Body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(limitWindow))
		if err != nil {
			return nil, true, err
		}
		return d.IOReadCloser(), true, nil
	}
	return nil, false, nil
}

// judge turns what ended the reading into an *Error.
func (s *streamed) judge(err error) *Error {
	status := s.resp.StatusCode
	switch {
	case errors.Is(err, records.ErrTruncated):
		return s.midway(s.call.fail(KindTruncated, status, "the export ends in the middle, or nothing shows that it is complete"))
	case errors.Is(err, records.ErrTooLarge):
		return s.call.fail(KindTooLarge, status, err.Error())
	case errors.Is(err, records.ErrOtherKind):
		return s.call.fail(KindPayload, status, err.Error()+"; compare wire.export_kind_parameter and wire.export_kind_values with what your service expects")
	case errors.Is(err, records.ErrShape), errors.Is(err, records.ErrSyntax), errors.Is(err, records.ErrRepeatedName):
		if isPage(s.resp, s.head.bytes) && errors.Is(err, records.ErrShape) {
			e := s.call.fail(KindNotJSON, status, "the answer is a page that begins with "+strconv.Quote(s.call.redact.excerpt(s.head.bytes)))
			e.Code = mediaType(s.resp)
			return e
		}
		return s.call.fail(KindPayload, status, err.Error())
	}
	return s.midway(s.call.transportError(err))
}

// midway marks an answer that broke off, so that reading it again from the beginning
// may help.
func (s *streamed) midway(e *Error) *Error {
	e.Status = s.resp.StatusCode
	switch e.Kind {
	case KindConnectionLost, KindTimeout, KindTruncated:
		e.midway = true
	}
	return e
}

type sinkError struct{ error }

// chunk is how much is read ahead at a time, in bytes.
const chunk = 256 << 10

// ahead reads in a goroutine of its own, so that the network, the decompression and
// the parser do not wait for each other.
type ahead struct {
	*io.PipeReader

	done chan struct{}
}

func readAhead(from io.Reader) *ahead {
	r, w := io.Pipe()
	a := &ahead{PipeReader: r, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		_, err := io.CopyBuffer(w, struct{ io.Reader }{from}, make([]byte, chunk))
		_ = w.CloseWithError(err)
	}()
	return a
}

// stop ends the reading ahead, also where it waits for the network.
func (s *streamed) stop(a *ahead) {
	_ = a.Close()
	s.resp.Body.Close()
	<-a.done
}

// head keeps the beginning of what is written to it.
type head struct{ bytes []byte }

func (h *head) Write(p []byte) (int, error) {
	if room := limitHead - len(h.bytes); room > 0 {
		h.bytes = append(h.bytes, p[:min(room, len(p))]...)
	}
	return len(p), nil
}
