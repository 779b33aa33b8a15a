package client

import (
	"net/http"
	"strings"
	"time"

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
		t.observer.Head(headOf(callFrom(req.Context()), resp))
	}
	return resp, err
}

// headOf returns the head of an answer. Text that the service chooses is redacted.
func headOf(k *call, resp *http.Response) Head {
	h := Head{
		Operation: k.op.name,
		Status:    resp.StatusCode,
		Protocol:  resp.Proto,
		TLS:       resp.TLS,
		Received:  time.Now(),
		MediaType: k.mediaType(resp),
		Encoding:  k.redact.text(resp.Header.Get("Content-Encoding"), 20),
		Limits:    limitsIn(resp.Header),
	}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		h.Date = date
	}

	return h
}

// limitFields are the header fields that state a rate limit, in the spellings that
// services commonly use. The interface names none (section 8).
var limitFields = []string{
	"Retry-After", "RateLimit", "RateLimit-Policy",
	"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
	"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
	"X-Rate-Limit-Limit", "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset",
}

// isSmallNumber reports whether a value has at most seven digits and nothing else, so that
// it is no time and no identifier.
func isSmallNumber(value string) bool {
	return value != "" && len(value) <= 7 && strings.Trim(value, "0123456789") == ""
}

// limitsIn returns the fields of a header that state a rate limit, by name. A value that is
// not a small number is left out.
func limitsIn(h http.Header) map[string]string {
	limits := map[string]string{}
	for _, name := range limitFields {
		if h.Get(name) == "" {
			continue
		}

		limits[name] = ""
		if value := h.Get(name); isSmallNumber(value) {
			limits[name] = value
		}
	}

	return limits
}

// observeBody tells the observer about a JSON body.
func (k *call) observeBody(status int, v jsontext.Value) {
	if k.observer.Body == nil {
		return
	}

	k.observer.Body(Body{
		Operation: k.op.name,
		Status:    status,
		Places:    jsonvalue.Outline(v, func(name string) bool { return k.redact.clean(name) != name }),
	})
}

// HiddenName returns a function that reports whether a name of a member must not be shown,
// since it holds one of the private values or looks like a person or a credential.
func HiddenName(private ...string) (hidden func(name string) bool) {
	r := newRedactor(private...)
	return func(name string) bool { return r.clean(name) != name }
}
