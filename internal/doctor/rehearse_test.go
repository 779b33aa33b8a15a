// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// rehearsed returns the report of a rehearsal at a service, in a bubble of synctest.
func rehearsed(ctx context.Context, service *mocktest.Instance) *Report {
	return Examine(ctx, Options{
		Client: client.Config{
			Config:  transport.Config{Credentials: transport.Credentials{APISecretKey: service.SecretKey}, DialContext: service.DialContext},
			BaseURL: service.URL,
		},
		Scope: ada.Scope, Rehearse: true, Timeout: 10 * time.Minute, Day: adasDay, Version: "1.2.3",
	})
}

// slowly is a service that takes its time.
func slowly(s *mockserver.Server) {
	s.FulfilmentDelay = 8 * time.Second
	s.SetPendingLag(mockserver.Lag{Time: 2 * time.Second})
	s.ExportRecords = 100
}

func TestRehearsal_doesEverythingOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t, slowly)
		report := rehearsed(t.Context(), service)
		for _, f := range report.Findings {
			t.Log(f)
		}
		t.Log(report.Rehearsal, report.WireBlock, report.ExitStatus)

		counts := map[string]int{}
		for _, r := range service.Requests() {
			counts[r.Operation]++
			if r.Identity != "" && !strings.HasSuffix(r.Identity, "@example.invalid") {
				t.Errorf("%s touched %s", r.Operation, r.Identity)
			}
		}
		t.Log(counts)
	})
	_ = fmt.Sprint
	_ = slices.Sorted[int]
}
