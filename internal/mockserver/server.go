// SPDX-License-Identifier: MPL-2.0

// Package mockserver is the analytics service in memory. It is written from the description of the interface,
// whose sections the comments name, and shares no code with the client, so that an error in one is not hidden
// by the same error in the other. Where the description is silent, x-assumption in the contract's openapi.yaml
// says what is assumed.
//
// A request passes ServeHTTP, which logs it, Server.Wrap, the faults, Server.Check, the steps of
// Server.Change, and in the end authentication and the operation. Check and Change do not see
// what a fault keeps from the service.
package mockserver

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"io"
	"net/http"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Server is the service. The zero value is ready for use and knows no credentials and no persons. The exported
// fields must not be changed after the first request. All methods are safe for concurrent use.
type Server struct {
	Now     func() time.Time // the time of the service; nil is time.Now
	Latency time.Duration    // before every answer, including scripted ones
	Wire    Wire
	// Claims returns the claims of a new JWT, which is accepted for an hour anyway. Nil: sub, iat and exp.
	Claims func(now time.Time) map[string]any

	// FulfilmentDelay is the time from the acceptance of a deferred request to its fulfilment. 0 fulfils it
	// before the next request.
	FulfilmentDelay time.Duration
	// Fulfil decides the outcome of each deferred request when it is accepted; nil is the zero Outcome.
	Fulfil func(QueuedRequest) Outcome
	// DataRetention is how long all data of a person can be fetched once they are ready; 0 is one hour.
	DataRetention time.Duration

	Export ExportAnswer
	// ExportRecords is the number of events of every day that PutExport has not set. A day has a session for every
	// twenty of them and a person for every hundred; 1,000,000 are about 400 MB.
	ExportRecords int

	// FaultFor returns the fault of a request, or nil. One that was injected takes precedence.
	FaultFor func(Request) *Fault
	// OnRequest is called with each request once its status is known, before the client has the answer.
	OnRequest func(Request)
	// Wrap returns a handler around the service and its faults. It is called once per request.
	Wrap func(service http.Handler) http.Handler
	// Check is called with each answer that is not scripted before it is sent. A generated body is nil.
	Check func(*http.Response)

	mux                      http.ServeMux
	ready                    sync.Once
	steps                    []func(Request, *Response) // what Change has added
	users, keys, tokens      sync.Map                   // password by email, secret keys, and grant by token
	consents, profiles, data sync.Map                   // map[string]any by person (scoped), replaced and never changed
	prepared                 sync.Map                   // allData by person
	exports                  sync.Map                   // exportDay by day (scoped)
	accepted                 atomic.Int64

	mu     sync.Mutex       // guards the fields below; never held while sending or waiting
	queue  []*QueuedRequest // all that were ever accepted, in the order of acceptance
	faults []*Fault
	lag    Lag
	log    []*Request
	seq    int
}

func (s *Server) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// ServeHTTP answers a request of section 4. It panics with http.ErrAbortHandler to break the connection off.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.ready.Do(func() {
		for _, o := range routes {
			s.mux.HandleFunc(o.pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(o, w, r) })
		}
	})
	if escaped := r.URL.EscapedPath(); escaped != path.Clean(escaped) { // the mux would redirect it
		s.serve(unknown, w, r)
		return
	}

	s.mux.ServeHTTP(w, r)
}

// serve logs a request and answers it.
func (s *Server) serve(o route, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}

	r.Body = io.NopCloser(bytes.NewReader(body))
	c := s.receive(o, r, body)
	defer s.complete(c, 0)

	var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.respond(c, w, r) })
	if s.Wrap != nil {
		handler = s.Wrap(handler)
	}
	handler.ServeHTTP(w, r)
}

// answer carries out a request and returns its answer, ready to be sent.
func (s *Server) answer(c *Request, r *http.Request) Response {
	a := s.operate(c)
	for _, step := range s.steps {
		step(*c, &a)
	}

	a.encode()
	a.Header.Set("Date", s.now().UTC().Format(http.TimeFormat))
	s.mu.Lock()
	c.Committed = a.Status/100 == 2
	s.mu.Unlock()
	if s.Check == nil {
		return a
	}

	checked := &http.Response{StatusCode: a.Status, Header: a.Header, Request: r}
	if a.encoded != nil {
		checked.Body = io.NopCloser(bytes.NewReader(a.encoded))
	}
	s.Check(checked)

	return a
}

// operate authenticates a request and runs its operation.
func (s *Server) operate(c *Request) Response {
	if c.Operation != OpLogin && !s.authenticate(c) {
		return failure(http.StatusUnauthorized, "unauthenticated", "The credentials are missing, wrong or have expired.", nil)
	}
	if c.malformed {
		return failure(http.StatusBadRequest, "malformed", "The parameters cannot be read.", nil)
	}

	s.lockUpToDate()
	s.mu.Unlock()

	return c.route.handle(s, c)
}

// Operations (section 4), as the contract names them, in both families of paths.
const (
	OpLogin               = "login"
	OpGetCurrentUser      = "getCurrentUser"
	OpUpdateConsent       = "updateConsent"
	OpGetConsent          = "getConsent"
	OpGetProfile          = "getProfile"
	OpUpdateProfile       = "updateProfile"
	OpGetAllData          = "getAllData"
	OpDeleteAllData       = "deleteAllData"
	OpListPendingRequests = "listPendingRequests"
	OpExportRecords       = "exportRecords"
)

