// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestAttempt_isLoggedUnlessTheLogIsOff has an answer with JSON under another name, which is read
// and logged as well.
func TestAttempt_isLoggedUnlessTheLogIsOff(t *testing.T) {
	t.Parallel()

	for _, off := range []bool{false, true} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 200, Body: []byte(`{"manual":true}`), Header: page})
			ctx, logged := capturedLog(t)
			noError(t, read(ctx, s))

			got := logged()
			if strings.Contains(got, "Request to the analytics service answered") == off || !strings.Contains(got, `"@level":"info"`) || !strings.Contains(got, "text/html") {
				t.Errorf("LogIsOff is %t, and the log is %q", off, got)
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *Config) { cfg.LogIsOff = off })
	}
}

func TestPlace_bodyIsJSONWithoutNeedlessEscapes(t *testing.T) {
	t.Parallel()

	got, err := Place(InJSON, map[string]any{"b": true, "a": "\"é\u2028<&\n", "c": int64(-1)})
	if want := `{"a":"\"é` + "\u2028" + `<&\n","b":true,"c":-1}`; string(got.Body) != want || err != nil {
		t.Errorf("got %s %v, want %s", got.Body, err, want)
	}
	if got, err := Place(InJSON, map[string]any{"a": "\xff"}); err == nil {
		t.Errorf("invalid UTF-8 is sent as %s", got.Body)
	}
}
