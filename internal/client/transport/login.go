// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// tokenLifetime is what the interface documents (sections 2, 5 and 8).
	tokenLifetime = time.Hour

	// tokenFloor is how long a token is used at least, whatever it states.
	tokenFloor = 30 * time.Second

	// loginPause is how long a failed login is not tried again, for all callers. Rejected
	// credentials are not tried again at all, since that may lock the account.
	loginPause   = 30 * time.Second
	loginRetries = 1

	// renewalPause is the time between two logins that a 401 causes, so that thousands of
	// callers, or a service that accepts no token, do not cause thousands of logins.
	renewalPause = 60 * time.Second

	// skewLimit is how far the clocks of this machine and the service may differ before
	// the user hears of it.
	skewLimit = 5 * time.Minute
)

var opLogin = Operation{Name: "Log in", Method: http.MethodPost}

var loginEndpoint = Expand("/v1/auth/login/jwt")

// login obtains tokens with e-mail and password when the first request needs one, and shares
// one login among all callers. Two rules say when there is another login: shortly before the
// token expires, and after a 401, at most once in renewalPause.
type login struct {
	email, password string
	parametersIn    string
	timeout         time.Duration
	retries         int // of a login that failed and was not rejected
	transport       *authTransport

	flight singleflight.Group
	turn   chan struct{} // holds a value while a login is under way

	mu         sync.Mutex
	token      token
	rejected   bool      // the token got a 401
	generation int       // counts tokens, so that a 401 is held against the right one
	issued     time.Time // when the token was issued
	renewal    time.Time // when a 401 last caused a login

	failure *Error    // of the last login; nil if it succeeded
	failed  time.Time // when it failed
}

func (l *login) present(ctx context.Context, req *http.Request) (int, error) {
	text, generation, ok := l.current()
	if !ok && callFrom(ctx).follows() {
		return 0, callFrom(ctx).outdated()
	}
	if !ok {
		if err := l.obtain(ctx); err != nil {
			return 0, err
		}
		text, generation, _ = l.current()
	}

	req.Header.Set("Authorization", "bearer "+text)

	return generation, nil
}

// current returns the token and its generation, and whether it is to be used. Time is
// measured by the monotonic clock of this machine: the service's may be off.
func (l *login) current() (text string, generation int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()

	lifetime := l.token.lifetime()
	renewAfter := max(tokenFloor, lifetime-min(5*time.Minute, lifetime/10))

	return l.token.text, l.generation, l.token.text != "" && !l.rejected && time.Since(l.issued) < renewAfter
}

// renew makes sure that there is a newer token than the rejected one, and reports whether
// it did. Where the 401 alone does not explain why there is none, the call of ctx is told
// the reason.
func (l *login) renew(ctx context.Context, generation int) bool {
	l.mu.Lock()
	isCurrent := l.generation == generation
	if isCurrent && !l.rejected && !l.renewal.IsZero() && time.Since(l.renewal) < renewalPause {
		l.mu.Unlock()
		callFrom(ctx).remark = "the service rejected another token less than " + renewalPause.String() + " ago, so the provider does not log in again for now"
		return false
	}

	if isCurrent && !l.rejected { // otherwise another caller of this token has begun
		l.rejected, l.renewal = true, time.Now()
	}
	l.mu.Unlock()

	// A failing login shows as the original 401: that is what happened to the call.
	return !isCurrent || l.obtain(ctx) == nil
}

