// SPDX-License-Identifier: MPL-2.0

// Package catalogue holds answers of services, as frameworks, standards and other services give them: what each of them
// is, and which settings of wire admit it. The interface shows hardly any answer, so that these are what the provider
// is measured by. They are data, in answers.json, and serve as the test of the reading, as the test of doctor, as the
// forms of the mock server, and as a page of the documentation. All persons in them are invented.
package catalogue

import (
	_ "embed" // answers.json
	"net/http"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Endpoint is what an answer answers, in the order of the interface (section 4).
type Endpoint string

// The endpoints.
const (
	Login         Endpoint = "login"
	User          Endpoint = "user"
	Consent       Endpoint = "consent"
	ConsentUpdate Endpoint = "consent_update"
	Profile       Endpoint = "profile"
	ProfileUpdate Endpoint = "profile_update"
	Deletion      Endpoint = "deletion"
	AllData       Endpoint = "all_data"
	Pending       Endpoint = "pending"
	Export        Endpoint = "export"
)

// Meaning is what an answer is.
type Meaning string

// What an answer can be.
const (
	Token    Meaning = "a token"
	Account  Meaning = "the current user"
	Record   Meaning = "the record"
	None     Meaning = "nothing is there" // the service holds nothing
	Written  Meaning = "written"
	Personal Meaning = "the profile"
	Accepted Meaning = "accepted" // a deferred request
	Data     Meaning = "the data" // all data of a person
	List     Meaning = "the list" // of pending requests
	Day      Meaning = "the day"  // of an export

	// These are never taken for what was asked for, by default or with any setting.
	Refused   Meaning = "a refusal"
	Part      Meaning = "a part"          // of a list, a day or a record
	Job       Meaning = "a job"           // that prepares an answer
	Elsewhere Meaning = "not the service" // of something in front of the service
)

// Answer is one answer.
type Answer struct {
	Name     string   `json:"name"` // unique
	Endpoint Endpoint `json:"endpoint"`
	Source   string   `json:"source"` // which framework, standard or service answers so

	Status  int               `json:"status"`
	Headers map[string]string `json:"headers,omitzero"`
	JSON    jsontext.Value    `json:"json,omitzero"` // the body, or
	Text    string            `json:"text,omitzero"` // the body that is not one JSON value
	Then    jsontext.Value    `json:"then,omitzero"` // the body of the next page

	Is Meaning `json:"is"`
	// Reads describes what the client makes of an answer that it reads; empty if it reads none.
	Reads string `json:"reads,omitzero"`
	// Wire are the settings that admit an answer that is not read by default.
	Wire jsontext.Value `json:"wire,omitzero"`
	// Why says why no setting admits the answer.
	Why string `json:"why,omitzero"`
	// Says are words of the answer that reach the user.
	Says []string `json:"says,omitzero"`
}

// All returns all answers, those of an endpoint together and the likely ones first.
var All = sync.OnceValue(func() []Answer {
	var all []Answer
	if err := json.Unmarshal(file, &all, json.RejectUnknownMembers(true)); err != nil {
		panic("catalogue: answers.json: " + err.Error())
	}
	return all
})

//go:embed answers.json
var file []byte

// IsNatural reports whether the answer is what was asked for, or says that there is none.
func (a Answer) IsNatural() bool { return a.Why == "" }

// Body returns the bytes of the answer.
func (a Answer) Body() []byte {
	if a.JSON == nil {
		return []byte(a.Text)
	}
	return a.JSON
}

// Header returns the header of the answer. Without content, it has no Content-Type.
func (a Answer) Header() http.Header {
	header := http.Header{}
	if a.JSON != nil {
		header.Set("Content-Type", "application/json")
	}
	for name, value := range a.Headers {
		header.Set(name, value)
	}
	return header
}
