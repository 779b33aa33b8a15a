// SPDX-License-Identifier: MPL-2.0

package mocktest

import (
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// consents changes the records that a service answers with. Updates come first.
func consents(change func(r mockserver.Request, record map[string]any)) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.Change(func(r mockserver.Request, a *mockserver.Response) {
			record, ok := a.Body.(map[string]any)
			isConsent := r.Operation == mockserver.OpGetConsent || r.Operation == mockserver.OpUpdateConsent
			if ok && isConsent && a.Status < http.StatusBadRequest {
				record = maps.Clone(record)
				change(r, record)
				a.Body = record
			}
		})
	}
}

// KeepsTimes returns what makes a service keep times of agreement to a precision, cut.
func KeepsTimes(precision time.Duration) func(*mockserver.Server) {
	return consents(func(_ mockserver.Request, record map[string]any) {
		text, _ := record["agreement_time"].(string)
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
			record["agreement_time"] = at.UTC().Truncate(precision).Format(time.RFC3339Nano)
		}
	})
}

// ShowsConsent returns what makes a service show a field of each consent that has it with another
// value.
func ShowsConsent(field string, value any) func(*mockserver.Server) {
	return consents(func(_ mockserver.Request, record map[string]any) {
		if _, has := record[field]; has {
			record[field] = value
		}
	})
}

// DatesUpdates returns what makes a service set the time of agreement with each update, or only with
// those that have none. A record that is put there later has its own.
func DatesUpdates(now func() time.Time, onlyWithout bool) func(*mockserver.Server) {
	var mu sync.Mutex
	dates := map[string]string{} // by the record as it was stored

	return consents(func(r mockserver.Request, record map[string]any) {
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
