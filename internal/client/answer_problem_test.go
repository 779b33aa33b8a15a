// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

const allClauses = `"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true`

func TestAnswer_classOfWhatIsNoConsent(t *testing.T) {
	t.Parallel()

	for body, class := range map[string]transport.ErrorClass{
		"":                                    transport.ClassEmpty,
		" \n":                                 transport.ClassEmpty,
		`null`:                                transport.ClassNotFound,
		`{"clause_1_consent":tru`:             transport.ClassTruncated,
		`{"clause_1_consent":true,`:           transport.ClassTruncated,
		`{"a":[{"b":1},`:                      transport.ClassTruncated,
		`{` + allClauses + `}{}`:              transport.ClassPayload,
		`{` + allClauses + `} x`:              transport.ClassPayload,
		`{"manual":1,"manual":2}`:             transport.ClassPayload,
		"{" + allClauses + ",\"x\":\"\xff\"}": transport.ClassPayload,
		`{"message":"nobody"}`:                transport.ClassPayload,
		`{"error":"no"}`:                      transport.ClassRejected,
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 200, Body: []byte(body), Times: -1})
			_, err := c.GetConsent(t.Context(), scope, person)
			_ = wantClass(t, err, class)
		}, useSecretKey)
	}

	for _, body := range []string{"\uFEFF{" + allClauses + `}`, " \r\n{" + allClauses + "}\r\n"} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 200, Body: []byte(body)})
			held, err := c.GetConsent(t.Context(), scope, person)
			if err != nil || !held.HasClauses([answer.Clauses]bool{true, true, true, true, true}) {
				t.Errorf("%q is read as %+v, %v", body, held, err)
			}
		}, useSecretKey)
	}
}

// A name of a member that has the form of a field's name is not shown if it is the person.
func TestAnswer_problemsAreRedacted(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 200, Body: []byte(`{"owner":{"plan":"gold"}}`)})
		_, err := c.GetProfile(t.Context(), scope, "owner", map[string]jsontext.Value{"plan": jsontext.Value(`"gold"`)})
		if e := wantClass(t, err, transport.ClassPayload); strings.Contains(e.Error(), "owner") || !strings.Contains(e.Detail, "wire.profile_member") {
			t.Errorf("the error is %v", e)
		}
	}, useSecretKey)
}

func TestAnswer_loginThatMakesAToken(t *testing.T) {
	t.Parallel()
	for status, ok := range map[int]bool{200: true, 201: true, 202: false, 206: false} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			const token = "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmVk"
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: status, Body: []byte(`{"token":"` + token + `"}`)})
			got, err := c.NewSessionToken(t.Context())
			if (err == nil) != ok || ok && got.Token != token {
				t.Errorf("a token under %d is %+v, %v", status, got, err)
			}
		})
	}
}
