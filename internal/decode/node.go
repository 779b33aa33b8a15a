// SPDX-License-Identifier: MPL-2.0

package decode

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// node is a value of an answer, of which what is in it is decoded once it is asked for: a large answer of small values
// would take many times its size. One without a value stands for what is missing.
type node struct {
	jsontext.Value

	around *node  // the object or the array that holds it; nil of the answer itself
	key    string // as a pointer names it
	name   string // of a member that is not ignored, folded, so that identityId and identity_id are one field
	text   string // of a string, or a number as it is spelled; empty of the answer itself

	isIgnored bool // the settings say that it says nothing
	isDecoded bool
	inside    []*node
}

// parts returns the members of an object, or the elements of an array.
func (n *node) parts() []*node {
	if n.isDecoded {
		return n.inside
	}

	n.isDecoded = true
	for key, part := range jsonvalue.Parts(n.Value) {
		name := string(key)
		n.inside = append(n.inside, &node{Value: part, around: n, key: name, name: jsonvalue.Fold(name), text: jsonvalue.Scalar(part)})
	}

	return n.inside
}

// decode returns an answer in which what the settings name says nothing. An object with something in it always says
// something. Nothing is null.
func (e Envelope) decode(v jsontext.Value) *node {
	if v == nil {
		v = jsontext.Value("null")
	}

	answer := &node{Value: v}
	for at := range e.Ignored {
		e.ignore(at, answer)
	}
	if e.Result.At != "" {
		e.ignore(e.Result.At, answer)
	}

	return answer
}

// ignore leaves out what a pointer leads to if the settings say so.
func (e Envelope) ignore(at jsontext.Pointer, answer *node) {
	leaf := answer.find(at)
	isFull := leaf.Kind() == '{' && len(leaf.parts()) > 0
	if !isFull && e.Ignores(at, leaf.word()) {
		leaf.isIgnored, leaf.name = true, ""
	}
}

// word returns a value as the settings have it: a text without quotes, or else as it is spelled. What has parts is not a word.
func (n *node) word() string {
	switch {
	case n.Kind() == '"':
		return n.text
	case len(n.parts()) > 0:
		return "…"
	}
	return string(n.Value)
}

// find returns what a pointer leads to, or else an empty node in the innermost value on the way.
func (n *node) find(at jsontext.Pointer) *node {
	for token := range at.Tokens() {
		i := slices.IndexFunc(n.parts(), func(part *node) bool { return part.key == token })
		if i < 0 {
			return &node{around: n}
		}
		n = n.inside[i]
	}

	return n
}

// at returns the pointer that leads to a value in the answer.
func (n *node) at() jsontext.Pointer {
	if n.around == nil {
		return ""
	}
	return n.around.at().AppendToken(n.key)
}

// named returns the members of an object with some names, in the order of these. Of one name the last comes first, since
// a plain id follows the @id of JSON-LD.
func (n *node) named(names ...string) (found []*node) {
	for _, name := range names {
		for _, m := range slices.Backward(n.parts()) {
			if m.name == name {
				found = append(found, m)
			}
		}
	}
	return found
}

// fields returns what the pointer of a setting leads to, or without one the members with the usual names.
func (n *node) fields(at jsontext.Pointer, usual []string) []*node {
	if at != "" {
		return []*node{n.find(at)}
	}
	return n.named(usual...)
}

// field returns what the pointer of a setting leads to, or without one the first member with a usual name that is not
// null; an empty node if there is none.
func (n *node) field(at jsontext.Pointer, usual []string) *node {
	if at != "" {
		return n.find(at)
	}
	for _, field := range n.named(usual...) {
		if field.Kind() != 'n' {
			return field
		}
	}

	return &node{}
}

// composites are the kinds of values that have parts.
var composites = []jsontext.Kind{'{', '['}

// only returns the object that is the only object or array in an object, beside members with some names; nil if there is
// another one.
func (n *node) only(beside []string) (only *node) {
	for _, m := range n.parts() {
		isBeside := slices.Contains(beside, m.name)
		switch {
		case isBeside, !slices.Contains(composites, m.Kind()):
		case only != nil, m.Kind() == '[', n.Kind() == '[':
			return nil
		default:
			only = m
		}
	}

	return only
}

// outermost returns the objects that have something, on the outermost level with one.
func (n *node) outermost(has func(*node) bool) (found []*node) {
	for level := []*node{n}; len(level) > 0 && len(found) == 0; {
		var inside []*node
		for _, object := range level {
			if has(object) {
				found = append(found, object)
			}
			if object.Kind() == '{' {
				inside = append(inside, object.parts()...)
			}
		}
		level = inside
	}

	return found
}

