// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/singleflight"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

const (
	tokenLifetime = time.Hour        // documented (sections 2, 5 and 8)
	tokenFloor    = 30 * time.Second // how long a token is used at least, whatever it states

	// loginPause is how long a failed login is not tried again, and how long after a 401 no other 401
	// leads to a login: thousands of callers would cause thousands of them.
	loginPause = time.Minute

	never = 365 * 24 * time.Hour
)

// rejections are the failures after which there is no other login, since it may lock the account.
var rejections = map[ErrorClass]time.Duration{ClassAuthentication: never, ClassForbidden: never, ClassRejected: never}

var aboutLogin = Exchange{Op: Operation{Name: "Log in", Method: http.MethodPost, Kind: LogsIn}, To: Endpoint{"/v1/auth/login/jwt", "/v1/auth/login/jwt"}}

// login obtains a token when the first request needs one, and shares it among all callers. There is another login
// shortly before it expires, and after a 401, at most once in loginPause.
type login struct {
	sender *Sender
	flight singleflight.Group

	mu       sync.Mutex
	shared   token // the zero value before the first login, and after a 401
	renewAt  time.Time
	gaveUp   time.Time // when a 401 last ended a token
	failure  *Error    // of the last login that failed
	tryAgain time.Time // after that failure
}

// standing returns the token, unless it is about to expire, and the failure of the latest login if no other one may be
// tried yet. Time is measured by the monotonic clock of this machine: the service's may be off.
func (l *login) standing() (t token, failure error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	now := time.Now()
	if now.Before(l.renewAt) {
		t = l.shared
	}
	if now.Before(l.tryAgain) {
		failure = l.failure
	}

	return t, failure
}

// giveUp gives up a token that got a 401 in an attempt, and returns the row of the policy for it. Two logins may give
// the same token: an attempt that began before the last one was given up says nothing about the present one.
func (l *login) giveUp(text string, began time.Time) ErrorClass {
	if l == nil || text == "" { // a token or a key that was given, or a login
		return ClassAuthentication
	}
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.shared.text != text || began.Before(l.gaveUp) { // another caller of this token has come first
		return classRenewed
	}
	if time.Since(l.gaveUp) < loginPause {
		return ClassAuthentication
	}
	l.shared, l.gaveUp = token{}, time.Now()

	return classRenewed
}

// tokenFor returns the token for a call. It waits for a login where one is due, and returns its token, even if
// another caller has got a 401 for it since. A write that was compared does not wait.
func (l *login) tokenFor(ctx context.Context, c *call) (string, error) {
	if t, _ := l.standing(); t.text != "" {
		return t.text, nil
	}
	if c.compared != nil && !c.compared.IsZero() {
		return "", c.outdated()
	}
	t, err := l.join(ctx, false)

	return t.text, err
}

// NewSessionToken logs in with e-mail and password and returns its token. The sender's own requests may use it too
// (sections 2 and 5). It expires when it says so, or else one hour after the login. A rejected login is not repeated,
// so that no account is locked. Errors are *Error, of ClassInvalid if there is no e-mail and password.
func (s *Sender) NewSessionToken(ctx context.Context) (text string, expires time.Time, err error) {
	if s.login == nil {
		return "", time.Time{}, NewError(aboutLogin, ClassInvalid, "the provider has no email and password to log in with")
	}
	t, err := s.login.join(ctx, true)
	if err != nil {
		return "", time.Time{}, CauseError(aboutLogin, err)
	}

	return t.text, time.Unix(cmp.Or(int64(t.Expires), time.Now().Add(tokenLifetime).Unix()), 0), nil
}

// join waits for the login that is under way, or begins it. It goes on when the caller that began it is
// cancelled: the others still need it.
func (l *login) join(ctx context.Context, isNew bool) (token, error) {
	detached := context.WithValue(context.WithoutCancel(ctx), admissionKey{}, nil) // it belongs to no admission
	result := l.flight.DoChan("", func() (any, error) { return l.logIn(detached, isNew) })
	select {
	case r := <-result:
		if e, failed := errors.AsType[*Error](r.Err); failed {
			return token{}, e.Final() // a copy, since all callers have the same one
		}
		t, _ := r.Val.(token)
		return t, nil
	case <-ctx.Done():
		return token{}, ctx.Err()
	}
}

