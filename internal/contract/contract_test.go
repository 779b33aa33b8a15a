// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

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

// violations sends the request through a validator and returns what it reports. The
// default handler answers with a body that every operation allows.
func (e exchanged) violations(t *testing.T) []string {
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
	v.Wrap(handler, func(text string) { got = append(got, text) }).ServeHTTP(httptest.NewRecorder(), r)

	for _, text := range got {
		for _, value := range private {
			if strings.Contains(text, value) {
				t.Errorf("a violation tells the value %q: %s", value, text)
			}
		}
	}

	return got
}

func runExchanges(t *testing.T, cases map[string]exchanged) {
	t.Helper()
	for name, e := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := e.violations(t); !slices.Equal(got, e.want) {
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
		w.Write([]byte(body))
	}
}

func bearerHeader() http.Header { return http.Header{"Authorization": {"bearer " + token}} }

func withBody(contentType string, h http.Header) http.Header {
	h.Set("Content-Type", contentType)
	return h
}

func TestDocument_hasEveryOperationOfTheInterface(t *testing.T) {
	t.Parallel()

	doc, err := load(nil)
	if err != nil {
		t.Fatal(err)
	}

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

	doc, err := load(nil)
	if err != nil {
		t.Fatal(err)
	}

	for id, schema := range map[string]string{"updateConsent": "ConsentUpdate", "updateConsentForAccount": "ConsentUpdate", "login": "Login"} {
		operation := operationByID(doc, id)
		for name := range doc.Components.Schemas[schema].Value.Properties {
			if operation.Parameters.GetByInAndName("query", name) == nil {
				t.Errorf("%s cannot have %s in the query", id, name)
			}
		}
	}
}

func TestDocument_returnsACopy(t *testing.T) {
	t.Parallel()
	Document()[0] = 'X'
	if Document()[0] != '#' {
		t.Error("a caller can change the document")
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
