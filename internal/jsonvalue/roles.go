package jsonvalue

import "strings"

// Role is the part that a member plays in a document, by its name.
type Role uint8

// The roles. A member without one belongs to the data.
const (
	roleNone Role = iota
	// RoleAbout describes the document or the request for it, and gives no sign.
	RoleAbout
	// roleMessage is words for people.
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

// RoleOf returns the role of the member called name, in any usual spelling of it:
// next_cursor, nextCursor, Next-Cursor.
func RoleOf(name []byte) Role {
	var room [longestName]byte // so that nothing is allocated
	return roles[string(appendNormalized(room[:0], name))]
}

// IsData reports whether the member belongs to the data, and not to what a document
// says of itself.
func (r Role) IsData() bool { return r == roleNone }

// Speaks reports whether the member is one with which a service answers in place of
// data: an error, a message, a status.
func (r Role) Speaks() bool {
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

// normalized returns a name in lower case and without what separates its words; nothing
// where it is too long to have a role.
func normalized(name []byte) []byte { return appendNormalized(nil, name) }

func appendNormalized(plain, name []byte) []byte {
	if len(name) > longestName {
		return nil
	}
	for i, c := range name {
		switch {
		case c >= 'A' && c <= 'Z':
			plain = append(plain, c+'a'-'A')
		case c == '_' || c == '-' || c == ' ' || c == '.' || (c == '@' || c == '$') && i == 0:
		default:
			plain = append(plain, c)
		}
	}
	if len(plain) > 5 && string(plain[:5]) == "odata" {
		plain = plain[5:]
	}
	return plain
}