// route is one operation of section 4 and the pattern of its requests, as http.ServeMux reads it.
type route struct {
	operation, pattern string
	handle             func(*Server, *Request) Response
}

// routes are the plain routes, those of the compliance group under both prefixes, and pages that are not
// operations.
var routes = slices.Concat([]route{
	{OpLogin, "POST /v1/auth/login/jwt", (*Server).login},
	{OpGetCurrentUser, "GET /v1/user/self", (*Server).currentUser},
	{OpExportRecords, "GET /v1/org/{orgId}/project/{projectId}/export", (*Server).exportRecords},
	unknown,
}, compliance("/v1/org/{orgId}/project/{projectId}/compliance"), compliance("/v1/account/{accountId}/compliance"))

var unknown = route{pattern: "/", handle: func(*Server, *Request) Response {
	return failure(http.StatusNotFound, "unknown_route", "There is no such endpoint.", nil)
}}

func compliance(prefix string) []route {
	user := prefix + "/user/{identityId}"

	return []route{
		{OpUpdateConsent, "PATCH " + user + "/consent", (*Server).updateConsent},
		{OpGetConsent, "GET " + user + "/consent", (*Server).read},
		{OpGetProfile, "GET " + user + "/profile", (*Server).read},
		{OpUpdateProfile, "PATCH " + user + "/profile", (*Server).enqueue},
		{OpGetAllData, "GET " + user + "/all-data", (*Server).getAllData},
		{OpDeleteAllData, "DELETE " + user + "/all-data", (*Server).enqueue},
		{OpListPendingRequests, "GET " + prefix + "/pending-requests", (*Server).listPendingRequests},
	}
}

// Scope is the project of an organization, or the account of the older path family, whose data a request is about
// (section 2, Identifiers). The two families share no data.
type Scope struct {
	OrgID     string `json:"org_id"`
	ProjectID string `json:"project_id"`
	AccountID string `json:"account_id"`
}

// valid reports whether the scope belongs to exactly one family.
func (s Scope) valid() bool {
	if s.AccountID != "" {
		return s.OrgID == "" && s.ProjectID == ""
	}
	return s.OrgID != "" && s.ProjectID != ""
}

// Methods of authentication (section 5), in Request.Auth.
const (
	AuthBearer = "bearer"
	AuthSecret = "secret"
)

// AddUser lets a user log in, or replaces the password (section 5, rule 1).
func (s *Server) AddUser(email, password string) { s.users.Store(email, password) }

// AddSecretKey makes an application-level secret key valid (section 5).
func (s *Server) AddSecretKey(key string) { s.keys.Store(key, true) }

// RevokeTokens makes every token issued so far invalid.
func (s *Server) RevokeTokens() { s.tokens.Clear() }

// login is POST /v1/auth/login/jwt (section 5, rule 1).
func (s *Server) login(c *Request) Response {
	sent := c.sentIn(s.Wire.Login.ParametersIn)
	email, _ := sent["email"].(string)
	given, _ := sent["password"].(string)
	if email == "" || given == "" {
		return invalid(map[string]string{"email": "is required", "password": "is required"})
	}

	if password, known := s.users.Load(email); !known || password != given {
		return failure(http.StatusUnauthorized, "invalid_credentials", "The email or the password is wrong.", nil)
	}

	return success(map[string]any{"token": s.IssueToken(email)})
}

// currentUser is GET /v1/user/self (section 5, rule 2).
func (s *Server) currentUser(c *Request) Response {
	held, _ := s.tokens.Load(c.Token)
	if g, ok := held.(grant); ok {
		return success(map[string]any{"id": "user:" + g.email, "email": g.email})
	}
	return success(map[string]any{"id": "application", "email": nil})
}

// authenticate reports whether the credentials of a request are valid; a token takes precedence over a key. Every
// operation but the login accepts either method.
func (s *Server) authenticate(c *Request) (ok bool) {
	if c.Auth != AuthBearer {
		_, ok = s.keys.Load(c.key)
		return ok
	}

	held, _ := s.tokens.Load(c.Token)
	g, ok := held.(grant)

	return ok && s.now().Before(g.expires)
}

// grant is the user and the expiry of a token. They do not depend on its claims.
type grant struct {
	email   string
	expires time.Time
}

// IssueToken returns a new token of an hour for a user, who need not exist (section 5, rule 1; section 8).
func (s *Server) IssueToken(email string) string {
	now := s.now()
	expires := now.Add(time.Hour)
	claims := map[string]any{"sub": email, "iat": now.Unix(), "exp": expires.Unix()}
	if s.Claims != nil {
		claims = s.Claims(now)
	}

	// A JWT (RFC 7519) whose signature is of no key and different each time.
	text := base64.RawURLEncoding.EncodeToString
	token := text([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + text(encode(claims)) + "." + text([]byte(rand.Text()))
	s.tokens.Store(token, grant{email: email, expires: expires})

	return token
}