// isBlank reports whether a value is null, an empty array, which is how PHP writes an object without members, or an
// object of nothing but nulls and such objects.
func (n *node) isBlank() bool {
	isFull := func(part *node) bool { return part.Kind() == '[' || !part.isBlank() }
	switch n.Kind() {
	case '[':
		return len(n.parts()) == 0
	case '{':
		return !slices.ContainsFunc(n.parts(), isFull)
	}

	return n.Kind() == 'n'
}

// leaves returns the values in n that say something and stand outside of a part of it: those without parts, and arrays
// that are not around it.
func (n *node) leaves(outside *node) (found []*node) {
	isWhole := n.Kind() == '[' && (outside == nil || !n.at().Contains(outside.at()))
	switch {
	case n == outside, n.isIgnored:
		return nil
	case len(n.parts()) == 0, isWhole:
		return []*node{n}
	}

	for _, part := range n.parts() {
		found = append(found, part.leaves(outside)...)
	}

	return found
}

// verdict returns what a member says of what was asked for; Unclear if it says nothing of it.
func (n *node) verdict() Progress {
	isTrue, isTruth := truths[strings.ToLower(cmp.Or(n.text, string(n.Value)))]
	for _, row := range []struct {
		names []string
		holds bool
		means Progress
	}{
		{resultNames, slices.Contains(successWords, jsonvalue.Fold(n.text)), Done},
		{statusNames, true, cmp.Or(meaning([]*node{n}, nil, statusWords), Unclear)},
		{errorNames, !jsonvalue.IsZero(n.Value), Failed},
		{flagNames, isTrue, Done},
		{flagNames, isTruth, Failed},
		{codeNames, n.text != "", Failed},
	} {
		if row.holds && slices.Contains(row.names, n.name) {
			return row.means
		}
	}

	return Unclear
}

// says reports whether a member of an object with one of some names has this verdict.
func (n *node) says(names []string, what Progress) bool {
	return slices.ContainsFunc(n.named(names...), func(m *node) bool { return m.verdict() == what })
}

// isSilent reports whether a member says nothing, nothing but yes, a time, or the links of HAL without a next page.
func (n *node) isSilent() bool {
	verdict := n.verdict()
	_, isInstant := n.instant(TimeUTC)
	switch {
	case verdict == Done, verdict == Failed:
		return verdict == Done
	case n.key == "_links":
		return n.Kind() == '{' && n.find("/next").Value == nil
	case n.Kind() == '"' && isInstant:
		return true
	}

	return jsonvalue.IsZero(n.Value)
}

// Forms of times.
const (
	TimeRFC3339 = "rfc3339"
	TimeUnixMS  = "unix_ms"
	TimeUnixS   = "unix_s"
	TimeUTC     = "utc"  // RFC 3339 without a zone
	TimeDate    = "date" // its first moment
)

// layouts are those of the forms that are text.
var layouts = map[string][]string{
	TimeRFC3339: {time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700"},
	TimeUTC:     {"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"},
	TimeDate:    {time.DateOnly},
}

// earliestInstant is the first instant that counts as a time. endOfInstants cannot be written in RFC 3339, the format
// of state.
var (
	earliestInstant = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	endOfInstants   = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// instant returns an instant in RFC 3339, in milliseconds since 1970, or in another form. The zero Time stands for an
// empty text, and for an instant before the year 2000, which programs write for none.
func (n *node) instant(form string) (time.Time, bool) {
	millis, err := strconv.ParseFloat(n.text, 64)
	if form == TimeUnixS && millis < float64(earliestInstant.UnixMilli()) {
		millis *= 1000 // seconds, with a fraction as Jackson writes it
	}
	// Milliseconds between 1970 and 2000 are another unit, and would make each choice look older than it is.
	at, isNone := time.UnixMilli(int64(math.Round(millis))), millis <= 0
	for _, layout := range slices.Concat(layouts[TimeRFC3339], layouts[form]) {
		if parsed, failed := time.Parse(layout, n.text); failed == nil {
			at, isNone, err = parsed, parsed.Before(earliestInstant), nil
		}
	}

	switch {
	case err != nil:
		return time.Time{}, string(n.Value) == `""`
	case at.Before(earliestInstant), !at.Before(endOfInstants):
		return time.Time{}, isNone
	}

	return at.UTC(), true
}

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
		Failed:  append(strings.Fields("failed failure fail error errored rejected cancelled canceled aborted expired"), codes(400, 599)...),
		Done:    strings.Fields("done completed complete fulfilled finished succeeded success processed"),
	}

	// successWords are those of a result.
	successWords = strings.Fields("0 00000 1 200 20000 ok success succeeded true")

	// truths are the spellings of a truth value.
	truths = map[string]bool{"true": true, "false": false, "1": true, "0": false}
)

// codes returns the numbers from first to last, as words: status codes of HTTP.
func codes(first, last int) (words []string) {
	for code := first; code <= last; code++ {
		words = append(words, strconv.Itoa(code))
	}
	return words
}

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
