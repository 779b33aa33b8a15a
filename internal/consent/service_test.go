// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"net/http"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// services show consents in ways of their own.
var services = map[string][]func(*mockserver.Server){
	"exact":                  nil,
	"keeps seconds":          {mocktest.KeepsTimes(time.Second)},
	"keeps minutes":          {mocktest.KeepsTimes(time.Minute)},
	"keeps minutes, silent":  {mocktest.KeepsTimes(time.Minute), silent},
	"keeps days":             {mocktest.KeepsTimes(24 * time.Hour)},
	"keeps no times":         {shows("agreement_time", nil)},
	"dates updates":          {dates(false)},
	"dates updates, silent":  {dates(false), silent},
	"dates what has no time": {dates(true)},
	"anonymises":             {shows("user_ipv6", "2001:db8::")},
	"hashes":                 {shows("user_ipv6", "5e884898da28")},
	"drops addresses":        {shows("user_ipv6", nil)},
	"fixes manual":           {shows("manual", false)},
}

// shows makes a service show a field of each consent that has it with another value.
func shows(field string, value any) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		mockserver.Reshape(s, func(record map[string]any) any {
			if _, has := record[field]; has {
				record[field] = value
			}
			return record
		}, mockserver.OpGetConsent, mockserver.OpUpdateConsent)
	}
}

// silent makes a service answer an update with nothing.
func silent(s *mockserver.Server) {
	s.Change(func(r mockserver.Request, a *mockserver.Response) {
		if r.Operation == mockserver.OpUpdateConsent {
			a.Status, a.Body = http.StatusNoContent, nil
		}
	})
}

// dates makes a service set the time of agreement with each update, or only with those that have none.
func dates(onlyWithout bool) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.Change(func(r mockserver.Request, a *mockserver.Response) {
			record, isRecord := a.Body.(map[string]any)
			_, hasTime := r.Sent["agreement_time"]
			keeps := hasTime && onlyWithout
			if r.Operation != mockserver.OpUpdateConsent || !isRecord || keeps {
				return
			}

			record["agreement_time"] = time.Now().UTC().Format(time.RFC3339Nano)
			held, _ := s.Consent(r.Scope, r.Identity)
			held.AgreementTime = record["agreement_time"]
			s.PutConsent(r.Scope, r.Identity, held)
		})
	}
}
