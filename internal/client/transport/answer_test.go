// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"net/http"
	"strings"
	"testing"
)

// TestAnswer_onlyWordsAcknowledge has texts beside a status that says as much as words can.
func TestAnswer_onlyWordsAcknowledge(t *testing.T) {
	t.Parallel()

	accepted := Answer{Exchange: Exchange{Op: Operation{Kind: Writes}, Status: http.StatusAccepted, Redact: &Redactor{}}, MediaType: "text/plain"}
	for body, class := range map[string]ErrorClass{"Accepted": "", "": "", `{"id":"a`: ClassTruncated, `[{}`: ClassTruncated, `{"a":1,"a":2}`: ClassPayload, "<p>": ClassNotJSON} {
		v, err := accepted.Parse(strings.NewReader(body))
		if isClass := IsClass(err, class); v != nil || isClass != (class != "") {
			t.Errorf("%s is %s, %v", body, v, err)
		}
	}
}
