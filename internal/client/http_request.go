package client

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// request is what an endpoint asks the service for.
type request struct {
	op operation
	to endpoint
	payload

	// private are values that no message may show.
	private []string
}

// parameter is one named value of a request: a string, a bool or an int64.
type parameter struct {
	name  string
	value any
}

// payload is the parameters of a request, laid out for the wire.
type payload struct {
	body        []byte
	contentType string
	query       string
	attribute   string       // whose value the body holds, where it can be large
	beforeRetry func() error // see call
}

// place lays parameters out where the setting says.
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

func marshalObject(parameters []parameter) ([]byte, error) {
	var b strings.Builder
	enc := jsontext.NewEncoder(&b)
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return nil, err
	}
	for _, p := range parameters {
		if err := enc.WriteToken(jsontext.String(p.name)); err != nil {
			return nil, err
		}
		if err := json.MarshalEncode(enc, p.value); err != nil {
			return nil, err
		}
	}
	err := enc.WriteToken(jsontext.EndObject)
	return []byte(strings.TrimSpace(b.String())), err
}
