// SPDX-License-Identifier: MPL-2.0

package client

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// absences are the answers that may say that there is nothing about a person, by class and status, and
// the words of wire.absent that say so.
var absences = map[transport.ErrorClass]map[int][]string{
	transport.ClassNotFound:         {http.StatusNotFound: {AbsentJSON404, AbsentAny404}, http.StatusGone: {AbsentJSON404, AbsentAny404}},
	transport.ClassEndpointNotFound: {http.StatusNotFound: {AbsentAny404}, http.StatusGone: {AbsentAny404}},
	transport.ClassEmpty:            {http.StatusNoContent: {Absent204}, http.StatusOK: {AbsentEmpty}},
}

// judgeAbsence returns the error of a reading of a person as wire.absent takes it: of ClassNotFound
// for an answer that says that there is nothing, and of another class, with the setting, for one
// that might. Any other error is returned as it is, and so is a page of HTML, which comes from elsewhere.
func (w Wire) judgeAbsence(err error) error {
	e, ok := errors.AsType[*transport.Error](err)
	if !ok || e.Page {
		return err
	}
	words := absences[e.Class][e.Status]
	if words == nil {
		return err
	}

	judged := *e
	if slices.ContainsFunc(words, func(word string) bool { return slices.Contains(w.Absent, word) }) {
		judged.Class = transport.ClassNotFound
		return &judged
	}
	if judged.Class == transport.ClassNotFound {
		judged.Class = transport.ClassEndpointNotFound
	}
	admitting := append(slices.Clone(w.Absent), words[0])
	judged.Detail += `; if other people can be read, wire.absent = ["` + strings.Join(admitting, `", "`) + `"] takes it for "there is none"`

	return &judged
}
