// SPDX-License-Identifier: MPL-2.0

package answer_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

func TestAt_followsAPointer(t *testing.T) {
	t.Parallel()
	v := parse(t, `{"a":{"b/c":[10,{"d":null}],"":7,"m~n":8}}`)
	for at, want := range map[jsontext.Pointer]string{
		"": string(v), "/a/b~1c/0": "10", "/a/b~1c/1/d": "null", "/a/": "7", "/a/m~0n": "8",
		"/b": "", "/a/b~1c/2": "", "/a/b~1c/01": "", "/a/b~1c/-": "", "/a/b~1c/0/x": "", "/a/b~1c/18446744073709551616": "",
	} {
		if got := string(answer.At(v, at)); got != want {
			t.Errorf("%s leads to %s", at, got)
		}
	}
}

func TestEnvelope_leavesBesideItsParts(t *testing.T) {
	t.Parallel()
	e := answer.Envelope{Ignored: map[jsontext.Pointer]string{"/took": answer.AnyValue, "/success": "true", "/meta": answer.AnyValue, "/links": answer.AnyValue, "/next": "null"}}
	body := parse(t, `{"took":3,"success":true,"meta":{"id":"x","pages":[1]},"links":{},"next":"/2","data":{"items":[{"id":1}],"total":1}}`)
	want := []answer.Leaf{
		{At: "/meta/id", Value: jsontext.Value(`"x"`)},
		{At: "/meta/pages/0", Value: jsontext.Value("1")},
		{At: "/next", Value: jsontext.Value(`"/2"`)},
		{At: "/data/total", Value: jsontext.Value("1")},
	}
	if diff := cmp.Diff(want, e.Beside(body, "/data/items")); diff != "" {
		t.Error(diff)
	}
	if beside := e.Beside(body, ""); len(beside) > 0 {
		t.Errorf("beside the whole answer stands %v", beside)
	}
}

// An answer with nothing in it says that there is none only if nothing beside it may say that the
// service has failed.
func TestResult_decidesWhatNothingMeans(t *testing.T) {
	t.Parallel()
	inData := answer.Envelope{At: "/data"}
	told := answer.Envelope{At: "/data", Result: answer.Result{At: "/code", Success: []string{"0"}, Absent: []string{"40400"}}}

	for body, want := range map[string]struct{ untold, told string }{
		`{"data":null}`:                                       {absent, absent},
		`{"code":0,"data":null}`:                              {absent, absent},
		`{"code":"0","data":{}}`:                              {absent, absent},
		`{"status":"success","data":null}`:                    {absent, absent},
		`{"requestId":"r-1","userId":"u-7","data":null}`:      {absent, absent},
		`{"code":0,"msg":"","data":null}`:                     {absent, absent},
		`{"code":50000,"data":null}`:                          {unrecognised, refused},
		`{"code":40400,"data":null}`:                          {unrecognised, absent},
		`{"code":40400,"msg":"none","data":[]}`:               {unrecognised, absent},
		`{"status":"fail","data":null}`:                       {unrecognised, unrecognised},
		`{"outcome":"timeout","data":null}`:                   {unrecognised, unrecognised},
		`{"code":0,"msg":"the database is away","data":null}`: {unrecognised, unrecognised},
	} {
		_, byDefault := answer.ConsentCall{Envelope: inData}.Read(parse(t, body))
		err := told.Result.Says(parse(t, body))
		if err == nil {
			_, err = answer.ConsentCall{Envelope: told}.Read(parse(t, body))
		}
		if outcome(byDefault) != want.untold || outcome(err) != want.told {
			t.Errorf("%s: %v; told: %v", body, byDefault, err)
		}
	}
}
