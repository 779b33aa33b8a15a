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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
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

var opLogin = Operation{Name: "Log in", Method: http.MethodPost, Anonymous: true}

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

// renewal is what there is after a 401 to a token.
type renewal int

const (
	notAsked renewal = iota
	renewed          // there is, or may be, another token
	rejected         // there is none for now
)

// rejectedAgain says why a token that got a 401 is kept.
const rejectedAgain = "the service rejected another token less than a minute ago, so the provider does not log in again for now"

// giveUp gives up a token that got a 401 in an attempt, and returns whether there is another one. Two
// logins may give the same token: what began before the last one was given up says nothing about the
// present one.
func (l *login) giveUp(token string, began time.Time) renewal {
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.shared != token || began.Before(l.gaveUp) { // another caller of this token has come first
		return renewed
	}
	if time.Since(l.gaveUp) < renewalPause {
		return rejected
	}
	l.shared, l.gaveUp = "", time.Now()

	return renewed
}

// present returns the token for a call. Where there is none, it waits for the one login that is
// under way, or begins it, and returns its token, even if another caller has got a 401 for it since.
// The login goes on when the caller that began it is cancelled: the others still need it.
func (l *login) present(ctx context.Context) (string, error) {
	result := l.flight.DoChan("login", func() (_ any, err error) {
		// A panic in here would end the process with every resource in flight.
		defer func() {
			if recover() != nil {
				err = NewError(About(opLogin, loginEndpoint), ClassInternal, "the login ended in a panic")
			}
		}()

		if token := l.current(); token != "" {
			return token, nil
		}
		got, err := l.logIn(context.WithoutCancel(ctx))
		if err != nil {
			return "", err
		}

		l.mu.Lock()
		defer l.mu.Unlock()
		lifetime := got.lifetime()
		l.shared = got.text
		l.renewAt = time.Now().Add(max(tokenFloor, lifetime-min(5*time.Minute, lifetime/10)))

		return got.text, nil
	})

	select {
	case r := <-result:
		token, _ := r.Val.(string)
		return token, r.Err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// NewToken logs in with e-mail and password, and returns a token that no request uses and
// when it expires. The error is an *Error, of ClassInvalid where there is no e-mail.
func (s *Sender) NewToken(ctx context.Context) (text string, expires time.Time, err error) {
	if s.cfg.Credentials.Email == "" {
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
		return token{}, CauseError(About(opLogin, loginEndpoint), err)
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
		l.failure, l.failed = asError(err), time.Now()
	}

	return got, err
}

// send sends a login with its retries. The error is an *Error.
func (l *login) send(ctx context.Context) (token, error) {
	cfg := l.sender.cfg
	p, err := EncodeParameters(cfg.LoginParametersIn, map[string]any{"email": cfg.Credentials.Email, "password": cfg.Credentials.Password})
	if err != nil {
		return token{}, Invalid(opLogin, err)
	}
	answered, err := l.sender.Do(ctx, Request{Op: opLogin, To: loginEndpoint, Payload: p})
	if err != nil {
		return token{}, err
	}

	text, _ := answer.ReadToken(answered.JSON, cfg.Envelope)
	got, ok := parseToken(text)
	if !ok {
		return token{}, NewError(answered.Exchange, ClassLoginAnswer, "the answer holds no JSON Web Token in the field token (section 2 of the interface); the answer is not shown")
	}
	l.sender.hidden.add(tokenSecrets(got.text)...)

	// Nothing here depends on the clocks, but logs and agreement times may.
	if skew := time.Since(got.issuedAt).Round(time.Minute); !got.issuedAt.IsZero() && skew.Abs() > 5*time.Minute {
		l.sender.mu.Lock()
		defer l.sender.mu.Unlock()
		l.sender.notices = append(l.sender.notices, fmt.Sprintf("The clock of this machine and the clock of the service differ by about %s. "+
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

// lifetime returns the difference of the times, in which no clock plays a part, or
// tokenLifetime if they are missing or not between 0 and 24 hours apart.
func (t token) lifetime() time.Duration {
	d := t.expires.Sub(t.issuedAt)
	if t.issuedAt.IsZero() || t.expires.IsZero() || d <= 0 || d > 24*time.Hour {
		return tokenLifetime
	}
	return d
}

// jwt are the parts of a JWT: the header, the claims and the signature, each in base64.
var jwt = regexp.MustCompile(`^([\w-]+)\.([\w-]+)\.[\w-]+$`)

// parseToken returns a JWT. It reports false for any other text.
func parseToken(text string) (token, bool) {
	parts := jwt.FindStringSubmatch(text)
	if parts == nil {
		return token{}, false
	}
	decoded, _ := base64.RawURLEncoding.DecodeString(parts[1])
	if header, err := jsonvalue.Parse(decoded); err != nil || header.Kind() != '{' {
		return token{}, false
	}

	var claims struct {
		IssuedAt float64 `json:"iat"`
		Expires  float64 `json:"exp"`
	}
	decoded, _ = base64.RawURLEncoding.DecodeString(parts[2])
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
