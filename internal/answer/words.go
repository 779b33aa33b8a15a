// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// role is a set of what members say by their names.
type role uint64

// The names of members that are known without a setting. The interface shows none of them but those of
// a consent record (section 2).
const (
	// Of a request.
	roleID role = 1 << iota
	roleInnerID
	rolePerson
	roleType
	roleCreated
	roleEnd
	roleStatus

	// That say what came of a request. What a person has accepted is data.
	roleError
	roleOutcome
	roleAccepted
	roleResultCode
	roleResult

	// Of an answer and not of its content.
	roleDescribes
	roleCount
	roleMessage
	roleTrace
	roleEnvelope

	// Of what the interface has of a person (sections 1 and 2), and of wrappers that are not those of a
	// request.
	roleIdentity
	rolePersonal
	rolePart

	// Of a consent record.
	roleConsent
	roleClause // of the first clause; the others follow

	roleFlag     = roleOutcome | roleAccepted
	roleRefusal  = roleOutcome | roleError
	roleVerdict  = roleStatus | roleError | roleFlag | roleResultCode
	roleWrapping = roleDescribes | roleMessage | roleResultCode | roleResult | roleEnvelope
	roleClauses  = roleClause<<Clauses - roleClause
)

// names are the names of each role, folded, the usual first.
var names = map[role][]string{
	roleID:      strings.Fields("id requestid actionid jobid taskid uuid"),
	roleInnerID: strings.Fields("oid id identityid"),
	rolePerson:  strings.Fields("identityid identity userid user subjectid subject"),
	roleType:    strings.Fields("operation type action requesttype actiontype kind"),
	roleCreated: strings.Fields("createdat requestedat submittedat created timestamp time date"),
	roleEnd:     strings.Fields("completedat finishedat endedat closedat fulfilledat processedat deletedat"),
	roleStatus:  strings.Fields("status state"),

	roleError:      strings.Fields("error errors"),
	roleOutcome:    strings.Fields("ok success"),
	roleAccepted:   strings.Fields("accepted"),
	roleResultCode: strings.Fields("code errorcode errcode errno retcode ret resultcode returncode respcode statuscode"),
	roleResult:     strings.Fields("status result"),

	roleDescribes: strings.Fields("links meta relationships warnings error errors cursor paging pagination page"),
	roleCount:     strings.Fields("total count totalcount totalelements numberofelements totalitems totalresults totalrecords odatacount itemcount"),
	roleMessage:   strings.Fields("message"),
	roleTrace:     strings.Fields("traceid"),
	roleEnvelope:  strings.Fields("data results ok success msg errmsg detail title jsonapi version included took timestamp requestid traceid"),

	roleIdentity: strings.Fields("identityid"),
	rolePersonal: strings.Fields("identity user users person persons people profile profiles consent consents session sessions event events"),
	rolePart:     strings.Fields("profile consent"),
	roleConsent:  strings.Fields("useripv6 agreementtime manual"),
}

// roles are the roles of each folded name.
var roles = func() map[string]role {
	roles := map[string]role{}
	for is, names := range names {
		for _, name := range names {
			roles[name] |= is
		}
	}
	for i, name := range ClauseNames {
		roles[jsonvalue.Fold(name)] |= roleClause << i
	}

	return roles
}()

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

	statusWords = map[string][]string{
		StatusWaiting: strings.Fields("pending queued waiting inprogress processing running scheduled new open accepted submitted created started active 202"),
		StatusFailed:  strings.Fields("failed failure fail error errored rejected cancelled canceled aborted expired"),
		StatusDone:    strings.Fields("done completed complete fulfilled finished succeeded success processed"),
	}

	// successWords are those of a result.
	successWords = strings.Fields("0 00000 1 200 20000 ok success succeeded true")

	// truths are the spellings of a truth value.
	truths = map[string]bool{"true": true, "false": false, "1": true, "0": false}
)

// meaning returns what a word stands for in one of two vocabularies: as a whole in that of the
// settings, or else once it is folded in the usual one; empty if that is not known.
func meaning(word string, settings, usual map[string][]string) string {
	for key, words := range settings {
		if slices.Contains(words, word) {
			return key
		}
	}

	folded := jsonvalue.Fold(word)
	for key, words := range usual {
		if slices.Contains(words, folded) {
			return key
		}
	}

	return ""
}

// progressOf returns what a status means: a word, or a status code of HTTP.
func (m RecordMap) progressOf(status string) Progress {
	if progress, isKnown := progressOfStatus[meaning(status, m.Statuses, statusWords)]; isKnown {
		return progress
	}

	code, err := strconv.Atoi(status)
	if err == nil && code >= 400 && code <= 599 {
		return Failed
	}

	return Unclear
}
