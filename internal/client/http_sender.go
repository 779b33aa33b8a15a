package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/hashicorp/go-retryablehttp"
)

// sender sends requests to one origin with one set of credentials.
type sender struct {
	base     *url.URL
	readOnly bool

	retries *retryablehttp.Client // the outermost layer
	gate    *gate
	auth    *authTransport
	pool    *http.Transport // the innermost: TLS, proxy, connections
}

// newSender assembles the layers that every request passes. The order is important.
func newSender(cfg Config, base *url.URL) (*sender, error) {
	pool, err := newPool(cfg)
	if err != nil {
		return nil, err
	}

	// What answers look like, including those to logins.
	var next http.RoundTripper = pool
	if cfg.Observer.Head != nil {
		next = &observingTransport{next: next, observer: cfg.Observer}
	}

	// Credentials, on a clone of the request and for the one origin. A request that is sent
	// again after a login keeps its place in the gate.
	auth := newAuthTransport(cfg, base, next)

	// The time limit of one attempt, which does not include the wait in the gate, and its log
	// line, which does not include credentials.
	attempts := &attemptTransport{next: auth, timeout: cfg.RequestTimeout, silent: cfg.LogIsOff}

	// Concurrency, rate, and a Retry-After for all callers. Each retry takes a turn of its own.
	gate := newGate(cfg.MaxConcurrency, cfg.RequestsPerSecond, attempts)

	return &sender{
		base:     base,
		readOnly: cfg.ReadOnly,
		retries:  newRetryClient(cfg.MaxRetries, gate),
		gate:     gate,
		auth:     auth,
		pool:     pool,
	}, nil
}

// do sends a request with retries and returns the answer. Errors are *Error.
func (s *sender) do(ctx context.Context, r request) (answer, error) {
	req, k, err := s.newRequest(ctx, r)
	if err != nil {
		return answer{}, err
	}

	var got answer
	var read *http.Response
	req.SetResponseHandler(func(resp *http.Response) (err error) {
		read = resp
		got, err = k.readAnswer(ctx, resp)
		return err
	})

	resp, err := s.retries.Do(req)
	if err != nil {
		closeBody(resp)
		return answer{}, k.transportError(err)
	}
	if read != resp {
		// Retries are used up: the last answer was to be retried, so that nobody read it.
		return k.readAnswer(ctx, resp)
	}

	return got, nil
}

// once sends a request a single time, for a caller that has entered the gate, and returns
// the answer. Errors are *Error.
func (s *sender) once(ctx context.Context, r request) (answer, error) {
	req, k, err := s.newRequest(ctx, r)
	if err != nil {
		return answer{}, err
	}

	k.once = true
	if req.Body, err = req.GetBody(); err != nil {
		return answer{}, k.fail(ClassInternal, 0, "the request could not be built")
	}

	resp, err := s.gate.pass(req.Request)
	if err != nil {
		return answer{}, k.transportError(err)
	}

	return k.readAnswer(ctx, resp)
}

// stream sends a request with retries and returns the beginning of its answer, which has
// a status of class 2xx. The caller closes the stream. Errors are *Error.
func (s *sender) stream(ctx context.Context, r request) (*streamed, error) {
	req, k, err := s.newRequest(ctx, r)
	if err != nil {
		return nil, err
	}

	req.Header.Set("Accept", "application/json, application/x-ndjson, */*;q=0.1")
	req.Header.Set("Accept-Encoding", "zstd, gzip")

	resp, err := s.retries.Do(req)
	if err != nil {
		closeBody(resp)
		return nil, k.transportError(err)
	}
	if resp.StatusCode/100 != 2 {
		_, err := k.readAnswer(ctx, resp)
		return nil, err
	}

	return &streamed{call: k, resp: resp}, nil
}

func closeBody(resp *http.Response) {
	if resp != nil {
		resp.Body.Close()
	}
}

// newRequest returns the HTTP request and the call that travels in its context. A write
// of a read-only client is an error.
func (s *sender) newRequest(ctx context.Context, r request) (*retryablehttp.Request, *call, error) {
	k := s.auth.newCall(r)
	if r.op.effect && s.readOnly {
		return nil, nil, k.fail(ClassReadOnly, 0, "read_only is set, so nothing was sent")
	}

	var body any
	if r.body != nil {
		body = r.body
	}
	req, err := retryablehttp.NewRequestWithContext(context.WithValue(ctx, callKey{}, k), r.op.method, "http://invalid", body)
	if err != nil {
		return nil, nil, k.fail(ClassInternal, 0, "the request could not be built")
	}

	r.address(req.Request, s.base)

	return req, k, nil
}
