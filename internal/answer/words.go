// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// The names of members that are known without a setting, folded, the usual first. The interface shows
// none of them (section 2).
var (
	// Of a request.
	idFields      = strings.Fields("id requestid actionid jobid taskid uuid")
	personFields  = strings.Fields("identityid identity userid user subjectid subject")
	typeFields    = strings.Fields("operation type action requesttype actiontype kind")
	createdFields = strings.Fields("createdat requestedat submittedat created timestamp time date")
	endFields     = strings.Fields("completedat finishedat endedat closedat fulfilledat processedat deletedat")
	statusFields  = strings.Fields("status state")
	codeFields    = strings.Fields("code errorcode")
	errorFields   = strings.Fields("error errors")

	// By which any answer says yes or no, and by which that to a request for a change does: what a
	// person has accepted is data.
	outcomeFields = strings.Fields("ok success")
	flagFields    = strings.Fields("ok success accepted")

	// That say, by a word or a number, what came of a request, and the usual words of success.
	resultCodes  = strings.Fields("code statuscode errcode errno errorcode retcode ret resultcode returncode respcode")
	resultFields = slices.Concat(resultCodes, strings.Fields("status result"))
	successWords = strings.Fields("0 00000 1 200 20000 ok success succeeded true")

	// That describe an answer, and hold none of its data.
	describingFields = strings.Fields("links meta relationships warnings error errors")
	pagingFields     = strings.Fields("cursor paging pagination page")
	envelopeFields   = slices.Concat(describingFields, resultFields, pagingFields,
		strings.Fields("data results ok success message msg errmsg detail title jsonapi version included took timestamp requestid traceid"))

	// That count all records of a list.
	countFields = strings.Fields("total count totalcount totalelements numberofelements totalitems totalresults totalrecords odatacount itemcount")

	// Of what the interface has of a person (sections 1 and 2), and of wrappers that are not those of a
	// request.
	ofPerson      = strings.Fields("identity user users person persons people profile profiles consent consents session sessions event events")
	personalParts = strings.Fields("profile consent")
)

// The words of a request that are known without a setting, folded: the interface's own names of
// operations, and the usual ones. They are compared as a whole. The guide "What the interface leaves
// open" lists them.
var (
	typeWords = map[string][]string{
		RequestDataDeletion: strings.Fields("deletealldataofauser deletealldata deleteuserdata deletedata delete datadeletion alldatadeletion userdatadeletion deletion" +
			" erasure dataerasure erase erasedata deletionrequest erasurerequest"),
		RequestDataAccess: strings.Fields("getalldataofauser getalldata getuserdata getdata alldataaccess dataaccess userdataaccess access accessdata" +
			" dataexport exportdata accessrequest"),
		RequestProfileUpdate: strings.Fields("updateuserprofile updateprofile userprofileupdate profileupdate patchprofile updateprofilerequest"),
	}
	// neutralWords are names of types that say nothing of the operation.
	neutralWords = strings.Fields("request requests pendingrequest pendingrequests deferredrequest deferredrequests pendingaction pendingactions job task action")

	statusWords = map[Progress][]string{
		Waiting: strings.Fields("pending queued waiting inprogress processing running scheduled new open accepted submitted created started active 202"),
		Failed:  strings.Fields("failed failure fail error errored rejected cancelled canceled aborted expired"),
		Done:    strings.Fields("done completed complete fulfilled finished succeeded success processed"),
	}

	// truths are the spellings of a truth value.
	truths = map[string]bool{"true": true, "false": false, "1": true, "0": false}
)

// isWord reports whether a word, once it is folded, is one of a list.
func isWord(word string, list []string) bool { return slices.Contains(list, jsonvalue.Fold(word)) }

// meaning returns what a word stands for in one of two vocabularies: as a whole in that of the
// settings, or else once it is folded in the usual one.
func meaning[K comparable](word string, settings, usual map[K][]string) (of K, isKnown bool) {
	for key, words := range settings {
		if slices.Contains(words, word) {
			return key, true
		}
	}
	for key, words := range usual {
		if isWord(word, words) {
			return key, true
		}
	}

	return of, false
}

// progressOf returns what a status means without a setting.
func progressOf(status string) Progress { return RecordMap{}.progressOf(status) }

// progressOf returns what a status means: a word, or a status code of HTTP.
func (m RecordMap) progressOf(status string) Progress {
	if progress, isKnown := meaning(status, m.Statuses, statusWords); isKnown {
		return progress
	}

	code, err := strconv.Atoi(status)
	if err == nil && code >= 400 && code <= 599 {
		return Failed
	}

	return Unclear
}
