package client_test

import (
	"net/http"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestStream_emptyAnswerWhateverItsCoding(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusNoContent} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Status: status, Header: http.Header{"Content-Encoding": {"gzip"}}})
			got, err := export(t.Context(), t, c, &received{})
			noError(t, err)
			if got.Counts.Total() != 0 {
				t.Errorf("counted are %v", got)
			}
		}, useSecretKey)
	}
}
