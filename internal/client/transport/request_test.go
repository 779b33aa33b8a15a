// SPDX-License-Identifier: MPL-2.0

package transport

import "testing"

func TestPlace_bodyIsJSONWithoutNeedlessEscapes(t *testing.T) {
	t.Parallel()

	var got Request
	err := got.SetParameters(InJSON, map[string]any{"b": true, "a": "\"é\u2028<&\n", "c": int64(-1)})
	if want := `{"a":"\"é` + "\u2028" + `<&\n","b":true,"c":-1}`; string(got.Body) != want || err != nil {
		t.Errorf("got %s %v, want %s", got.Body, err, want)
	}
	if err := got.SetParameters(InJSON, map[string]any{"a": "\xff"}); err == nil {
		t.Errorf("invalid UTF-8 is sent as %s", got.Body)
	}
}
