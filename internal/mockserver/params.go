package mockserver

import (
	"bytes"
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// secretParameter is the query parameter of the secret key (section 5). It is a
// credential, not a parameter of an operation.
const secretParameter = "apiSecretToken"

// parameters are what a request sent, wherever it put it.
type parameters struct {
	place     string
	sent      map[string]any
	malformed bool
}

// readParameters collects parameters from the query and the body. Where a name is
// in both, the body's is kept; the contract refuses that.
func readParameters(r *http.Request, body []byte) parameters {
	p := parameters{sent: map[string]any{}}
	query, err := url.ParseQuery(r.URL.RawQuery)
	p.malformed = err != nil
	delete(query, secretParameter)
	var places []string
	if len(query) > 0 {
		places = append(places, InQuery)
		p.addValues(query)
	}
	if len(body) > 0 {
		media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		switch media {
		case "application/x-www-form-urlencoded":
			places = append(places, InForm)
			form, err := url.ParseQuery(string(body))
			p.malformed = p.malformed || err != nil
			p.addValues(form)
		default:
			places = append(places, InJSON)
			p.addJSON(body)
		}
	}
	p.place = strings.Join(places, "+")
	return p
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

// readObject reads one strict JSON object: jsontext refuses duplicate names, invalid
// UTF-8 and anything after the value; encoding/json keeps numbers exact.
func readObject(text []byte) (map[string]any, bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var object map[string]any
	if !jsontext.Value(text).IsValid() || dec.Decode(&object) != nil || object == nil {
		return nil, false
	}
	return object, true
}

// in returns the parameters if they are in the place where the service looks.
func (p parameters) in(place string) (map[string]any, bool) {
	if p.malformed {
		return nil, false
	}
	if p.place != place {
		return map[string]any{}, true
	}
	return p.sent, true
}
