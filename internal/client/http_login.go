package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// tokenLifetime is what the interface documents (sections 2, 5 and 8).
	tokenLifetime = time.Hour

	// A failed login is not tried again for loginPause, whoever asks; rejected
	// credentials are not tried again at all, since a locked account helps nobody.
	loginPause    = 30 * time.Second
	loginAttempts = 2

	// refusalPause is how long a 401 is believed after a fresh token got one too.
	refusalPause = 60 * time.Second

	// tokenFloor is how long a token is used at least, whatever it says of itself, and
	// how long one has to be accepted: a service that ends tokens earlier would be
	// asked to log in with every request. Some shorter ones in a row are renewed all
	// the same, since tokens can be revoked.
	tokenFloor      = 30 * time.Second
	shortTokenLimit = 5
)

var opLogin = operation{name: "Log in", method: http.MethodPost}

var loginEndpoint = expand("/v1/auth/login/jwt")

// login obtains tokens with e-mail and password when the first request needs one,
// renews them before they expire, and shares one login among all callers.
type login struct {
	email, password string
	base            *url.URL
	wire            Wire
	timeout         time.Duration
	transport       *authTransport

	flight singleflight.Group

	mu           sync.Mutex
	token        string
	number       int // counts tokens, so that a 401 is held against the right one
	fresh        time.Time
	failure      *Error
	failedFor    time.Time // zero with a failure: for ever
	refusedUntil time.Time
	renewing     bool // the next token replaces a rejected one
	unproven     bool // the token replaced a rejected one, and nothing has accepted it yet

	issued, lastAccepted time.Time // of the token
	short                int       // tokens in a row that were accepted for less than tokenFloor
	shortUntil           time.Time // no login until then because of them
}

func newLogin(cfg Config, base *url.URL, t *authTransport) *login {
	return &login{
		email: cfg.Credentials.Email, password: cfg.Credentials.Password,
		base: base, wire: cfg.Wire, timeout: cfg.RequestTimeout, transport: t,
	}
}

func (l *login) present(ctx context.Context, req *http.Request) (int, error) {
	token, number, ok := l.current()
	if !ok {
		if err := l.obtain(ctx); err != nil {
			return 0, err
		}
		token, number, _ = l.current()
	}
	req.Header.Set("Authorization", "bearer "+token)
	return number, nil
}

// current gives the token while it is fresh; time is measured here, by the
// monotonic clock, since the service's clock may be another.
func (l *login) current() (string, int, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.token, l.number, l.token != "" && time.Now().Before(l.fresh)
}

// renew makes sure that a token newer than the rejected one is there. A token
// that others have renewed meanwhile is used without another login.
func (l *login) renew(ctx context.Context, rejected int) bool {
	needed, allowed := l.prepareRenewal(ctx, rejected)
	if !needed || !allowed {
		return allowed
	}

	// A failing login shows as the original 401: that is what happened to the call.
	return l.obtain(ctx) == nil
}

// prepareRenewal decides about a login after a 401 to the token of that number. It
// notes in the call of ctx why there is none where the reason is not the 401 alone.
func (l *login) prepareRenewal(ctx context.Context, rejected int) (needed, allowed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.number != rejected {
		return false, true
	}
	now := time.Now()
	if l.unproven || now.Before(l.refusedUntil) {
		return true, false
	}

	// Another caller of this token has begun the login: one rejected token counts once.
	if l.renewing {
		return true, true
	}

	if l.endTooSoon(now) {
		callFrom(ctx).remark = "the service keeps rejecting tokens less than " + tokenFloor.String() +
			" after it issued them, so the provider does not log in again for now"
		return true, false
	}
	l.fresh, l.renewing = time.Time{}, true
	return true, true
}

// endTooSoon reports whether tokens end so soon after their login that another login
// helps nobody, and counts the token that was rejected now.
func (l *login) endTooSoon(now time.Time) bool {
	if now.Before(l.shortUntil) {
		return true
	}
	if l.lastAccepted.Sub(l.issued) >= tokenFloor {
		l.short = 0
		return false
	}

	l.short++
	if l.short <= shortTokenLimit {
		return false
	}
	l.short = shortTokenLimit - 1 // after the pause one more is tried
	l.shortUntil = now.Add(refusalPause)
	return true
}

// refused remembers that even a fresh token is not accepted, so that thousands of
// callers do not cause thousands of logins.
func (l *login) refused(int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refusedUntil = time.Now().Add(refusalPause)
}

func (l *login) accepted(mark int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if mark == l.number {
		l.unproven = false
		l.lastAccepted = time.Now()
	}
}

