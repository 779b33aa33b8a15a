package client

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarshalObject_keepsTheOrderOfParameters(t *testing.T) {
	t.Parallel()

	got, err := marshalObject([]parameter{{"b", true}, {"a", "\"é\u2028\n"}, {"c", int64(-1)}, {"d", false}})
	if diff := cmp.Diff("{\"b\":true,\"a\":\"\\\"é\u2028\\n\",\"c\":-1,\"d\":false}", string(got)); diff != "" || err != nil {
		t.Errorf("unexpected JSON (%v) (-want +got):\n%s", err, diff)
	}

	if got, err := marshalObject(nil); string(got) != "{}" || err != nil {
		t.Errorf("without parameters it is %q (%v)", got, err)
	}
}

func TestMarshalObject_refusesWhatIsNoParameter(t *testing.T) {
	t.Parallel()

	for _, value := range []any{"\xff", 1.5, nil} {
		if got, err := marshalObject([]parameter{{"a", value}}); err == nil {
			t.Errorf("%#v is written as %s", value, got)
		}
	}
}
