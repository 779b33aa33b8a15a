// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Places of parameters (section 4, gaps; section 5, rule 4) and formats of a time
// (section 2). The interface leaves both open.
const (
	InJSON  = "json"
	InForm  = "form"
	InQuery = "query"

	TimeRFC3339 = "rfc3339"
	TimeUnixMS  = "unix_ms"
)

// Wire chooses among the forms of requests that the interface leaves open. Parameters
// in another place than the chosen one count as absent.
type Wire struct {
	LoginParametersIn   string // InJSON, InForm or InQuery; empty is InJSON
	ConsentParametersIn string // InJSON, InForm or InQuery; empty is InJSON
	AgreementTimeFormat string // TimeRFC3339 or TimeUnixMS; empty is TimeRFC3339

	// RequireManual refuses a consent update without manual (section 2).
	RequireManual bool

	// ExportKindParameter is the query parameter with which each export chooses its
	// kind of records; if empty, every export has all kinds. ExportKindValues are the
	// values it accepts; if all are empty, person, session and event.
	ExportKindParameter string
	ExportKindValues    [Kinds]string
}

func (w Wire) loginIn() string { return cmp.Or(w.LoginParametersIn, InJSON) }

func (w Wire) consentIn() string { return cmp.Or(w.ConsentParametersIn, InJSON) }

// secretParameter is the query parameter of the secret key (section 5). It is a
// credential, not a parameter of an operation.
const secretParameter = "apiSecretToken"

// parameters are the parameters of a request, from its query and its body.
type parameters struct {
	place     string         // as in Request.Place
	sent      map[string]any // as in Request.Sent
	malformed bool           // some of them cannot be read
}

// readParameters returns the parameters in the query and the body. A name that is in
// both has the body's value; the contract refuses such requests.
func readParameters(r *http.Request, body []byte) parameters {
	p := parameters{sent: map[string]any{}}
	var places []string

	query, err := url.ParseQuery(r.URL.RawQuery)
	p.malformed = err != nil
	delete(query, secretParameter)
	if len(query) > 0 {
		places = append(places, InQuery)
		p.addValues(query)
	}

	if len(body) > 0 {
		places = append(places, p.addBody(r.Header.Get("Content-Type"), body))
	}

	p.place = strings.Join(places, "+")

	return p
}

// addBody adds the parameters of a body and returns its place, InForm or InJSON.
func (p *parameters) addBody(contentType string, body []byte) string {
	media, _, _ := mime.ParseMediaType(contentType)
	if media != "application/x-www-form-urlencoded" {
		p.addJSON(body)
		return InJSON
	}

	form, err := url.ParseQuery(string(body))
	p.malformed = p.malformed || err != nil
	p.addValues(form)

	return InForm
}

func (p *parameters) addValues(values url.Values) {
	for name, list := range values {
		if len(list) == 1 {
			p.sent[name] = list[0]
			continue
		}

		all := make([]any, len(list))
		for i, v := range list {
			all[i] = v
		}
		p.sent[name] = all
	}
}

func (p *parameters) addJSON(body []byte) {
	object, ok := readObject(body)
	p.malformed = p.malformed || !ok
	maps.Copy(p.sent, object)
}

// readObject returns the one JSON object that text consists of, its numbers as
// json.Number; false if it is anything else. jsontext refuses duplicate names and
// invalid UTF-8, which encoding/json accepts.
func readObject(text []byte) (map[string]any, bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()

	var object map[string]any
	if !jsontext.Value(text).IsValid() || dec.Decode(&object) != nil || object == nil {
		return nil, false
	}
	return object, true
}

// in returns the parameters if they are in the given place, and none if they are in
// another; false if they cannot be read.
func (p parameters) in(place string) (map[string]any, bool) {
	if p.malformed {
		return nil, false
	}
	if p.place != place {
		return map[string]any{}, true
	}
	return p.sent, true
}
