package transport

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Observer is told what answers look like, for programs that describe a service. It never
// sees a request, a credential or a value about a person. Its functions are called
// concurrently; nil ones are not called.
type Observer struct {
	// Head is called for the head of each answer, including those to logins and to
	// repeated requests.
	Head func(Head)
	// Body is called for each JSON body that is read as a whole.
	Body func(Body)
}

// Head is what an answer says before its body.
type Head struct {
	Operation string // its name in section 4, such as "Update consent"
	Status    int
}

// Body is the structure of a JSON body.
type Body struct {
	Operation string
	Status    int
	Places    []jsonvalue.Place
}

// observingTransport is the innermost layer, so that it sees logins too. It tells the
// observer about each answer.
type observingTransport struct {
	next     http.RoundTripper
	observer Observer
}

// RoundTrip sends a request and reports the head of its answer.
func (t *observingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err == nil {
		t.observer.Head(Head{Operation: callFrom(req.Context()).Op.Name, Status: resp.StatusCode})
	}
	return resp, err
}

// observeBody tells the observer about a JSON body.
func (k *Call) observeBody(status int, v jsontext.Value) {
	if k.observer.Body == nil {
		return
	}

	k.observer.Body(Body{
		Operation: k.Op.Name,
		Status:    status,
		Places:    jsonvalue.Outline(v, func(name string) bool { return k.Redact.Clean(name) != name }),
	})
}

// HiddenName returns a function that reports whether a name of a member must not be shown,
// since it holds one of the private values or looks like a person or a credential.
func HiddenName(private ...string) (hidden func(name string) bool) {
	r := NewRedactor(private...)
	return func(name string) bool { return r.Clean(name) != name }
}
