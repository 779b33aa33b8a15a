package client

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
)

// request is what an endpoint asks the service for.
type request struct {
	op operation
	to endpoint
	payload

	// private are values that no message may show.
	private []string
}

// address sets the URL and the headers of an HTTP request.
func (r request) address(req *http.Request, base *url.URL) {
	req.URL = r.to.under(base)
	req.URL.RawQuery = r.query
	req.Host = req.URL.Host

	req.Header.Set("Accept", "application/json")
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
}

// parameter is one named value of a request. value is a string, a bool or an int64; name
// needs no escape.
type parameter struct {
	name  string
	value any
}

// payload holds the parameters of a request as they are sent.
type payload struct {
	body        []byte
	contentType string
	query       string

	attribute   string       // see call
	beforeRetry func() error // see call
}

// place puts parameters into the body or the query, as one of Placements says.
func place(in string, parameters []parameter) (payload, error) {
	if in == InJSON {
		body, err := marshalObject(parameters)
		return payload{body: body, contentType: "application/json"}, err
	}

	values := url.Values{}
	for _, p := range parameters {
		values.Set(p.name, fmt.Sprint(p.value))
	}
	if in == InQuery {
		return payload{query: values.Encode()}, nil
	}

	return payload{body: []byte(values.Encode()), contentType: "application/x-www-form-urlencoded"}, nil
}

// marshalObject returns parameters as a JSON object, in their order.
func marshalObject(parameters []parameter) ([]byte, error) {
	var b bytes.Buffer

	b.WriteByte('{')
	for i, p := range parameters {
		if i > 0 {
			b.WriteByte(',')
		}

		value, err := json.Marshal(p.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", p.name, value)
	}
	b.WriteByte('}')

	return b.Bytes(), nil
}
