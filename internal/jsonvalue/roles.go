package jsonvalue

import (
	"bytes"
	"strings"
)

// Role is what a member of a document is for, judged by its name.
type Role uint8

// The roles. A member without one belongs to the data.
const (
	roleNone Role = iota
	// RoleAbout describes the document or the request for it, and gives no sign.
	RoleAbout
	// roleMessage is text for people.
	roleMessage
	roleError
	roleSuccess
	roleStatus
	roleCode
	roleNext
	roleMore
	roleLast
	rolePages
	roleTotal
	roleComplete
	roleIncomplete
	roleElsewhere
)

// RoleOf returns the role of the member called name, in any of its usual spellings:
// next_cursor, nextCursor, Next-Cursor.
func RoleOf(name []byte) Role {
	var room [longestName]byte // avoids an allocation
	return roles[string(appendNormalized(room[:0], name))]
}

// IsData reports whether the member belongs to the data, and not to what a document
// says about itself.
func (r Role) IsData() bool { return r == roleNone }

// tellsFailure reports whether the member can only mean a failure or its opposite.
func (r Role) tellsFailure() bool { return r == roleError || r == roleSuccess }

// replacesData reports whether the member is one that services answer with in place of
// data: an error, a message, a status.
func (r Role) replacesData() bool {
	return r == roleError || r == roleMessage || r == roleStatus || r == roleSuccess
}

// roleNames are the names that services commonly use. The interface shows none.
var roleNames = map[Role]string{
	roleError:   "error errors fault faults exception exceptions failure failures errormessage errorcode errordescription",
	roleSuccess: "success ok succeeded successful issuccess",
	roleStatus:  "status state statuscode httpstatus httpstatuscode jobstatus jobstate exportstatus requeststatus responsestatus",
	roleCode:    "code resultcode",
	roleMessage: "message messages msg detail details title description reason hint info notice",
	roleNext: "next nextpage nextpagetoken nextcursor nexttoken nextlink nexturl nexturi nexthref nextoffset nextmarker nextid nextkey " +
		"nextpartitionkey nextrecord nextrecordsurl nextresults nextbatch continuation continuationtoken continuetoken continue cursor lastevaluatedkey",
	roleMore:       "hasmore more hasnext hasnextpage hasmorerecords hasmoreresults hasmorepages hasmoreitems moreavailable morerecords moreresults moreresultsavailable istruncated truncated partial ispartial",
	roleLast:       "last lastpage islast islastpage",
	rolePages:      "totalpages pages pagecount pagestotal numpages numberofpages totalpagecount",
	roleTotal:      "total totalcount totalrecords totalitems totalresults totalelements totalrows totalsize totalhits count recordcount recordscount itemcount resultcount rowcount numrecords numberofrecords",
	roleComplete:   "complete iscomplete completed iscompleted done isdone ready isready finished isfinished final isfinal",
	roleIncomplete: "incomplete isincomplete inprogress isprocessing ispending",
	roleElsewhere:  "downloadurl downloadlink downloaduri fileurl fileuri signedurl presignedurl exporturl resulturl resultsurl dataurl recordsurl contenturl",
	RoleAbout: "meta metadata date utcdate day utcday from to since until start end startdate enddate starttime endtime period range timezone tz " +
		"kinds types version apiversion schema schemaversion format encoding org orgid organization organizationid project projectid account accountid " +
		"generated generatedat generatedon created createdat exported exportedat exportdate requested requestedat timestamp servertime time " +
		"took duration durationms elapsed elapsedms page pagenumber pagesize perpage pageindex currentpage limit offset size pagination paging pageinfo " +
		"links link self first prev previous prevpage previouspage counts totals summary stats statistics warnings warning request requestid traceid " +
		"correlationid query params parameters filter filters sort order job jobid taskid exportid path method instance type trace progress percent retryafter",
}

var roles = func() map[string]Role {
	byName := map[string]Role{}
	for role, names := range roleNames {
		for name := range strings.FieldsSeq(names) {
			byName[name] = role
		}
	}
	return byName
}()

// longestName bounds the names that may have a role, in bytes.
const longestName = 40

// normalized returns a name in lower case, without the characters that separate its
// words; nil if it is too long to have a role.
func normalized(name []byte) []byte { return appendNormalized(nil, name) }

func appendNormalized(plain, name []byte) []byte {
	if len(name) > longestName {
		return nil
	}

	plain = AppendPlain(plain, trimSigil(name))
	if len(plain) > len("odata") {
		plain = bytes.TrimPrefix(plain, []byte("odata"))
	}

	return plain
}

// trimSigil removes the character that marks a name as not belonging to the data.
func trimSigil(name []byte) []byte {
	if len(name) > 0 && (name[0] == '@' || name[0] == '$') {
		return name[1:]
	}
	return name
}

// AppendPlain appends a name in lower case, without the characters that separate its
// words.
func AppendPlain[T ~string | ~[]byte](plain []byte, name T) []byte {
	for i := range len(name) {
		switch c := name[i]; c {
		case '_', '-', ' ', '.':
		default:
			plain = append(plain, lower(c))
		}
	}
	return plain
}

// lower returns the lower case of an ASCII letter, and any other byte as it is.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