// obtain waits for the one login that is under way, or begins it. The login goes on when
// the caller that began it is cancelled: the others still need it.
func (l *login) obtain(ctx context.Context) error {
	result := l.flight.DoChan("login", func() (_ any, err error) {
		// A panic in here would end the process with every resource in flight.
		defer func() {
			if recover() != nil {
				k := &Call{Op: opLogin, endpoint: loginEndpoint}
				err = k.Fail(ClassInternal, 0, "the login ended in a panic")
			}
		}()
		return nil, l.once(context.WithoutCancel(ctx))
	})

	select {
	case r := <-result:
		return r.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// once logs in, unless the token is fresh or a failure still stands. ctx does not end.
func (l *login) once(ctx context.Context) error {
	if _, _, ok := l.current(); ok {
		return nil
	}

	got, err := l.logIn(ctx)
	if err != nil {
		return err
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	l.token, l.rejected, l.failure, l.issued = got, false, nil, time.Now()
	l.generation++

	return nil
}

// logIn returns the token of a new login. An earlier failure that still stands is its
// error, without another attempt. Logins take turns, so that each knows how the one before
// it has ended.
func (l *login) logIn(ctx context.Context) (token, error) {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return token{}, ctx.Err()
	}
	defer func() { <-l.turn }()

	if e := l.remembered(); e != nil {
		return token{}, e
	}

	passing := []ErrorClass{ClassUnreachable, ClassConnectionLost, ClassTimeout, ClassServer, ClassRateLimited, ClassTruncated}
	got, e := l.attempt(ctx, 1)
	for number := 2; number <= 1+l.retries && e != nil && slices.Contains(passing, e.Class); number++ {
		if err := Pause(ctx, e.RetryAfter+jitter(backoffBase)); err != nil {
			return token{}, err
		}
		got, e = l.attempt(ctx, number)
	}

	if e == nil {
		return got, nil
	}

	if ctx.Err() == nil { // a caller that gives up says nothing of the credentials
		l.mu.Lock()
		defer l.mu.Unlock()
		l.failure, l.failed = e, time.Now()
	}

	return token{}, e
}

// remembered returns the failure of an earlier login while it stands, unchanged, so that
// each caller reads the reason.
func (l *login) remembered() *Error {
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.failure == nil {
		return nil
	}
	if IsClass(l.failure, ClassAuthentication, ClassForbidden, ClassRejected) || time.Since(l.failed) < loginPause {
		return l.failure
	}

	return nil
}

// NewToken logs in with e-mail and password, and returns a token that no request uses and
// when it expires. The error is an *Error, of ClassInvalid where there is no e-mail.
func (s *Sender) NewToken(ctx context.Context) (text string, expires time.Time, err error) {
	l, ok := s.auth.credential.(*login)
	if !ok {
		return "", time.Time{}, Invalid(opLogin, errors.New("the provider has no email and password to log in with"))
	}

	began := time.Now()
	t, err := l.logIn(ctx)
	if err != nil {
		return "", time.Time{}, s.auth.newCall(Request{Op: opLogin, To: loginEndpoint}).TransportError(err)
	}

	if t.expires.IsZero() {
		return t.text, began.Add(tokenLifetime), nil
	}

	return t.text, t.expires, nil
}

// attempt sends one login request. It goes past the layers above: no retry, no
// credentials, and no redirect, since RoundTrip follows none.
func (l *login) attempt(ctx context.Context, number int) (token, *Error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.timeout, errTimeUp)
	defer cancel()
	noAnswer := "no answer within " + l.timeout.String()

	r := Request{Op: opLogin, To: loginEndpoint}
	k := l.transport.newCall(r)
	k.attempts = number
	req, err := l.newRequest(context.WithValue(ctx, callKey{}, k), r)
	if err != nil {
		return token{}, k.Fail(ClassInternal, 0, "the request could not be built")
	}

	resp, err := l.transport.next.RoundTrip(req)
	if err != nil {
		return token{}, k.TransportError(stallOr(ctx, err, noAnswer))
	}
	k.retryAfter, _ = askedToWait(resp)

	resp.Body = &boundedBody{ReadCloser: resp.Body, ctx: ctx, stall: noAnswer, end: cancel}
	got, err := k.readAnswer(ctx, resp)
	if err != nil {
		return token{}, k.TransportError(err)
	}

	t, ok := readToken(got)
	if !ok {
		return token{}, k.Fail(ClassLoginAnswer, resp.StatusCode, "the answer holds no JSON Web Token in the field token (section 2 of the interface); it is not shown")
	}
	l.transport.secrets.add(tokenSecrets(t.text)...)
	l.warnOfSkew(t.issuedAt)

	return t, nil
}

// newRequest returns the HTTP request with e-mail and password.
func (l *login) newRequest(ctx context.Context, r Request) (*http.Request, error) {
	var err error
	r.Payload, err = Place(l.parametersIn, map[string]any{"email": l.email, "password": l.password})
	if err != nil {
		return nil, err
	}

	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(ctx, r.Op.Method, "http://invalid", body)
	if err != nil {
		return nil, err
	}

	r.address(req, l.transport.base)
	l.transport.addHeaders(req)

	return req, nil
}

// warnOfSkew notes a clock that is more than skewLimit off. Nothing here depends on it,
// but logs and agreement times may.
func (l *login) warnOfSkew(issuedAt time.Time) {
	skew := time.Since(issuedAt).Round(time.Minute)
	if issuedAt.IsZero() || skew.Abs() <= skewLimit {
		return
	}

	l.transport.mu.Lock()
	defer l.transport.mu.Unlock()
	l.transport.notices = append(l.transport.notices, fmt.Sprintf("The clock of this machine and the clock of the service differ by about %s. "+
		"The provider measures the life of its token by itself, so nothing fails; times that you write, such as agreement_time, may be off.", skew.Abs()))
}
