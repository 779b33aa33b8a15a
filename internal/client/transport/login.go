// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

const (
	// tokenLifetime is what the interface documents (sections 2, 5 and 8).
	tokenLifetime = time.Hour

	// tokenFloor is how long a token is used at least, whatever it states.
	tokenFloor = 30 * time.Second

	// loginPause is how long a failed login is not tried again, for all callers. Rejected
	// credentials are not tried again at all, since that may lock the account.
	loginPause = 30 * time.Second

	// renewalPause is the time between two logins after a 401. Otherwise thousands of callers, or a
	// service that accepts no token, would cause thousands of logins.
	renewalPause = 60 * time.Second
)

var opLogin = Operation{Name: "Log in", Method: http.MethodPost, Kind: LogsIn}

var loginEndpoint = Expand("/v1/auth/login/jwt")

// login obtains tokens with e-mail and password when the first request needs one, and shares
// one login among all callers. There is another login shortly before the token expires, and after a
// 401, at most once in renewalPause.
type login struct {
	sender *Sender
	flight singleflight.Group

	mu      sync.Mutex
	shared  string // the token; empty before the first login, and after a 401
	renewAt time.Time
	gaveUp  time.Time // when a 401 last ended a token

	turn    *semaphore.Weighted // of one login at a time; guards what follows
	failure *Error              // of the last login; nil if it succeeded
	failed  time.Time           // when it failed
}

// current returns the token; empty where there is none, or not for long. Time is measured by
// the monotonic clock of this machine: the service's may be off.
func (l *login) current() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Now().Before(l.renewAt) {
		return l.shared
	}
	return ""
}

// giveUp gives up a token that got a 401 in an attempt, and returns the row of the policy for it. Two
// logins may give the same token: what began before the last one was given up says nothing about the
// present one.
func (l *login) giveUp(token string, began time.Time) ErrorClass {
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.shared != token || began.Before(l.gaveUp) { // another caller of this token has come first
		return classRenewed
	}
	if time.Since(l.gaveUp) < renewalPause {
		return ClassAuthentication
	}
	l.shared, l.gaveUp = "", time.Now()

	return classRenewed
}

