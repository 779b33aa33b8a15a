// SPDX-License-Identifier: MPL-2.0

package mocktest

import (
	"fmt"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// KeepsTimes returns what makes a service keep times of agreement to a precision, cut.
func KeepsTimes(precision time.Duration) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.ReshapeConsents(func(record map[string]any) any {
			text, _ := record["agreement_time"].(string)
			if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
				record["agreement_time"] = at.UTC().Truncate(precision).Format(time.RFC3339Nano)
			}
			return record
		})
	}
}

// ShowsConsent returns what makes a service show a field of each consent that has it with another
// value.
func ShowsConsent(field string, value any) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.ReshapeConsents(func(record map[string]any) any {
			if _, has := record[field]; has {
				record[field] = value
			}
			return record
		})
	}
}

// DatesUpdates returns what makes a service set the time of agreement with each update, or only with
// those that have none. A record that is put there later has its own.
func DatesUpdates(now func() time.Time, onlyWithout bool) func(*mockserver.Server) {
	var mu sync.Mutex
	dates := map[string]string{} // by the record as it was stored

	return func(s *mockserver.Server) {
		s.Change(func(r mockserver.Request, a *mockserver.Response) {
			record, ok := a.Body.(map[string]any)
			if _, has := record["clause_1_consent"]; !ok || !has {
				return
			}

			mu.Lock()
			defer mu.Unlock()

			stored := r.Identity + fmt.Sprint(record)
			_, hasTime := r.Sent["agreement_time"]
			keeps := hasTime && onlyWithout
			if r.Operation == mockserver.OpUpdateConsent && !keeps {
				dates[stored] = now().UTC().Format(time.RFC3339Nano)
			}
			if at, ok := dates[stored]; ok && !keeps {
				record["agreement_time"] = at
			}
		})
	}
}
