// SPDX-License-Identifier: MPL-2.0

package tfkit_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// heard returns a progress and where its messages go, each with the time since the
// beginning.
func heard() (tfkit.Progress, *[]string) {
	began := time.Now()
	var messages []string
	progress := tfkit.ProgressOf(&action.InvokeResponse{SendProgress: func(event action.InvokeProgressEvent) {
		messages = append(messages, time.Since(began).String()+" "+event.Message)
	}})

	return progress, &messages
}

// TestProgress_speaksEveryThirtySeconds works for a while, and listens for an hour more.
func TestProgress_speaksEveryThirtySeconds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		works, limit time.Duration
		said         string
		want         []string
	}{
		"until the work is done": {95 * time.Second, time.Hour, "still at it after ", []string{"30s still at it after 30s", "1m0s still at it after 1m", "1m30s still at it after 1m30s"}},
		"until the context ends": {2 * time.Minute, 40 * time.Second, "still at it after ", []string{"30s still at it after 30s"}},
		"unless that is empty":   {time.Minute, time.Hour, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tc.limit)
				defer cancel()
				still := func(since string) string {
					if tc.said == "" {
						return ""
					}
					return tc.said + since
				}

				progress, messages := heard()
				progress.Say("begun")
				progress.During(ctx, func() { <-time.After(tc.works) }, still)
				tfkit.ProgressOf(&action.InvokeResponse{}).During(ctx, func() { <-time.After(tc.works) }, still) // to nobody
				<-time.After(time.Hour)

				if want := append([]string{"0s begun"}, tc.want...); !slices.Equal(*messages, want) {
					t.Errorf("it said %q", *messages)
				}
			})
		})
	}
}

// TestProgress_panicsEndTheSpeakerToo lets both sides panic: the panic of the work goes
// on, and that of a message ends the messages only.
func TestProgress_panicsEndTheSpeakerToo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		progress, _ := heard()
		defer func() {
			if recover() != "the work's" {
				t.Error("the panic of the work is lost")
			}
		}()

		progress.During(t.Context(), func() {
			<-time.After(time.Minute)
			panic("the work's")
		}, func(string) string { panic("the message's") })
	})
}