// logIn logs in, unless the outcome of an earlier login stands: a failure, or a token where isNew is false.
func (l *login) logIn(ctx context.Context, isNew bool) (t token, err error) {
	// A panic in here would end the process with every resource in flight.
	defer func() {
		if recover() != nil {
			err = NewError(aboutLogin, ClassInternal, "the login ended in a panic")
		}
	}()

	t, err = l.standing()
	switch {
	case t.text != "" && !isNew:
		return t, nil
	case err != nil:
		return token{}, err
	}
	t, err = l.send(ctx)

	l.mu.Lock()
	defer l.mu.Unlock()
	if e, failed := errors.AsType[*Error](err); failed {
		l.failure, l.tryAgain = e, time.Now().Add(cmp.Or(rejections[e.Class], loginPause))
		return token{}, e
	}

	l.shared, l.renewAt = t, time.Now().Add(t.lifetime())

	return t, nil
}

// send sends a login with its retries. The error is an *Error.
func (l *login) send(ctx context.Context) (token, error) {
	s := l.sender
	r := Request{Op: aboutLogin.Op, To: aboutLogin.To}
	if err := r.SetParameters(s.cfg.LoginParametersIn, map[string]any{"email": s.cfg.Credentials.Email, "password": s.cfg.Credentials.Password}); err != nil {
		return token{}, NewError(aboutLogin, ClassInvalid, err.Error())
	}
	answered, err := s.Do(ctx, r)
	if err != nil {
		return token{}, err
	}

	text, _ := decode.ReadToken(answered.JSON, s.cfg.Envelope)
	got, ok := parseToken(text)
	if !ok {
		return token{}, NewError(answered.Exchange, ClassLoginAnswer, "the answer holds no JSON Web Token in the field token (section 2 of the interface); the answer is not shown")
	}
	s.hidden.add(tokenSecrets(got.text)...)

	// Nothing here depends on the clocks, but logs and agreement times may.
	if skew := time.Since(time.Unix(int64(got.IssuedAt), 0)).Round(time.Minute); got.IssuedAt > 0 && skew.Abs() > 5*time.Minute {
		text := fmt.Sprintf("The clock of this machine and the clock of the service differ by about %s. "+
			"The provider measures the lifetime of its token by itself, so nothing fails; times that you write, such as agreement_time, may be off.", skew.Abs())
		s.Notice.Store(&text)
	}

	return got, nil
}

// token is a JSON Web Token (JWT) with the times that it states, in seconds since 1970; zero where it
// states none. They are not verified: the service does that, and nothing is granted here because of them.
type token struct {
	text string

	IssuedAt float64 `json:"iat"`
	Expires  float64 `json:"exp"`
}

// lifetime returns how long a token is used, by what it states: no clock plays a part in that.
func (t token) lifetime() time.Duration {
	lifetime := time.Duration((t.Expires - t.IssuedAt) * float64(time.Second))
	if lifetime <= 0 || lifetime > 24*time.Hour {
		lifetime = tokenLifetime
	}
	return max(tokenFloor, lifetime-min(5*time.Minute, lifetime/10))
}

// jwt is a JWT: its header, the claims and the signature, each in base64. The header is an object: its bracket, with
// a quote, a blank or the other bracket behind it, is one of these in base64.
var jwt = regexp.MustCompile(`^e[wy3][\w-]*\.([\w-]+)\.[\w-]+$`)

// parseToken returns a JWT. It reports false for any other text.
func parseToken(text string) (token, bool) {
	parts := jwt.FindStringSubmatch(text)
	if parts == nil {
		return token{}, false
	}

	var t token
	claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
	_ = json.Unmarshal(claims, &t) // what is not a number is not stated, nor what is not in seconds
	if min(t.IssuedAt, t.Expires) < 0 || max(t.IssuedAt, t.Expires) > 1e11 {
		t = token{}
	}

	return token{text, t.IssuedAt, t.Expires}, true
}
