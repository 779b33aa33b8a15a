// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestLog_isWrittenUnlessTheLogIsOff has an answer with JSON under another name and behind a byte order
// mark, which is read and logged as well.
func TestLog_isWrittenUnlessTheLogIsOff(t *testing.T) {
	t.Parallel()

	for _, off := range []bool{false, true} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 200, Body: []byte("\uFEFF \r\n{}\r\n"), Header: page})
			var log bytes.Buffer
			noError(t, read(tflogtest.RootLogger(t.Context(), &log), s))

			got := log.String()
			if strings.Contains(got, "Request to the analytics service answered") == off || strings.Contains(got, "text/html") == off {
				t.Errorf("LogIsOff is %t, and the log is %q", off, got)
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *Config) { cfg.LogIsOff = off })
	}
}
