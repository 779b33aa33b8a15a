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
type logLink struct {
	next  http.RoundTripper
	isOff bool
}

func (l logLink) RoundTrip(req *http.Request) (*http.Response, error) {
	began := time.Now()
	resp, err := l.next.RoundTrip(req)
	if l.isOff {
		return resp, err
	}

	c := callOf(req.Context())
	fields := map[string]any{
		"operation":   c.Op.Name,
		"method":      c.Op.Method,
		"path":        c.To.template,
		"attempt":     c.known.Attempts,
		"duration_ms": time.Since(began).Milliseconds(),
	}
	if err != nil {
		fields["failure"] = CauseError(c.exchange(), cmp.Or(context.Cause(req.Context()), err)).Title()
		tflog.Debug(req.Context(), "Request to the analytics service failed", fields)
		return nil, err
	}

	fields["status"], fields["content_type"] = resp.StatusCode, c.answer(resp).ShownType()
	tflog.Debug(req.Context(), "Request to the analytics service answered", fields)

	return resp, nil
}
