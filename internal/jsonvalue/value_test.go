// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"maps"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func TestEqual_sameMeaning(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{"1", "1.0", true},
		{"0.10", "1e-1", true},
		{"0", "-0", true},
		{"9007199254740993", "9007199254740992", false},
		{"9007199254740993", "9.007199254740993e15", true},
		{"null", "false", false},
		{`{"a":1,"b":[1,2]}`, `{ "b" : [1.0,2], "a":1 }`, true},
		{"[1,2]", "[2,1]", false},
		{`"\u00e9"`, `"é"`, true},
	} {
		if got := Equal(jsontext.Value(tc.a), jsontext.Value(tc.b)); got != tc.same {
			t.Errorf("%s and %s: %v", tc.a, tc.b, got)
		}
	}
}

func TestIsZero_whatSaysNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"null": true, "false": true, `" "`: true, "0": true, "-0.0e3": true, "[ ]": true, "{\n}": true, "": true,
		"true": false, `"x"`: false, "0.1": false, "[0]": false, `{"":null}`: false, "1e999": false,
	} {
		if got := IsZero(jsontext.Value(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

func TestFold_lettersAndDigitsInLowerCase(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"recordType": "recordtype", "record_type": "recordtype", "Record-Type": "recordtype", "@odata.count": "odatacount", "$id": "id", "a b\tc/d": "abcd",
		"GELÖSCHT": "gelöscht", "a–Ö1": "aö1", "\xffx": "x", "_": "", "": "",
	} {
		if got := Fold(name); got != want {
			t.Errorf("%q is folded to %q", name, got)
		}
	}
}

func TestParseObject_refusedWithoutRepeatingTheText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "canary", `{"canary":`, `["canary"]`, `"canary"`, "null", `{"a":1e400}`, `{"a":[{"b":-1e400}]}`, `{"canary":1,"canary":2}`, "{\"a\":\"\xff\"}", `{} {}`} {
		if _, err := ParseObject(text); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q is accepted, or repeated: %v", text, err)
		}
	}
}

func TestIsFieldName_noPerson(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"clause_1_consent": true, "user_ipv6": true, "@id": true, "$ref": true, "a-b.c": true, "1a2": true,
		"": false, "42": false, "jane@example.com": false, "user-1001": false, "Jane Doe": false, "Zoë": false, strings.Repeat("x", 41): false,
	} {
		if got := IsFieldName(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}

// FuzzParts_findsWhatAParserFinds goes through text that may be invalid too.
func FuzzParts_findsWhatAParserFinds(f *testing.F) {
	for _, text := range []string{
		`{}`, ` { "a" : 1 , "b":[{"c":"}"}],"d":"\"\\" } `, `[1,{"a":2}] `, `{"a":"\ud83d","\u0062":{}}`, `7`, `{"a":tru`, `{"a`, `{"a":"\`, `{"a":1}{"b":2}`, `{:}]`,
	} {
		f.Add([]byte(text))
	}

	f.Fuzz(func(t *testing.T, text []byte) {
		members := map[string]jsontext.Value{}
		if IsZero(text); jsontext.Value(text).Kind() == '{' {
			for name, value := range Parts(text) {
				members[string(name)] = value
			}
		}

		same := func(a, b jsontext.Value) bool { return string(a) == string(b) }
		var want map[string]jsontext.Value
		if json.Unmarshal(text, &want) == nil && !maps.EqualFunc(members, want, same) {
			t.Errorf("%q: %q, want %q", text, members, want)
		}
	})
}

func TestAt_followsAPointer(t *testing.T) {
	t.Parallel()
	v := jsontext.Value(`{"a":{"b/c":[10,{"d":null}],"":7,"m~n":8}}`)
	for at, want := range map[jsontext.Pointer]string{
		"": string(v), "/a/b~1c/0": "10", "/a/b~1c/1/d": "null", "/a/": "7", "/a/m~0n": "8",
		"/b": "", "/a/b~1c/2": "", "/a/b~1c/01": "", "/a/b~1c/-": "", "/a/b~1c/0/x": "", "/a/b~1c/18446744073709551616": "",
	} {
		if got := string(At(v, at)); got != want {
			t.Errorf("%s leads to %s", at, got)
		}
	}
}
