// SPDX-License-Identifier: MPL-2.0

package proof

import (
	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// Why a listing proves less than it could, and which setting admits it. None holds a value of a
// record.
const (
	gapStale     = "it comes from a cache, or is older than the request"
	gapPerson    = "it holds a record that may be about this person and does not name the person exactly where the person is expected"
	gapType      = "it holds a record of this person that does not say in a known way which operation it is"
	gapStatus    = "it holds a request of the same type for this person with a status that is not known"
	gapIdentity  = "it holds the id of this request in a record about somebody else"
	gapEqual     = "it holds another request of the same type for this person, and nothing shows which of them this one is"
	gapDisagree  = "it holds requests of the same type for this person that may be this one, and they do not agree"
	partialTakes = `wire.pending.use = "partial" takes what is understood for the whole list`
	gapReused    = "it holds this request as failed, with another time than before, so that it may be another request with the same id"
)

// gapUnclear returns the gap of a request whose status says nothing certain.
func gapUnclear(records []answer.PendingRecord) string {
	for _, record := range records {
		if record.Disagrees {
			return "it holds a record of this request in which status, error, flags or the time of an end contradict each other"
		}
	}
	return "it holds this request with a status that is not known; wire.pending.statuses says what a status means"
}

// gapAbout returns why a listing may hide an open request of one of the types about the person;
// empty if it does not.
func gapAbout(v View, requestTypes ...string) string {
	for _, record := range v.Uncertain {
		if IsOpen(record) && mayBe(record, requestTypes...) {
			return gapPerson + answer.Members(record.JSON, v.Person) + "; wire.pending.identity says where it is, and if there is no such place, " + partialTakes
		}
	}

	for _, record := range v.Named {
		_, typed := record.RequestType.Get()
		if !typed && IsOpen(record) {
			return gapType + answer.Members(record.JSON, v.Person) + "; wire.pending.types says what a word means, and " + partialTakes
		}
	}

	return ""
}
