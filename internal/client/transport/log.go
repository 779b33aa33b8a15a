// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// logLink logs the operation, path template and status of each attempt, and how long the head of
// its answer took; never what was sent or received.
type logLink struct{ next http.RoundTripper }

func (l logLink) RoundTrip(req *http.Request) (*http.Response, error) {
	began := time.Now()
	resp, err := l.next.RoundTrip(req)

	c, _ := req.Context().Value(callKey{}).(*call)
	fields := map[string]any{
		"operation":   c.Op.Name,
		"method":      c.Op.Method,
		"path":        c.To.Template,
		"attempt":     c.known.Attempts,
		"duration_ms": time.Since(began).Milliseconds(),
	}
	message := "Request to the analytics service answered"
	if err != nil {
		message = "Request to the analytics service failed"
		fields["failure"] = CauseError(c.known, cmp.Or(context.Cause(req.Context()), err)).Title()
	} else {
		fields["status"] = resp.StatusCode
		fields["content_type"] = c.known.Redact.Text(resp.Header.Get("Content-Type"), limitExcerpt)
	}
	tflog.Debug(req.Context(), message, fields)

	return resp, err
}
