// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"sync"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// limitBody is how much of an answer is kept, in bytes: a day may be long.
const limitBody = 1 << 20

// exchange is an answer of the service as it came.
type exchange struct {
	request  string         // by which the answer is found again: method, path and query, without a credential
	response *http.Response // but for its body
	body     []byte         // its beginning
}

// evidence returns the answer for inference, without its compression. What is cut off is not JSON.
func (x exchange) evidence() infer.Answer {
	media, _, _ := mime.ParseMediaType(x.response.Header.Get("Content-Type")) // "" where it is not valid
	body := x.body
	if unpacked, err := transport.Unpack(x.response.Header, bytes.NewReader(x.body)); err == nil {
		body, _ = io.ReadAll(io.LimitReader(unpacked, limitBody)) // the beginning will do
		_ = unpacked.Close()
	}

	return infer.Answer{MediaType: media, Body: body}
}

// session is how requests are sent.
type session struct {
	way      *way
	wire     client.Wire
	before   []exchange // answers that are repeated and not asked for again
	isClosed bool       // nothing else is sent
}

// do reads in a session of its own, and returns the answers too that were not there before.
func (x *examination) do(ctx context.Context, in session, read reader) (decoded, []exchange, error) {
	answers := &tape{session: in}
	cfg := x.options.Client
	cfg.Credentials, cfg.Wire, cfg.Around = in.way.credentials, in.wire, answers.around
	cfg.MaxRetries = min(cfg.MaxRetries, in.way.retries)
	if len(in.before) > 0 {
		cfg.MaxRetries = 0 // a repeated failure stays one
	}

	c, err := client.New(cfg)
	if err != nil {
		return decoded{}, nil, reason("the setting " + err.Error())
	}
	defer c.Close()
	got, err := read(ctx, c)

	answers.mu.Lock()
	defer answers.mu.Unlock()
	x.report.Requests += len(answers.taken)

	return got, slices.Clone(answers.taken), err
}

// tape carries the requests of a session, and keeps the answers.
type tape struct {
	session

	pool  http.RoundTripper
	mu    sync.Mutex // a login may go on for others
	taken []exchange
}

func (t *tape) around(pool http.RoundTripper) http.RoundTripper {
	t.pool = pool
	return t
}

// RoundTrip repeats the last answer that a request had before, or else carries it and keeps the beginning of its
// answer.
func (t *tape) RoundTrip(req *http.Request) (*http.Response, error) {
	query := req.URL.Query()
	query.Del("apiSecretToken")
	request := req.Method + " " + req.URL.EscapedPath() + "?" + query.Encode()
	for _, x := range slices.Backward(t.before) {
		if x.request == request {
			again := *x.response
			again.Header, again.Request, again.Body = again.Header.Clone(), req, io.NopCloser(bytes.NewReader(x.body))
			return &again, nil
		}
	}
	if t.isClosed {
		return nil, errors.New("this request was not sent")
	}

	resp, err := t.pool.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	begin, err := io.ReadAll(io.LimitReader(resp.Body, limitBody))
	kept := *resp
	kept.Header = resp.Header.Clone()
	if err != nil || len(begin) == limitBody {
		kept.ContentLength = -1
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(begin), resp.Body), resp.Body} // which repeats its error

	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken = append(t.taken, exchange{request, &kept, begin})

	return resp, nil
}
