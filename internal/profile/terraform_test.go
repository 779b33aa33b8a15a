// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestCLIProfile_interruptedWaitIsResumed(t *testing.T) {
	t.Parallel()

	for name, stop := range clitest.Interrupts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			waiting := make(chan struct{})
			var once sync.Once
			service := mocktest.Start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}), func(s *mockserver.Server) {
				s.OnRequest = func(r mockserver.Request) {
					if r.Operation == mockserver.OpListPendingRequests && len(s.Queue()) == 1 {
						once.Do(func() { close(waiting) })
					}
				}
			})
			cli := clitest.New(t, block(`profile = jsonencode({ plan = "gold" })`), service.Environment())
			cli.RunInterrupted(stop, "", waiting, "apply", "-auto-approve")
			if got := cli.Attribute("analytics_profile.jane", "fulfilled"); got != false {
				t.Fatalf("fulfilled is %v", got)
			}
			if r := cli.Run("plan", "-detailed-exitcode"); r.Code != 2 || !strings.Contains(r.Output, "1 to change") {
				t.Errorf("the next plan ended with %d:\n%s", r.Code, r.Output)
			}

			service.FulfilAll()
			cli.MustRun("apply", "-auto-approve")
			cli.MustRun("plan", "-detailed-exitcode")
			if n := len(service.Queue()); n != 1 {
				t.Errorf("%d requests were accepted", n)
			}
		})
	}
}
