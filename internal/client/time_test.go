// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

func FuzzParseDay(f *testing.F) {
	for _, text := range []string{"2026-02-28", "2026-02-30", "2026-2-3", "today", "", "2026-03-01T00:00:00Z", "0000-01-01", "２０２６-01-01"} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		day, err := client.ParseDay(text)
		if err != nil {
			return
		}

		if len(text) != 10 || client.FormatDay(day) != text || day.Location() != time.UTC {
			t.Errorf("%q is %v", text, day)
		}
	})
}
