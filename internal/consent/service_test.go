// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// lagging makes a service show a consent as an update left it that long ago, as a replica does.
func lagging(lag time.Duration) func(*mockserver.Server) {
	type update struct {
		at     time.Time
		record any
	}
	var mu sync.Mutex
	updates := map[string][]update{} // by the person

	return func(s *mockserver.Server) {
		s.Change(func(r mockserver.Request, answer *mockserver.Response) {
			mu.Lock()
			defer mu.Unlock()

			switch r.Operation {
			case mockserver.OpUpdateConsent:
				updates[r.Identity] = append(updates[r.Identity], update{time.Now(), answer.Body})
			case mockserver.OpGetConsent:
				answer.Status, answer.Body = http.StatusNotFound, map[string]any{"error": "not found"}
				for _, u := range updates[r.Identity] {
					if time.Since(u.at) >= lag {
						answer.Status, answer.Body = http.StatusOK, u.record
					}
				}
			}
		})
	}
}

// showsConsent returns what makes a service show a field of each consent that has it with another
// value.
func showsConsent(field string, value any) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		mockserver.Reshape(s, func(record map[string]any) any {
			if _, has := record[field]; has {
				record[field] = value
			}
			return record
		}, mockserver.OpGetConsent, mockserver.OpUpdateConsent)
	}
}

// datesUpdates returns what makes a service set the time of agreement with each update, or only with
// those that have none. A record that is put there later has its own.
func datesUpdates(now func() time.Time, onlyWithout bool) func(*mockserver.Server) {
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
