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
	request  string         // method, path and query, without a credential
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

// requestOf returns by what an answer is found again.
func requestOf(r *http.Request) string {
	query := r.URL.Query()
	query.Del("apiSecretToken")
	return r.Method + " " + r.URL.EscapedPath() + "?" + query.Encode()
}

// tape keeps the answers that a client gets, or, without a pool, repeats them.
type tape struct {
	pool http.RoundTripper

	mu      sync.Mutex // a login may go on for others
	answers []exchange
	asked   bool // for what was not answered before, such as a next page
}

// record returns the tape behind a pool, whose answers it keeps.
func (t *tape) record(pool http.RoundTripper) http.RoundTripper {
	t.pool = pool
	return t
}

// repeat returns the tape in place of a pool.
func (t *tape) repeat(http.RoundTripper) http.RoundTripper { return t }

// taken returns the answers so far.
func (t *tape) taken() []exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.answers)
}

// RoundTrip carries a request, and keeps the beginning of its answer.
func (t *tape) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.pool == nil {
		return t.repeated(req)
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
	t.answers = append(t.answers, exchange{requestOf(req), &kept, begin})

	return resp, nil
}

// repeated returns the last answer that the request had.
func (t *tape) repeated(req *http.Request) (*http.Response, error) {
	want := requestOf(req)
	for _, x := range slices.Backward(t.answers) {
		if x.request == want {
			again := *x.response
			again.Header, again.Request, again.Body = again.Header.Clone(), req, io.NopCloser(bytes.NewReader(x.body))
			return &again, nil
		}
	}
	t.asked = true

	return nil, errors.New("this request was not sent")
}
