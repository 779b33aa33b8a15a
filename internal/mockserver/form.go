// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	stdjson "encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/catalogue"
)

// Forms are the names of the answers in whose form the server can answer: the natural ones of the
// catalogue, but for those that hold nothing, those in pages, and lists of requests that have ended.
func Forms() (names []string) {
	for _, a := range catalogue.All() {
		if isForm(a) {
			names = append(names, a.Name)
		}
	}
	return names
}

func isForm(a catalogue.Answer) bool {
	isFilled := a.Reads != "empty" && a.Reads != "{}"
	if a.Endpoint == catalogue.Pending {
		isFilled = strings.Contains(a.Reads, "waiting")
	}
	return isFilled && a.IsNatural() && a.Then == nil
}

// Take makes the server answer in the form of these answers of the catalogue, with its own people,
// times and requests in place of those of the catalogue. An export and all data of a person are those of
// the catalogue. It is called before the first request.
func (s *Server) Take(names ...string) error {
	for _, name := range names {
		i := slices.IndexFunc(catalogue.All(), func(a catalogue.Answer) bool { return a.Name == name && isForm(a) })
		if i < 0 {
			return fmt.Errorf("there is no form %s", name)
		}
		a := catalogue.All()[i]
		s.Change(func(r Request, answer *Response) {
			if replaces(a, r, answer) {
				fill(a, r, answer)
			}
		})
	}

	return nil
}

// Operations are what the endpoints of the catalogue are here (section 4).
var Operations = map[catalogue.Endpoint]string{
	catalogue.Login: OpLogin, catalogue.User: OpGetCurrentUser, catalogue.Consent: OpGetConsent, catalogue.ConsentUpdate: OpUpdateConsent,
	catalogue.Profile: OpGetProfile, catalogue.ProfileUpdate: OpUpdateProfile, catalogue.Deletion: OpDeleteAllData,
	catalogue.AllData: OpGetAllData, catalogue.Pending: OpListPendingRequests, catalogue.Export: OpExportRecords,
}

// replaces reports whether an answer of the catalogue is one to what the server answers.
func replaces(a catalogue.Answer, r Request, answer *Response) bool {
	isOf := Operations[a.Endpoint] == r.Operation
	switch a.Is {
	case catalogue.None:
		return isOf && answer.Status == http.StatusNotFound
	case catalogue.Accepted:
		return isOf && answer.Receipt
	default:
		return isOf && answer.Status == http.StatusOK && !answer.Receipt
	}
}

// fill replaces an answer by one in the form of the catalogue.
func fill(a catalogue.Answer, r Request, answer *Response) {
	text := string(a.Body())
	if a.JSON != nil && a.Is != catalogue.Day && a.Is != catalogue.Data {
		switch held := answer.Body.(type) {
		case map[string]any:
			text = filled(text, r.Identity, held)
		case []map[string]any:
			text = filledList(text, held)
		}
	}

	answer.Status, answer.Header, answer.Body = a.Status, http.Header{}, raw(text)
	for name, value := range a.Headers {
		answer.Header.Set(name, value)
	}
	if media := a.MediaType(); media != "" {
		answer.Header.Set("Content-Type", media)
	}
}

// What stands for the server's own in the texts of the catalogue.
var (
	samplePeople = []string{`"ada@example.com"`, `"grace@example.com"`}
	sampleIDs    = []string{`"req-1"`, `"req-2"`, `"req-3"`, `53367`, `"1234567890"`, `"17"`, `"65bd1f0ac2a9e50012ab34cd"`}
	sampleTypes  = []string{OpDeleteAllData, OpGetAllData, OpUpdateProfile} // of the requests in a list, in their order
	sampleField  = regexp.MustCompile(`(?i)"(?:clause[_-]?[1-5][_-]?consent|manual|user[_-]?ipv6)": ("[^"]*"|\w+)`)
	sampleCount  = regexp.MustCompile(`: 3\b`) // of the requests in a list
	profileAlone = regexp.MustCompile(`, ` + sampleProfile + `|` + sampleProfile + `(, )?`)
)

const sampleProfile = `"plan": "pro", "seats": 5`

// filledList returns the text of a list with the server's requests, each in the form of the one of its type.
func filledList(text string, requests []map[string]any) string {
	before, _, _ := strings.Cut(text, sampleIDs[0])
	begin := strings.LastIndex(before, "[")
	list, _ := jsontext.NewDecoder(strings.NewReader(text[begin:])).ReadValue() // the catalogue is JSON
	var samples []jsontext.Value
	_ = json.Unmarshal(list, &samples)

	var items []string
	for _, record := range requests {
		operation, _ := record["operation"].(string)
		identity, _ := record["identityId"].(string)
		items = append(items, filled(string(samples[slices.Index(sampleTypes, operation)]), identity, record))
	}
	around := sampleCount.ReplaceAllString(text[:begin]+"[]"+text[begin+len(list):], fmt.Sprint(": ", len(requests)))

	return around[:begin+1] + strings.Join(items, ",") + around[begin+1:]
}