// obtain waits for the one login that is under way, or begins it. The login goes
// on when the caller that began it is cancelled: the others still need it.
func (l *login) obtain(ctx context.Context) error {
	result := l.flight.DoChan("login", func() (_ any, err error) {
		// A panic in here would end the process with every resource in flight.
		defer func() {
			if recover() != nil {
				k := &call{op: opLogin, endpoint: loginEndpoint}
				err = k.fail(ClassInternal, 0, "the login ended in a panic")
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

func (l *login) once(ctx context.Context) error {
	if _, _, ok := l.current(); ok {
		return nil
	}
	if e := l.remembered(); e != nil {
		return e
	}
	for attempt := 1; ; attempt++ {
		token, lifetime, wait, err := l.attempt(ctx, attempt)
		if err == nil {
			l.accept(token, lifetime)
			return nil
		}
		if attempt == loginAttempts || !passes(err) {
			l.remember(err)
			return err
		}
		if err := Pause(ctx, wait); err != nil {
			return err
		}
	}
}

// passes reports failures that a second attempt may not meet.
func passes(e *Error) bool {
	switch e.Class {
	case ClassUnreachable, ClassConnectionLost, ClassTimeout, ClassServer, ClassRateLimited, ClassTruncated:
		return true
	}
	return false
}

// remembered gives the failure of an earlier login while it stands: as it was, so
// that each caller reads the reason.
func (l *login) remembered() *Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure != nil && (l.failedFor.IsZero() || time.Now().Before(l.failedFor)) {
		return l.failure
	}
	return nil
}

func (l *login) remember(e *Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failure, l.failedFor = e, time.Now().Add(loginPause)
	switch e.Class {
	case ClassAuthentication, ClassForbidden, ClassRejected:
		l.failedFor = time.Time{}
	}
}

func (l *login) accept(token string, lifetime time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.token, l.failure = token, nil
	l.unproven, l.renewing = l.renewing, false
	l.number++
	l.issued = time.Now()
	l.lastAccepted = l.issued
	l.fresh = l.issued.Add(max(tokenFloor, lifetime-min(5*time.Minute, lifetime/10)))
}

// attempt is one login request. It goes past the layers above: no retry, no
// credentials, and no redirect, since RoundTrip follows none.
func (l *login) attempt(ctx context.Context, number int) (token string, lifetime, wait time.Duration, _ *Error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.timeout, &stallError{after: l.timeout})
	defer cancel()
	k := &call{op: opLogin, endpoint: loginEndpoint, host: hostOf(l.base), scheme: l.base.Scheme, redact: newRedactor(l.transport.secrets...), attempts: number}
	req, err := l.request(ctx)
	if err != nil {
		return "", 0, 0, k.fail(ClassInternal, 0, "the request could not be built")
	}
	resp, err := l.transport.next.RoundTrip(req)
	if err != nil {
		return "", 0, jitter(backoffBase), k.transportError(causeOf(ctx, err))
	}
	wait, asked := askedToWait(resp)
	if asked {
		k.retryAfter = wait
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, ctx: ctx, end: func() { cancel() }}
	got, err := k.readAnswer(ctx, resp)
	if err != nil {
		var e *Error
		errors.As(err, &e)
		return "", 0, wait + jitter(backoffBase), e
	}
	token, claims, ok := readToken(got)
	if !ok {
		return "", 0, 0, k.fail(ClassLoginAnswer, resp.StatusCode, "the answer holds no JSON Web Token in the field token (section 2 of the interface); it is not shown")
	}
	l.warnOfSkew(claims)
	return token, claims.lifetime(), 0, nil
}

func (l *login) request(ctx context.Context) (*http.Request, error) {
	p, err := place(l.wire.LoginParametersIn, []parameter{{"email", l.email}, {"password", l.password}})
	if err != nil {
		return nil, err
	}
	var body io.Reader
	if p.body != nil {
		body = bytes.NewReader(p.body)
	}
	req, err := http.NewRequestWithContext(ctx, opLogin.method, "http://invalid", body)
	if err != nil {
		return nil, err
	}
	req.URL = loginEndpoint.under(l.base)
	req.URL.RawQuery = p.query
	req.Host = req.URL.Host
	req.Header.Set("Accept", "application/json")
	if p.contentType != "" {
		req.Header.Set("Content-Type", p.contentType)
	}
	l.transport.dress(req)
	return req, nil
}

// warnOfSkew tells of a clock that is more than five minutes off; nothing here
// depends on it, but logs and agreement times may.
func (l *login) warnOfSkew(c claims) {
	if c.issuedAt.IsZero() {
		return
	}
	skew := time.Since(c.issuedAt).Round(time.Minute)
	if skew.Abs() <= 5*time.Minute {
		return
	}
	l.transport.notice(fmt.Sprintf("The clock of this machine and the clock of the service differ by about %s. "+
		"The provider measures the life of its token by itself, so nothing fails; times that you write, such as agreement_time, may be off.", skew.Abs()))
}
