// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestParseObject_refusedWithoutRepeatingTheText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "canary", `{"canary":`, `["canary"]`, `"canary"`, "null", `{"a":1e400}`, `{"a":[{"b":-1e400}]}`, `{"canary":1,"canary":2}`, "{\"a\":\"\xff\"}", `{} {}`} {
		_, err := ParseObject(text)
		if err == nil {
			t.Errorf("%q is accepted", text)
			continue
		}
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("%q is repeated: %v", text, err)
		}
	}
}

func FuzzParseObject_readsBackWhatWasWritten(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1.0,"b":[{}],"é\"":null}`, `{"":"\u0000"}`, `{"a":1e400}`, `[1]`, `{"a":-0}`} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseObject(text)
		if err != nil {
			return
		}

		again, err := ParseObject(FormatObject(m))
		if err != nil || !Equal(jsontext.Value(FormatObject(m)), jsontext.Value(FormatObject(again))) {
			t.Fatalf("%q is written as %q (%v)", text, FormatObject(m), err)
		}
	})
}
