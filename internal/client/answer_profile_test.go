package client_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestProfileAnswer_usualWrappings(t *testing.T) {
	t.Parallel()

	for body, want := range map[string]int{`{}`: 0, `{"a":1}`: 1, `{"profile":{"a":1,"b":2}}`: 2, `{"data":{"a":1}}`: 1, `{"data":{"a":1},"x":1}`: 2, `{"error":"none","a":1}`: 2} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 200, Body: []byte(body)})
			p, err := c.GetProfile(t.Context(), scope, person)
			noError(t, err)
			if len(p.Members) != want {
				t.Errorf("%s has %d members", body, len(p.Members))
			}
		}, useSecretKey)
	}

	for body, class := range map[string]client.ErrorClass{`[]`: client.ClassPayload, `null`: client.ClassPayload, ``: client.ClassEmpty, `{"error":"no","code":7}`: client.ClassRejected} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 200, Body: []byte(body)})
			_, err := c.GetProfile(t.Context(), scope, person)
			_ = wantClass(t, err, class)
		}, useSecretKey)
	}
}
