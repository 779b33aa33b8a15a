// SPDX-License-Identifier: MPL-2.0

// Package mocktest starts mock servers for tests. Each server belongs to one test and
// is wrapped in the contract's validator; a violation fails the test.
package mocktest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/contract"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// Instance is a running mock server with one user and one secret key.
type Instance struct {
	*mockserver.Server

	// URL is {base_url} of the interface.
	URL string
	// Email, Password and SecretKey are unique to the instance, which lets a test search
	// an output for them. They contain characters that every encoding has to escape.
	Email, Password, SecretKey string
	// CAFile and CAPEM are the authority that signed the server's certificate; StartTLS
	// only.
	CAFile string
	CAPEM  []byte

	listening *mockserver.Listening
	stop      sync.Once
	allowed   atomic.Bool
	pipes     *pipeListener
}

// Org and Project are the scope of everything that names no other.
const (
	Org     = "org-demo"
	Project = "web"
)

// Environment returns the environment of a provider that uses the service's secret key.
func (i *Instance) Environment() map[string]string {
	return map[string]string{
		"ANALYTICS_BASE_URL": i.URL, "ANALYTICS_API_SECRET_KEY": i.SecretKey,
		"ANALYTICS_ORG_ID": Org, "ANALYTICS_PROJECT_ID": Project,
	}
}

// EnvironmentWithLogin is Environment with e-mail and password in place of the key.
func (i *Instance) EnvironmentWithLogin() map[string]string {
	environment := i.Environment()
	delete(environment, "ANALYTICS_API_SECRET_KEY")
	environment["ANALYTICS_EMAIL"], environment["ANALYTICS_PASSWORD"] = i.Email, i.Password
	return environment
}

// Start starts a mock server on 127.0.0.1 that stops when the test ends. configure
// functions set fields of the Server before it starts.
func Start(t testing.TB, configure ...func(*mockserver.Server)) *Instance {
	t.Helper()
	i := prepare(t, configure)

	listening, err := i.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	i.run(t, listening)

	return i
}

// AllowViolations keeps violations from failing the test, for tests that cause them on
// purpose. Violations still returns them.
func (i *Instance) AllowViolations() { i.allowed.Store(true) }

// Stop stops the server before the test ends. Further calls have no effect.
func (i *Instance) Stop() {
	i.stop.Do(func() { _ = i.listening.Stop() })
}

var instances atomic.Int64

// usual returns the validator that servers without an ExportKindParameter share. It
// keeps nothing of the requests that it sees.
var usual = sync.OnceValues(func() (*contract.Validator, error) { return contract.New("") })

// prepare returns an instance that does not accept connections yet.
func prepare(t testing.TB, configure []func(*mockserver.Server)) *Instance {
	t.Helper()

	number := strconv.FormatInt(instances.Add(1), 10)
	i := &Instance{
		Server:    &mockserver.Server{},
		Email:     "operator+" + number + "&co@example.com",
		Password:  "p@ss/w+rd & 100% \"sécret\" <" + number + ">",
		SecretKey: "s3cret/k+y=&? 100%#é-" + number,
	}

	var v *contract.Validator
	i.Wrap = func(operations http.Handler) http.Handler { return v.Wrap(operations, i.Violate) }
	for _, set := range configure {
		set(i.Server)
	}

	var err error
	if parameter := i.Wire.ExportKindParameter; parameter == "" {
		v, err = usual()
	} else {
		v, err = contract.New(parameter)
	}
	if err != nil {
		t.Fatal(err)
	}

	i.AddUser(i.Email, i.Password)
	i.AddSecretKey(i.SecretKey)

	return i
}

// run registers the end of the server, and the check for violations, with the test.
func (i *Instance) run(t testing.TB, listening *mockserver.Listening) {
	t.Helper()
	i.listening, i.URL = listening, listening.URL

	t.Cleanup(func() {
		i.Stop()
		soak.Add(soak.Requests, len(i.Requests()))
		if i.allowed.Load() {
			return
		}

		for _, violation := range i.Violations() {
			t.Errorf("violation of the interface: %s", violation)
		}
	})
}

// Acknowledgements are bodies with which other services acknowledge a request with
// status 200. None of them is data of a person.
var Acknowledgements = []string{
	`{}`,
	`[]`,
	`null`,
	`true`,
	`"ok"`,
	`{"ok":true}`,
	`{"success":true}`,
	`{"id":"request-1"}`,
	`{"requestId":"request-1"}`,
	`{"message":"accepted"}`,
	`{"status":"queued"}`,
	`{"id":"request-1","status":"pending","operation":"getAllData"}`,
}

// DataLikeAcknowledgements are data of a person that resemble an acknowledgement, a
// rejection or a pending record, by a member that each has at its top.
var DataLikeAcknowledgements = map[string]string{
	`{"identity":"user-1","status":"active","profile":{"name":"Ada"},"events":[]}`:                                "profile",
	`{"id":"user-1","status":"pending","profile":{"plan":"free"},"sessions":[{"id":"s1"}]}`:                       "sessions",
	`{"identity":"user-1","errors":[{"message":"a page crashed","at":"2026-01-15"}],"events":[{"name":"click"}]}`: "events",
	`{"identity":"user-1","error":"none","profile":{"name":"Ada"}}`:                                               "profile",
	`{"identity":"user-1","operation":"access_all_data_export","profile":{"name":"Delete Profile"},"events":[]}`:  "profile",
	`{"identity":"user-1","type":"customer","name":"deleteAllData","message":"hello","profile":{"age":36}}`:       "profile",
	`[{"kind":"event","name":"getAllData"},{"kind":"session","id":"s1"}]`:                                         "kind",
}

// AnswerQueueing returns an option for Start: deferred requests are answered with this
// status and this JSON body.
func AnswerQueueing(status int, body string) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.Change(func(_ mockserver.Request, a *mockserver.Response) {
			if a.Receipt {
				a.Status, a.Body = status, json.RawMessage(body)
			}
		})
	}
}

// AnswerData returns an option for Start: getAllData is answered with this JSON body
// once the data are ready.
func AnswerData(body string) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		mockserver.Reshape(s, func(any) any { return json.RawMessage(body) }, mockserver.OpGetAllData)
	}
}
