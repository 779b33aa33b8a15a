// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Paths and values that tests use; no violation may contain a value.
const (
	person     = "/v1/org/acme/project/web/compliance/user/jo%40example.com"
	oldPerson  = "/v1/account/4711/compliance/user/jo%40example.com"
	pending    = "/v1/org/acme/project/web/compliance/pending-requests"
	export     = "/v1/org/acme/project/web/export"
	personPath = "/v1/org/{orgId}/project/{projectId}/compliance/user/{identityId}"
	exportPath = "/v1/org/{orgId}/project/{projectId}/export"
	token      = "eyJhbGciOiJub25lIn0.e30.c2ln"
)

var private = []string{"jo@example.com", "jo%40example.com", "acme", "4711", token, "hunter2", "s3cret", "2001:db8", "12:34"}

// exchanged is a request, its response and the violations that are expected.
type exchanged struct {
	method, target string
	header         http.Header
	body           string
	handler        http.HandlerFunc
	options        []Option
	want           []string
}

// usual is the validator without options. Making one reads the whole contract.
var usual = sync.OnceValues(func() (*Validator, error) { return New() })

func (e exchanged) validator() (*Validator, error) {
	if len(e.options) == 0 {
		return usual()
	}
	return New(e.options...)
}

// violations sends the request through a validator and returns what it reports, and the answer. The
// default handler answers with a body that every operation allows.
func (e exchanged) violations(t *testing.T) ([]string, *httptest.ResponseRecorder) {
	t.Helper()

	v, err := e.validator()
	if err != nil {
		t.Fatal(err)
	}

	handler := e.handler
	if handler == nil {
		handler = answer(http.StatusOK, "application/json", `{"token":"`+token+`"}`)
	}

	r := httptest.NewRequestWithContext(t.Context(), e.method, e.target, strings.NewReader(e.body))
	r.Header = maps.Clone(e.header)
	if r.Header == nil {
		r.Header = http.Header{}
	}

	var got []string
	w := httptest.NewRecorder()
	v.Wrap(handler, func(text string) { got = append(got, text) }).ServeHTTP(w, r)

	for _, text := range got {
		for _, value := range private {
			if strings.Contains(text, value) {
				t.Errorf("a violation tells the value %q: %s", value, text)
			}
		}
	}

	return got, w
}

func runExchanges(t *testing.T, cases map[string]exchanged) {
	t.Helper()
	for name, e := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, _ := e.violations(t); !slices.Equal(got, e.want) {
				t.Errorf("violations:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(e.want, "\n"))
			}
		})
	}
}

func answer(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		if body != "" {
			w.Write([]byte(body))
		}
	}
}

func bearerHeader() http.Header { return http.Header{"Authorization": {"bearer " + token}} }

func withBody(contentType string, h http.Header) http.Header {
	h.Set("Content-Type", contentType)
	return h
}

func parsed(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDocument_hasEveryOperationOfTheInterface(t *testing.T) {
	t.Parallel()

	doc := parsed(t)
	var got []string
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			got = append(got, operation.OperationID+" "+method+" "+path)
			if !strings.HasPrefix(operation.Description, "Section 4, ") {
				t.Errorf("the description of %s does not point to its section", operation.OperationID)
			}
		}
	}

	want := []string{
		"login POST /v1/auth/login/jwt",
		"getCurrentUser GET /v1/user/self",
		"exportRecords GET " + exportPath,
	}

	for suffix, prefix := range map[string]string{
		"":           "/v1/org/{orgId}/project/{projectId}/compliance",
		"ForAccount": "/v1/account/{accountId}/compliance",
	} {
		user := prefix + "/user/{identityId}"
		want = append(want,
			"updateConsent"+suffix+" PATCH "+user+"/consent",
			"getConsent"+suffix+" GET "+user+"/consent",
			"getAllData"+suffix+" GET "+user+"/all-data",
			"deleteAllData"+suffix+" DELETE "+user+"/all-data",
			"getProfile"+suffix+" GET "+user+"/profile",
			"updateProfile"+suffix+" PATCH "+user+"/profile",
			"listPendingRequests"+suffix+" GET "+prefix+"/pending-requests",
		)
	}

	slices.Sort(got)
	slices.Sort(want)

	if !slices.Equal(got, want) {
		t.Errorf("operations:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDocument_consentQueryHasTheFieldsOfTheRecord(t *testing.T) {
	t.Parallel()

	doc := parsed(t)
	for id, schema := range map[string]string{"updateConsent": "ConsentUpdate", "updateConsentForAccount": "ConsentUpdate", "login": "Login"} {
		operation := operationByID(doc, id)
		for name := range doc.Components.Schemas[schema].Value.Properties {
			if operation.Parameters.GetByInAndName("query", name) == nil {
				t.Errorf("%s cannot have %s in the query", id, name)
			}
		}
	}
}

func TestExportKindParameter_nameMustBeFree(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "utcDate", "apiSecretToken"} {
		if _, err := New(ExportKindParameter(name)); err == nil {
			t.Errorf("%q is accepted", name)
		}
	}
}

