// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"sync"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// limitBody is how much of an answer is kept, in bytes: a day may be long.
const limitBody = 1 << 20

// exchange is an answer of the service as it came.
type exchange struct {
	request string // method, path and query, without a credential
	status  int
	header  http.Header
	body    []byte // its beginning
	isWhole bool
}

// evidence returns the answer for inference, without its compression. What is cut off is not JSON.
func (x exchange) evidence() infer.Answer {
	media, _, _ := mime.ParseMediaType(x.header.Get("Content-Type")) // "" where it is not valid
	body := x.body
	if unpacked, err := transport.Unpack(x.header, bytes.NewReader(x.body), true); err == nil {
		body, _ = io.ReadAll(io.LimitReader(unpacked, limitBody)) // the beginning will do
		_ = unpacked.Close()
	}

	return infer.Answer{MediaType: media, Body: body}
}

// requestOf returns by what an answer is found again.
func requestOf(r *http.Request) string {
	query := r.URL.Query()
	query.Del("apiSecretToken")
	return r.Method + " " + r.URL.EscapedPath() + "?" + query.Encode()
}

// recorder keeps the answers that a client gets.
type recorder struct {
	pool http.RoundTripper

	mu   sync.Mutex
	kept []exchange
}

func (r *recorder) around(pool http.RoundTripper) http.RoundTripper {
	r.pool = pool
	return r
}

// RoundTrip carries a request, and keeps the beginning of its answer.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.pool.RoundTrip(req)
	if err != nil {
		return nil, err
	}

	begin, err := io.ReadAll(io.LimitReader(resp.Body, limitBody))
	isWhole := err == nil && len(begin) < limitBody
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(begin), resp.Body), resp.Body} // which repeats its error

	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, exchange{requestOf(req), resp.StatusCode, resp.Header.Clone(), begin, isWhole})

	return resp, nil
}

// take returns the answers. A login may still go on for others.
func (r *recorder) take() []exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.kept)
}

// errNotSeen ends a repeated reading that asks for what was not answered.
var errNotSeen = errors.New("this request was not sent")

// replay gives answers again that were seen before: to each request the last one that it had.
type replay struct {
	answers []exchange
	asked   bool // for what was not answered before, such as a next page
}

func (r *replay) around(http.RoundTripper) http.RoundTripper { return r }

// RoundTrip answers without a network.
func (r *replay) RoundTrip(req *http.Request) (*http.Response, error) {
	want := requestOf(req)
	for _, x := range slices.Backward(r.answers) {
		if x.request != want {
			continue
		}

		resp := &http.Response{
			StatusCode: x.status, Header: x.header.Clone(), Request: req, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			ContentLength: int64(len(x.body)), Body: io.NopCloser(bytes.NewReader(x.body)),
		}
		if !x.isWhole {
			resp.ContentLength = -1
		}

		return resp, nil
	}
	r.asked = true

	return nil, errNotSeen
}