// filled returns a text of the catalogue with a consent, a profile or a request of the server.
func filled(text, identity string, record map[string]any) string {
	pairs := pairsOf(samplePeople, identity)
	if id, ok := record["id"].(string); ok {
		pairs = append(pairs, pairsOf(sampleIDs, id)...)
	}
	at, isTimed := record["createdAt"]
	if _, isConsent := record[clauseNames[0]]; isConsent { // its time may be missing
		at, isTimed = record["agreement_time"], true
	}
	if isTimed {
		for _, sample := range sampleTimes {
			pairs = append(pairs, pairsOf([]string{sample.text}, written(parseTime(at), sample.layout))...)
		}
	}

	text = strings.NewReplacer(pairs...).Replace(text)
	text = sampleField.ReplaceAllStringFunc(text, func(member string) string { return filledField(member, record) })
	if len(record) == 0 {
		return profileAlone.ReplaceAllString(text, "")
	}
	members := encode(record)

	return strings.ReplaceAll(text, sampleProfile, string(members[1:len(members)-1]))
}

// pairsOf returns the arguments of a Replacer of samples by a value.
func pairsOf(samples []string, value any) (pairs []string) {
	for _, sample := range samples {
		pairs = append(pairs, sample, string(encode(value)))
	}
	return pairs
}

// fieldNames are the fields of a consent by their names in the catalogue, in lower case and without
// what separates words.
var fieldNames = map[string]string{
	"clause1consent": clauseNames[0], "clause2consent": clauseNames[1], "clause3consent": clauseNames[2], "clause4consent": clauseNames[3],
	"clause5consent": clauseNames[4], "manual": "manual", "useripv6": "user_ipv6",
}

// filledField returns a member of a consent with the server's value, and a truth value in the form of the
// catalogue: true, 1, "1" or "true".
func filledField(member string, record map[string]any) string {
	name, sample, _ := strings.Cut(member, ": ")
	value := record[fieldNames[strings.ToLower(strings.NewReplacer("_", "", "-", "", `"`, "").Replace(name))]]
	agreed, isFlag := value.(bool)
	if !isFlag {
		return name + ": " + string(encode(value))
	}

	literal := strconv.FormatBool(agreed)
	if strings.ContainsAny(sample, "01") {
		literal = map[bool]string{true: "1", false: "0"}[agreed]
	}
	if strings.HasPrefix(sample, `"`) {
		literal = strconv.Quote(literal)
	}

	return name + ": " + literal
}

// sampleTimes are the times of the catalogue, of which none begins with one before it.
var sampleTimes = []struct{ text, layout string }{
	{`"2026-02-01"`, time.DateOnly},
	{`"2026-02-01 08:00:00"`, time.DateTime},
	{`"2026-02-01T08:00:00"`, "2006-01-02T15:04:05"},
	{`"2026-02-01T08:00:00Z"`, time.RFC3339},
	{`"2026-02-01T08:00:00+00:00"`, "2006-01-02T15:04:05-07:00"},
	{`"2026-02-01T09:00:00+01:00"`, "2006-01-02T15:04:05-07:00"},
	{`"2026-02-01T08:00:00.000+0000"`, "2006-01-02T15:04:05.000-0700"},
	{`"2026-02-01T08:00:00.000Z"`, "2006-01-02T15:04:05.000Z07:00"},
	{`"2026-02-01T08:00:00.250001+00:00"`, "2006-01-02T15:04:05.000000-07:00"},
	{`"2026-02-01T08:00:00.000000000Z"`, "2006-01-02T15:04:05.000000000Z07:00"},
	{"1769932800.250000000", "decimal seconds"},
	{"1769932800000", TimeUnixMS},
	{"1769932800", TimeUnixS},
}

// written returns a time in one of the layouts; null for the zero time.
func written(at time.Time, layout string) any {
	if at.IsZero() {
		return nil
	}

	switch layout {
	case TimeUnixS:
		return stdjson.Number(strconv.FormatInt(at.Unix(), 10))
	case TimeUnixMS:
		return stdjson.Number(strconv.FormatInt(at.UnixMilli(), 10))
	case "decimal seconds":
		return stdjson.Number(fmt.Sprintf("%d.%09d", at.Unix(), at.Nanosecond()))
	}

	return at.UTC().Format(layout)
}
