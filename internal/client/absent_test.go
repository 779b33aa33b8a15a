// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestAbsent_answersThatSayNone has answers about a person, and with each word of wire.absent
// whether they say that there is none. One that may is an error that shows the setting.
func TestAbsent_answersThatSayNone(t *testing.T) {
	t.Parallel()
	const html = "<!doctype html><title>Not Found</title>"
	for name, c := range map[string]struct {
		status int
		body   string
		none   string // the words with which it says so, of which the first is advised
	}{
		"a 404 with an object": {404, `{"error":"none"}`, "json_404 any_404"},
		"a 410 with an object": {410, `{"error":"gone"}`, "json_404 any_404"},
		"a 404 with a text":    {404, "404 page not found\n", "any_404"},
		"a 404 with a list":    {404, `[]`, "any_404"},
		"a 404 with nothing":   {404, "", "any_404"},
		"a 404 with a page":    {404, html, ""},
		"a 204":                {204, "", "204"},
		"a 200 with nothing":   {200, " \n", "empty"},
		"a 200 with a page":    {200, html, ""},
		"a 405":                {405, `{}`, ""},
		"a 500":                {500, `{}`, ""},
	} {
		advised, _, _ := strings.Cut(c.none, " ")
		for _, word := range append(client.AbsentForms, "") {
			bubble(t, func(t *testing.T, service *mocktest.Instance, cl *client.Client) {
				for _, operation := range []string{mockserver.OpGetConsent, mockserver.OpGetProfile, mockserver.OpListPendingRequests} {
					service.Inject(mockserver.Fault{Operation: operation, Status: c.status, Body: []byte(c.body), Header: http.Header{"Content-Type": {"text/html"}}})
				}
				_, consentErr := cl.GetConsent(t.Context(), jane)
				_, profileErr := cl.GetProfile(t.Context(), jane, nil)
				for _, err := range []error{consentErr, profileErr} {
					isNone := slices.Contains(strings.Fields(c.none), word)
					if got := transport.IsClass(err, transport.ClassNotFound); got != isNone {
						t.Errorf("%s, with %q: %v", name, word, err)
					}
					if word == "" && strings.Contains(err.Error(), `wire.absent = ["`+advised+`"]`) != (advised != "") {
						t.Errorf("%s: it says %v", name, err)
					}
				}
				if _, err := cl.ListPending(t.Context(), scope); err == nil || strings.Contains(err.Error(), "wire.absent") {
					t.Errorf("%s, of the list: %v", name, err)
				}
			}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) {
				cfg.MaxRetries, cfg.Wire.Absent = 0, slices.DeleteFunc([]string{word}, func(word string) bool { return word == "" })
			})
		}
	}
}
