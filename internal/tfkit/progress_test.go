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

func still(since string) string { return "still at it after " + since }

func TestProgress_speaksEveryThirtySecondsUntilTheWorkIsDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		progress, messages := heard()
		progress.Say("begun")
		progress.During(t.Context(), func() { <-time.After(95 * time.Second) }, still)
		<-time.After(time.Hour)

		want := []string{"0s begun", "30s still at it after 30s", "1m0s still at it after 1m", "1m30s still at it after 1m30s"}
		if !slices.Equal(*messages, want) {
			t.Errorf("it said %q", *messages)
		}
	})
}

func TestProgress_endsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
		defer cancel()
		progress, messages := heard()
		progress.During(ctx, func() { <-time.After(2 * time.Minute) }, still)

		if !slices.Equal(*messages, []string{"30s still at it after 30s"}) {
			t.Errorf("it said %q", *messages)
		}
	})
}

func TestProgress_saysNothingOfAnEmptyMessageAndToNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		progress, messages := heard()
		progress.During(t.Context(), func() { <-time.After(time.Minute + time.Second) }, func(string) string { return "" })
		tfkit.ProgressOf(&action.InvokeResponse{}).During(t.Context(), func() { <-time.After(time.Minute + time.Second) }, still)

		if len(*messages) > 0 {
			t.Errorf("it said %q", *messages)
		}
	})
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
