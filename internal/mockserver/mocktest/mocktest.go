// Package mocktest starts mock servers for tests: each test owns one, behind the
// contract validator, and fails with whatever that finds.
package mocktest

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/contract"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// Instance is a running mock server with one user and one secret key.
type Instance struct {
	*mockserver.Server

	// URL is {base_url} of the interface.
	URL string
	// The credentials are the instance's own, so that a test that finds one in an
	// output knows where it is from, and need escaping wherever they are sent.
	Email, Password, SecretKey string
	// CAFile and CAPEM are what signed the server's certificate; StartTLS only.
	CAFile string
	CAPEM  []byte

	listening *mockserver.Listening
	stop      sync.Once
	allowed   atomic.Bool
	pipes     *pipeListener
}

// Start starts a mock server on 127.0.0.1 that stops when the test ends.
// configure sets fields of the Server before that.
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

// AllowViolations is for tests that send on purpose what no client should: the
// test no longer fails because of it. Violations lists them all the same.
func (i *Instance) AllowViolations() { i.allowed.Store(true) }

// Stop ends the server before the test does. Stopping again does nothing.
func (i *Instance) Stop() {
	i.stop.Do(func() { _ = i.listening.Stop() })
}

var instances atomic.Int64

// usual is built once: it holds nothing of the requests that it sees.
var usual = sync.OnceValues(func() (*contract.Validator, error) { return contract.New() })

// validator knows the parameter that an export chooses its kind with, where there is
// one.
func validator(kindParameter string) (*contract.Validator, error) {
	if kindParameter == "" {
		return usual()
	}
	return contract.New(contract.ExportKindParameter(kindParameter))
}

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
	v, err = validator(i.Wire.ExportKindParameter)
	if err != nil {
		t.Fatal(err)
	}
	i.AddUser(i.Email, i.Password)
	i.AddSecretKey(i.SecretKey)
	return i
}

func (i *Instance) run(t testing.TB, listening *mockserver.Listening) {
	t.Helper()
	i.listening, i.URL = listening, listening.URL
	t.Cleanup(func() {
		i.Stop()
		if i.allowed.Load() {
			return
		}
		for _, violation := range i.Violations() {
			t.Errorf("violation of the interface: %s", violation)
		}
	})
}
