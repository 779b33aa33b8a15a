// SPDX-License-Identifier: MPL-2.0

package transport

import "net/http"

// Observer is called for the head of each answer, including those to logins and to repeated
// requests, and concurrently.
type Observer func(Head)

// Head is what an answer says before its body.
type Head struct {
	Operation string // its name in section 4, such as "Update consent"
	Status    int
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
		t.observer(Head{Operation: callFrom(req.Context()).Op.Name, Status: resp.StatusCode})
	}
	return resp, err
}
