// SPDX-License-Identifier: MPL-2.0

package decode

import (
	"cmp"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// The names of members that are known without a setting, folded, the usual first. The interface shows none of
// them but those of a consent record (section 2).
var (
	// Of a request.
	idNames      = strings.Fields("id requestid actionid jobid taskid uuid")
	personNames  = strings.Fields("identityid identity userid user subjectid subject")
	typeNames    = strings.Fields("operation type action requesttype actiontype kind")
	createdNames = strings.Fields("createdat requestedat submittedat created timestamp time date")
	endNames     = strings.Fields("completedat finishedat endedat closedat fulfilledat processedat deletedat")
	statusNames  = strings.Fields("status state")
	wordNames    = slices.Concat(typeNames, statusNames)

	// That say what came of a request. What a person has accepted is data.
	errorNames   = strings.Fields("error errors")
	flagNames    = strings.Fields("ok success accepted")
	codeNames    = strings.Fields("code errorcode errcode errno retcode ret resultcode returncode respcode statuscode")
	resultNames  = slices.Concat(strings.Fields("result"), statusNames, codeNames)
	refusalNames = strings.Fields("ok success error errors")
	failureNames = slices.Concat(errorNames, flagNames, statusNames)

	// Of an answer and not of its content.
	describingNames = strings.Fields("links meta relationships warnings error errors cursor paging pagination page")
	countNames      = strings.Fields("total count totalcount totalelements numberofelements totalitems totalresults totalrecords odatacount itemcount")
	messageNames    = strings.Fields("message")
	callNames       = slices.Concat(idNames, personNames, createdNames, strings.Fields("traceid"))
	envelopeNames   = slices.Concat(describingNames, messageNames, resultNames,
		strings.Fields("data results ok success msg errmsg detail title jsonapi version included took timestamp requestid traceid"))

	// Of what the interface has of a person (sections 1 and 2).
	identityNames = strings.Fields("identityid")
	personalNames = strings.Fields("identity user users person persons people profile profiles consent consents session sessions event events")
	clauseNames   = strings.Fields("clause1consent clause2consent clause3consent clause4consent clause5consent")
	consentNames  = slices.Concat(clauseNames, strings.Fields("useripv6 agreementtime manual"))

	// Of what is not wrapped in an answer to a request, and of an acknowledgement, which has nothing else.
	unwrappedNames = slices.Concat(describingNames, idNames, personNames, personalNames)
	requestNames   = slices.Concat(idNames, personNames, typeNames, createdNames, statusNames, messageNames)
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

	statusWords = map[string][]string{
		Waiting: strings.Fields("pending queued waiting inprogress processing running scheduled new open accepted submitted created started active 202"),
		Failed: strings.Fields("failed failure fail error errored rejected cancelled canceled aborted expired" +
			" 400 401 402 403 404 405 406 408 409 410 412 413 415 422 423 424 428 429 451 500 501 502 503 504 507"),
		Done: strings.Fields("done completed complete fulfilled finished succeeded success processed"),
	}

	// successWords are those of a result.
	successWords = strings.Fields("0 00000 1 200 20000 ok success succeeded true")

	// truths are the spellings of a truth value.
	truths = map[string]bool{"true": true, "false": false, "1": true, "0": false}
)

// meaning returns what the texts of all fields stand for: as a whole in the vocabulary of the settings, or else folded in
// the usual one; empty if one of them stands for nothing, or for another thing.
func meaning(fields []*node, settings, usual map[string][]string) string {
	var meant []string
	for _, field := range fields {
		if field.text != "" {
			meant = append(meant, cmp.Or(lookUp(field.text, settings), lookUp(jsonvalue.Fold(field.text), usual)))
		}
	}
	if meant = slices.Compact(meant); len(meant) != 1 {
		return ""
	}

	return meant[0]
}

// lookUp returns what stands for a word in a vocabulary.
func lookUp(word string, vocabulary map[string][]string) string {
	for meant, words := range vocabulary {
		if slices.Contains(words, word) {
			return meant
		}
	}
	return ""
}