func TestWrap_violationsDoNotChangeWhatIsSeen(t *testing.T) {
	t.Parallel()

	const body = `{"name": "Jo"}`
	got := exchanged{method: "PATCH", target: person + "/profile?x=1", header: withBody(mediaJSON, bearerHeader()), body: body}
	got.handler = func(w http.ResponseWriter, r *http.Request) {
		if text, err := io.ReadAll(r.Body); string(text) != body || err != nil {
			t.Errorf("the handler read %q, %v", text, err)
		}
		w.Header().Set("X-Test", "kept")
		answer(http.StatusTeapot, "text/html", "<p>"+r.URL.RawQuery)(w, r)
	}

	violations, answered := got.violations(t)
	if answered.Body.String() != "<p>x=1" || answered.Code != http.StatusTeapot || answered.Header().Get("X-Test") != "kept" {
		t.Errorf("the client received %d %q", answered.Code, answered.Body)
	}
	if len(violations) != 2 {
		t.Errorf("violations: %q", violations)
	}
}

func TestWrap_responseThatNobodyWaitsForIsNotValidated(t *testing.T) {
	t.Parallel()

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	page := answer(http.StatusOK, "text/html", "<html>")
	gaveUp := func(w http.ResponseWriter, r *http.Request) {
		page(w, r)
		panic(http.ErrAbortHandler)
	}
	for name, send := range map[string]func(v *Validator, r *http.Request, report func(string)){
		"handler that gives up": func(v *Validator, r *http.Request, report func(string)) {
			defer func() { _ = recover() }()
			v.Wrap(http.HandlerFunc(gaveUp), report).ServeHTTP(httptest.NewRecorder(), r)
		},
		"client that has gone": func(v *Validator, r *http.Request, report func(string)) {
			v.Wrap(page, report).ServeHTTP(httptest.NewRecorder(), r.WithContext(gone))
		},
		"answer that is cut": func(v *Validator, r *http.Request, report func(string)) {
			v.Wrap(answer(http.StatusOK, mediaJSON, `{"a":1}`), report).ServeHTTP(broken{httptest.NewRecorder()}, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := usual()
			if err != nil {
				t.Fatal(err)
			}
			send(v, httptest.NewRequestWithContext(t.Context(), "GET", person+"/consent", nil), func(text string) { t.Error(text) })
		})
	}
}

// broken is a ResponseWriter whose client has gone.
type broken struct{ http.ResponseWriter }

func (broken) Write(p []byte) (int, error) { return len(p) / 2, net.ErrClosed }

func TestWrap_largeResponseIsNotKept(t *testing.T) {
	t.Parallel()
	inner := httptest.NewRecorder()
	rec := &recorder{ResponseWriter: inner}
	part := strings.Repeat("x", LimitBody/2)
	for range 4 {
		fmt.Fprint(rec, part)
	}
	if !rec.partial || rec.body.Cap() != 0 || inner.Body.Len() != 4*len(part) {
		t.Errorf("%d bytes are kept of %d that went out", rec.body.Cap(), inner.Body.Len())
	}
}
