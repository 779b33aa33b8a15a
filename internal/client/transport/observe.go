package transport

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

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
