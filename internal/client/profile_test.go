package client_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestValuesThatMeanTheSameAreTheSame(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{"1", "1.0", true},
		{"1", "1e0", true},
		{"100", "1E2", true},
		{"0.10", "1e-1", true},
		{"0", "-0", true},
		{"0.0", "0e9", true},
		{"9007199254740993", "9007199254740992", false},
		{"9007199254740993", "9.007199254740993e15", true},
		{"1", "-1", false},
		{"1", `"1"`, false},
		{"12", "120", false},
		{"null", "false", false},
		{`{"a":1,"b":[1,2]}`, `{ "b" : [1.0,2], "a":1 }`, true},
		{"[1,2]", "[2,1]", false},
		{`{"a":1}`, `{"a":1,"b":2}`, false},
		{`"\u00e9"`, `"é"`, true},
		{`"a"`, `"A"`, false},
	} {
		if got := jsonvalue.Equal(jsontext.Value(tc.a), jsontext.Value(tc.b)); got != tc.same {
			t.Errorf("%s and %s: %v", tc.a, tc.b, got)
		}
	}
}

func TestTextThatIsNoProfileIsRefusedWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "canary", `{"canary":`, `["canary"]`, `"canary"`, "null", `{"a":1e400}`, `{"a":[{"b":-1e400}]}`, `{"canary":1,"canary":2}`, "{\"a\":\"\xff\"}", `{} {}`} {
		_, err := jsonvalue.ParseObject(text)
		if err == nil {
			t.Errorf("%q is accepted", text)
			continue
		}
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("%q is repeated: %v", text, err)
		}
	}
}

func TestAProfileIsReadInUsualWrappings(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{`{}`: 0, `{"a":1}`: 1, `{"profile":{"a":1,"b":2}}`: 2, `{"data":{"a":1}}`: 1, `{"data":{"a":1},"x":1}`: 2, `{"error":"none","a":1}`: 2} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 200, Body: []byte(body)})
			p, err := c.GetProfile(t.Context(), scope, person)
			noError(t, err)
			if len(p.Members) != want {
				t.Errorf("%s has %d members", body, len(p.Members))
			}
		}, useSecretKey)
	}
	for body, kind := range map[string]client.ErrorClass{`[]`: client.ClassPayload, `null`: client.ClassPayload, ``: client.ClassEmpty, `{"error":"no","code":7}`: client.ClassRejected} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 200, Body: []byte(body)})
			_, err := c.GetProfile(t.Context(), scope, person)
			_ = wantKind(t, err, kind)
		}, useSecretKey)
	}
}

func FuzzObjectsReadBackWhatWasWritten(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1.0,"b":[{}],"é\"":null}`, `{"":"\u0000"}`, `{"a":1e400}`, `[1]`, `{"a":-0}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := jsonvalue.ParseObject(text)
		if err != nil {
			return
		}
		again, err := jsonvalue.ParseObject(jsonvalue.FormatObject(m))
		if err != nil || !jsonvalue.Equal(jsontext.Value(jsonvalue.FormatObject(m)), jsontext.Value(jsonvalue.FormatObject(again))) {
			t.Fatalf("%q is written as %q (%v)", text, jsonvalue.FormatObject(m), err)
		}
	})
}
