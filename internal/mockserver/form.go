// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/catalogue"
)

// Forms returns the answers of the catalogue in whose form the server can answer: the natural ones, but for empty ones,
// those in pages, and lists of ended requests.
func Forms() (forms []catalogue.Answer) {
	for _, a := range catalogue.All() {
		isEmpty := a.Reads == "empty" || a.Reads == "{}"
		isEnded := a.Endpoint == catalogue.Pending && !strings.Contains(a.Reads, "waiting")
		if !slices.Contains([]bool{!a.IsNatural(), isEmpty, isEnded, a.Then != nil}, true) {
			forms = append(forms, a)
		}
	}
	return forms
}

// Take makes the server answer in the form of these answers of the catalogue, with its own people, times and requests.
// An export and all data of a person are those of the catalogue. It is called before the first request.
func (s *Server) Take(names ...string) error {
	taken := slices.DeleteFunc(Forms(), func(a catalogue.Answer) bool { return !slices.Contains(names, a.Name) })
	if len(taken) < len(names) {
		return fmt.Errorf("not all of %s are forms", strings.Join(names, ", "))
	}

	status := map[catalogue.Meaning]int{catalogue.None: http.StatusNotFound, catalogue.Accepted: http.StatusAccepted}
	s.Change(func(r Request, answer *Response) {
		for _, a := range taken {
			if r.Operation == Operations[a.Endpoint] && answer.Status == cmp.Or(status[a.Is], http.StatusOK) {
				answer.Status, answer.Header, answer.Body = a.Status, a.Header(), []byte(fill(a, r.Identity, answer.Body))
				return
			}
		}
	})

	return nil
}

// Operations are what the endpoints of the catalogue are here (section 4).
var Operations = map[catalogue.Endpoint]string{
	catalogue.Login: OpLogin, catalogue.User: OpGetCurrentUser, catalogue.Consent: OpGetConsent, catalogue.ConsentUpdate: OpUpdateConsent,
	catalogue.Profile: OpGetProfile, catalogue.ProfileUpdate: OpUpdateProfile, catalogue.Deletion: OpDeleteAllData,
	catalogue.AllData: OpGetAllData, catalogue.Pending: OpListPendingRequests, catalogue.Export: OpExportRecords,
}

// fill returns an answer of the catalogue with what the server answers about a person.
func fill(a catalogue.Answer, identity string, body any) string {
	text := string(a.Body())
	if a.JSON == nil || a.Is == catalogue.Data {
		return text
	}

	switch held := body.(type) {
	case map[string]any:
		return filled(text, identity, held)
	case []map[string]any:
		return filledList(text, held)
	}

	return text
}

// What stands for the server's own in the texts of the catalogue.
var (
	samplePerson  = regexp.MustCompile(`"(ada|grace)@example\.com"`)
	sampleID      = regexp.MustCompile(`"req-\d"|\b53367\b|"1234567890"|"17"|"65bd1f0ac2a9e50012ab34cd"`)
	sampleTime    = regexp.MustCompile(`"2026-02-01([T ]0[89]:00:00[^"]*)?"|\b1769932800[\d.]*`)
	sampleField   = regexp.MustCompile(`(?i)("(?:clause[_-]?([1-5])[_-]?consent|(manual)|user[_-]?ipv6)": )("[^"]*"|\w+)`)
	sampleProfile = regexp.MustCompile(`, "plan": "pro", "seats": 5|"plan": "pro", "seats": 5(, )?`) // with one comma
	sampleCount   = regexp.MustCompile(`: 3\b`)                                                      // of the requests in a list
)

// filledList returns the text of a list with the server's requests, each in the form of the one of its type.
func filledList(text string, requests []map[string]any) string {
	begin := strings.LastIndex(text[:sampleID.FindStringIndex(text)[0]], "[")
	list := json.NewDecoder(strings.NewReader(text[begin:]))
	var samples []json.RawMessage
	_ = list.Decode(&samples) // the catalogue is JSON

	var items []string
	place := map[any]int{OpDeleteAllData: 0, OpGetAllData: 1, OpUpdateProfile: 2} // of the sample of a type
	for _, record := range requests {
		items = append(items, filled(string(samples[place[record["operation"]]]), record["identityId"], record))
	}
	count := fmt.Sprint(": ", len(requests))
	before, after := text[:begin], text[begin+int(list.InputOffset()):]

	return sampleCount.ReplaceAllString(before, count) + "[" + strings.Join(items, ",") + "]" + sampleCount.ReplaceAllString(after, count)
}

// filled returns a text of the catalogue with a consent, a profile or a request of the server.
func filled(text string, identity any, record map[string]any) string {
	for _, found := range sampleField.FindAllStringSubmatch(text, -1) {
		text = strings.Replace(text, found[0], filledField(found, record), 1)
	}
	if id, ok := record["id"].(string); ok {
		text = sampleID.ReplaceAllLiteralString(text, string(encode(id)))
	}
	at, _ := readTime(cmp.Or(record["agreement_time"], record["createdAt"]))
	if _, isConsent := record[clauseNames[0]]; isConsent || !at.IsZero() {
		text = sampleTime.ReplaceAllStringFunc(text, func(sample string) string { return spelled(at, sample) })
	}
	text = samplePerson.ReplaceAllLiteralString(text, string(encode(identity)))
	if len(record) == 0 {
		return sampleProfile.ReplaceAllLiteralString(text, "")
	}
	members := encode(record)

	return strings.ReplaceAll(text, `"plan": "pro", "seats": 5`, string(members[1:len(members)-1]))
}

// filledField returns a member of a consent with the server's value, and a truth value in the form of the sample.
func filledField(found []string, record map[string]any) string {
	member, clause, manual, sample := found[1], found[2], found[3], found[4]
	field := cmp.Or(strings.ToLower(manual), "user_ipv6")
	if clause != "" {
		field = "clause_" + clause + "_consent"
	}
	agreed, isFlag := record[field].(bool)
	if !isFlag {
		return member + string(encode(record[field]))
	}

	word, digit := strconv.FormatBool(agreed), map[bool]string{true: "1", false: "0"}[agreed]

	return member + strings.NewReplacer("true", word, "false", word, "null", word, "1", digit, "0", digit).Replace(sample)
}

// layouts turns a sample of a time into its layout.
var layouts = strings.NewReplacer("2026-02-01", "2006-01-02", "08:00:00", "15:04:05", "09:00:00", "15:04:05",
	"250001", "000000", "+00:00", "-07:00", "+01:00", "-07:00", "+0000", "-0700")

// spelled returns a time in the form of a sample; null for the zero time.
func spelled(at time.Time, sample string) string {
	if at.IsZero() {
		return "null"
	}
	if isNumber := sample[0] != '"'; isNumber {
		return strings.NewReplacer("1769932800.250000000", fmt.Sprintf("%d.%09d", at.Unix(), at.Nanosecond()),
			"1769932800000", strconv.FormatInt(at.UnixMilli(), 10), "1769932800", strconv.FormatInt(at.Unix(), 10)).Replace(sample)
	}

	return at.UTC().Format(layouts.Replace(sample))
}
