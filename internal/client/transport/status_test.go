// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// lasting is an answer that stays the same, and the error that it is.
type lasting struct {
	operation string // empty is a read of the consent
	fault     mockserver.Fault
	class     ErrorClass
	says      string // in the detail, words with a bar between
	attribute string
}

// lastingFailures returns answers that another attempt meets again.
func lastingFailures() map[string]lasting {
	json := []byte(`{"error":{"code":"E7","message":"no"}}`)
	rows := map[string]lasting{
		"400":            {fault: mockserver.Fault{Status: 400, Body: json}, class: ClassRejected},
		"403":            {fault: mockserver.Fault{Status: 403, Body: json}, class: ClassForbidden},
		"404 JSON":       {fault: mockserver.Fault{Status: 404, Body: json}, class: ClassNotFound},
		"410 JSON":       {fault: mockserver.Fault{Status: 410, Body: json}, class: ClassNotFound},
		"404 page":       {fault: mockserver.Fault{Status: 404, Body: []byte("<html>nginx</html>")}, class: ClassEndpointNotFound},
		"404 empty":      {fault: mockserver.Fault{Status: 404, Body: []byte{}}, class: ClassEndpointNotFound},
		"404 list":       {fault: mockserver.Fault{Status: 404, Body: []byte("[]")}, class: ClassEndpointNotFound},
		"409":            {fault: mockserver.Fault{Status: 409, Body: json}, class: ClassConflict},
		"422":            {fault: mockserver.Fault{Status: 422, Body: json}, class: ClassRejected},
		"407":            {fault: mockserver.Fault{Status: 407, Body: []byte("<html>proxy</html>")}, class: ClassProxyAuth},
		"200 page":       {fault: mockserver.Fault{Status: 200, Header: page, Body: []byte("<html>Welcome to the hotel</html>")}, class: ClassNotJSON},
		"200 empty":      {fault: mockserver.Fault{Status: 200, Body: []byte{}}, class: ClassEmpty},
		"204":            {fault: mockserver.Fault{Status: 204}, class: ClassEmpty},
		"trailing bytes": {fault: mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true}x`)}, class: ClassPayload},
		"33 MiB":         {fault: mockserver.Fault{Status: 200, Body: []byte(`"` + strings.Repeat("x", 33<<20) + `"`)}, class: ClassTooLarge},
		"a name twice":   {fault: mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true,"clause_1_consent":false}`)}, class: ClassPayload},
		"a bomb in gzip": {fault: mockserver.Fault{Status: 200, Header: http.Header{"Content-Encoding": {"gzip"}, "Content-Type": {"application/json"}}, Body: gzipBomb()}, class: ClassTooLarge},
	}

	for _, status := range []int{201, 202, 203, 205, 206, 226} {
		rows[strconv.Itoa(status)] = lasting{fault: mockserver.Fault{Status: status, Body: []byte(`{"manual":true}`)}, class: ClassPayload, says: "is no complete answer to a read"}
	}
	for _, status := range []int{501, 505, 506, 510, 511} {
		rows[strconv.Itoa(status)] = lasting{fault: mockserver.Fault{Status: status}, class: ClassServer}
		rows[strconv.Itoa(status)+" to a change"] = lasting{operation: mockserver.OpUpdateConsent, fault: mockserver.Fault{Status: status}, class: ClassServer}
	}
	for _, status := range []int{406, 415} { // a service may have the other path family
		rows[strconv.Itoa(status)] = lasting{operation: mockserver.OpUpdateConsent, fault: mockserver.Fault{Status: status}, class: ClassRejected, says: "account_id|project_id"}
	}

	for status, tooLarge := range map[int]lasting{
		413: {attribute: "source", says: "source|135 bytes"}, 414: {attribute: "identity_id", says: "identity_id"}, 431: {attribute: "identity_id", says: "identity_id"},
	} {
		tooLarge.operation, tooLarge.class = mockserver.OpUpdateConsent, ClassRequestTooLarge
		tooLarge.fault = mockserver.Fault{Status: status, Body: []byte("<html>too large</html>")}
		rows[strconv.Itoa(status)] = tooLarge
	}

	redirect := func(status int, operation, location, says string) {
		rows[strconv.Itoa(status)+" "+operation+" to "+location] = lasting{
			operation: operation, class: ClassRedirect, says: says + "|base_url",
			fault: mockserver.Fault{Status: status, Header: http.Header{"Location": {location}}},
		}
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		redirect(status, mockserver.OpUpdateConsent, "https://elsewhere.example.com/canary?apiSecretToken=canary", "host elsewhere.example.com")
	}
	redirect(301, "", "https://localhost/v1/canary", "the same host over https")
	redirect(301, "", "/api/canary/", "another path of the same host")
	redirect(301, "", "", "elsewhere")
	redirect(302, mockserver.OpUpdateConsent, "https://h.example.com/%zz", "elsewhere")

	return rows
}

func TestStatus_lastingFailureIsAnErrorAfterOneRequest(t *testing.T) {
	t.Parallel()

	calls := map[string]func(context.Context, *Sender) error{"": read, mockserver.OpUpdateConsent: update}
	for name, tc := range lastingFailures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
				tc.fault.Times = -1
				if tc.fault.Operation = tc.operation; tc.operation == "" {
					tc.fault.Operation = mockserver.OpGetConsent
				}
				service.Inject(tc.fault)

				e := wantClass(t, calls[tc.operation](t.Context(), s), tc.class)
				if e.Status != tc.fault.Status || e.Attempts != 1 || e.Attribute != tc.attribute || e.Ambiguous {
					t.Errorf("%+v", e)
				}
				for words := range strings.SplitSeq(tc.says, "|") {
					if !strings.Contains(e.Detail, words) {
						t.Errorf("the detail is %q, want %q", e.Detail, words)
					}
				}
				if tc.class == ClassServer && e.Detail == "" || strings.Contains(e.Error(), "canary") {
					t.Errorf("the error is %q", e)
				}

				wantCount(t, service, "", 1)
			}, useSecretKey)
		})
	}
}

// gzipBomb returns a JSON string larger than the limit of 32 MiB, compressed to a few
// hundred KB.
var gzipBomb = sync.OnceValue(func() []byte {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		panic(err)
	}
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	write := func(p []byte) {
		if _, err := w.Write(p); err != nil {
			panic(err)
		}
	}
	write([]byte(`"`))
	for range soak.Size(33, 100) {
		write(chunk)
	}
	write([]byte(`"`))
	if err := w.Close(); err != nil {
		panic(err)
	}

	return packed.Bytes()
})
