// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzEachMember checks that EachMember and EachElement find what a parser finds.
func FuzzEachMember(f *testing.F) {
	for _, text := range []string{
		`{}`, ` { "a" : 1 , "b":[{"c":"}"}],"d":"\"\\" } `, `[1,{"a":2}]`, `{"a":"\ud83d","\u0062":{}}`, `7`, `{"a":tru`, `{"a`, `{"a":"\`, "{\"\xff\":1}",
	} {
		f.Add([]byte(text))
	}

	f.Fuzz(func(t *testing.T, text []byte) {
		v := jsontext.Value(text)
		got := 0
		for name, value := range EachMember(v) {
			got += len(name) + len(value)
		}

		for _, value := range Elements(v) {
			got += len(value)
		}

		Told(v)
		if !utf8.Valid(text) || !v.IsValid(jsontext.AllowInvalidUTF8(true)) {
			return // it must not panic, and may find anything
		}

		dec := jsontext.NewDecoder(strings.NewReader(string(text)), jsontext.AllowInvalidUTF8(true))
		want := 0
		if kind := dec.PeekKind(); kind == '{' || kind == '[' {
			_, _ = dec.ReadToken()
			for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
				if kind == '{' {
					name, _ := dec.ReadToken()
					want += len(name.String())
				}
				value, _ := dec.ReadValue()
				want += len(value)
			}
		}
		if got != want {
			t.Errorf("%q: %d bytes found, want %d", text, got, want)
		}
	})
}

// An escape must not lead to a search for the end of the text each time.
func TestEachMember_timeIsLinearInEscapes(t *testing.T) {
	t.Parallel()

	v := jsontext.Value(`{"a":"` + strings.Repeat(`\n`, 1<<20) + `","b":1}`)
	began := time.Now()
	var last string
	for name := range EachMember(v) {
		last = string(name)
	}
	if took := time.Since(began); took > 5*time.Second || last != "b" {
		t.Errorf("%q is the last member, found after %v", last, took)
	}
}