// present returns the token for a call. Where there is none, it waits for the one login that is
// under way, or begins it, and returns its token, even if another caller has got a 401 for it since.
// The login goes on when the caller that began it is cancelled: the others still need it. A write that
// was compared does not wait.
func (l *login) present(ctx context.Context) (string, error) {
	if token := l.current(); token != "" {
		return token, nil
	}
	c := callOf(ctx)
	if c.admission != nil && !c.admission.compared.IsZero() {
		return "", c.outdated()
	}

	result := l.flight.DoChan("", func() (any, error) { return l.renew(context.WithoutCancel(ctx)) })
	select {
	case r := <-result:
		if e, failed := errors.AsType[*Error](r.Err); failed {
			return "", e.Final() // a copy: all callers have the same one
		}
		token, _ := r.Val.(string)
		return token, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// renew logs in, shares the token and returns it.
func (l *login) renew(ctx context.Context) (text string, err error) {
	// A panic in here would end the process with every resource in flight.
	defer func() {
		if recover() != nil {
			err = NewError(Exchange{Op: opLogin, To: loginEndpoint}, ClassInternal, "the login ended in a panic")
		}
	}()

	if token := l.current(); token != "" {
		return token, nil
	}
	got, err := l.logIn(ctx)
	if err != nil {
		return "", err
	}

	lifetime := got.expires.Sub(got.issuedAt) // in which no clock plays a part
	if lifetime <= 0 || lifetime > 24*time.Hour {
		lifetime = tokenLifetime
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shared = got.text
	l.renewAt = time.Now().Add(max(tokenFloor, lifetime-min(5*time.Minute, lifetime/10)))

	return got.text, nil
}

// NewToken logs in with e-mail and password, and returns a token that no request uses and
// when it expires. The error is an *Error, of ClassInvalid where there is no e-mail.
func (s *Sender) NewToken(ctx context.Context) (text string, expires time.Time, err error) {
	if s.login == nil {
		return "", time.Time{}, Invalid(opLogin, errors.New("the provider has no email and password to log in with"))
	}

	began := time.Now()
	got, err := s.login.logIn(ctx)
	if err == nil && got.expires.IsZero() {
		got.expires = began.Add(tokenLifetime)
	}

	return got.text, got.expires, err
}

// logIn returns the token of a new login. Logins take turns, so that each knows how the one
// before it has ended: an earlier failure that still stands is its error, without another attempt.
func (l *login) logIn(ctx context.Context) (token, error) {
	if err := l.turn.Acquire(ctx, 1); err != nil {
		return token{}, CauseError(Exchange{Op: opLogin, To: loginEndpoint}, err)
	}
	defer l.turn.Release(1)

	if l.failure != nil {
		isRejected := IsClass(l.failure, ClassAuthentication, ClassForbidden, ClassRejected)
		if isRejected || time.Since(l.failed) < loginPause {
			return token{}, l.failure
		}
	}

	got, err := l.send(ctx)
	if ctx.Err() == nil { // a caller that gives up says nothing of the credentials
		l.failure, _ = errors.AsType[*Error](err)
		l.failed = time.Now()
	}

	return got, err
}

// send sends a login with its retries. The error is an *Error.
func (l *login) send(ctx context.Context) (token, error) {
	s := l.sender
	r := Request{Op: opLogin, To: loginEndpoint}
	if err := r.SetParameters(s.cfg.LoginParametersIn, map[string]any{"email": s.cfg.Credentials.Email, "password": s.cfg.Credentials.Password}); err != nil {
		return token{}, Invalid(opLogin, err)
	}
	answered, err := s.Do(ctx, r)
	if err != nil {
		return token{}, err
	}

	text, _ := answer.ReadToken(answered.JSON, s.cfg.Envelope)
	got, ok := parseToken(text)
	if !ok {
		return token{}, NewError(answered.Exchange, ClassLoginAnswer, "the answer holds no JSON Web Token in the field token (section 2 of the interface); the answer is not shown")
	}
	s.hidden.add(tokenSecrets(got.text)...)

	// Nothing here depends on the clocks, but logs and agreement times may.
	if skew := time.Since(got.issuedAt).Round(time.Minute); !got.issuedAt.IsZero() && skew.Abs() > 5*time.Minute {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.notices = append(s.notices, fmt.Sprintf("The clock of this machine and the clock of the service differ by about %s. "+
			"The provider measures the life of its token by itself, so nothing fails; times that you write, such as agreement_time, may be off.", skew.Abs()))
	}

	return got, nil
}

// token is a JSON Web Token (JWT) with the times that it states; zero where it states none.
// They are not verified: the service does that, and nothing is granted here because of them.
type token struct {
	text              string
	issuedAt, expires time.Time
}

// jwt is a JWT: an object, the claims and the signature, each in base64.
var jwt = regexp.MustCompile(`^e[w-z][\w-]*\.([\w-]+)\.[\w-]+$`)

// parseToken returns a JWT. It reports false for any other text.
func parseToken(text string) (token, bool) {
	parts := jwt.FindStringSubmatch(text)
	if parts == nil {
		return token{}, false
	}

	var claims struct {
		IssuedAt float64 `json:"iat"`
		Expires  float64 `json:"exp"`
	}
	decoded, _ := base64.RawURLEncoding.DecodeString(parts[1])
	_ = json.Unmarshal(decoded, &claims) // what is not a number is not stated

	return token{text, numericDate(claims.IssuedAt), numericDate(claims.Expires)}, true
}

// numericDate returns the time that a JWT writes as seconds since 1970; zero where they do not count.
func numericDate(seconds float64) time.Time {
	if seconds <= 0 || seconds > math.MaxInt32*100 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}
