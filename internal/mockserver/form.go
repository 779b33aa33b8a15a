// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	stdjson "encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

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
		a, ok := catalogue.Named(name)
		if !ok || !isForm(a) {
			return fmt.Errorf("there is no form %s", name)
		}
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
	held := answer.Body
	answer.Status, answer.Header, answer.Body = a.Status, http.Header{}, raw(a.Body())
	for name, value := range a.Headers {
		answer.Header.Set(name, value)
	}
	if media := a.MediaType(); media != "" {
		answer.Header.Set("Content-Type", media)
	}
	if a.JSON == nil || a.Is == catalogue.Day || a.Is == catalogue.Data {
		return
	}

	record, _ := held.(map[string]any)
	f := newFilling(r.Identity, record)
	if requests, isList := held.([]map[string]any); isList {
		f.list, f.values["3"] = listed(a, requests), len(requests)
	}
	answer.Body = f.value("", parsed(a.JSON))
}

// parsed returns a JSON value of the catalogue with its numbers as they are.
func parsed(text []byte) (value any) {
	_ = json.Unmarshal(text, &value, exactNumbers) // the catalogue is JSON
	return value
}

// sampleTypes are the operations of the requests in the lists of the catalogue, in their order.
var sampleTypes = []string{OpDeleteAllData, OpGetAllData, OpUpdateProfile}

// listed returns the server's requests, each in the form of the one of its type.
func listed(a catalogue.Answer, requests []map[string]any) []any {
	samples := requestsIn(parsed(a.JSON))
	filled := []any{}
	for _, record := range requests {
		operation, _ := record["operation"].(string)
		identity, _ := record["identityId"].(string)
		one := newFilling(identity, record)
		filled = append(filled, one.value("", samples[slices.Index(sampleTypes, operation)]))
	}

	return filled
}

// requestsIn returns the outermost array of a value of the catalogue that holds people.
func requestsIn(value any) (found []any) {
	switch value := value.(type) {
	case map[string]any:
		for _, member := range value {
			found = append(found, requestsIn(member)...)
		}
	case []any:
		if strings.Contains(fmt.Sprint(value...), "@example.com") {
			return value
		}
	}

	return found
}

// filling has the values of the server for an answer of the catalogue.
type filling struct {
	record map[string]any // a consent, a profile or a request
	list   []any          // in place of a list of requests; nil: there is none
	values map[string]any // by the text of a sample
}

// newFilling returns a filling with the identity, the ID and the time of a record.
func newFilling(identity string, record map[string]any) filling {
	f := filling{record: record, values: map[string]any{"ada@example.com": identity, "grace@example.com": identity}}
	if id, ok := record["id"].(string); ok {
		for _, sample := range []string{"req-1", "req-2", "req-3", "53367", "1234567890", "17", "65bd1f0ac2a9e50012ab34cd"} {
			f.values[sample] = id
		}
	}

	at, isTimed := record["createdAt"]
	if _, isConsent := record[clauseNames[0]]; isConsent { // its time may be missing
		at, isTimed = record["agreement_time"], true
	}
	if isTimed {
		for sample, layout := range layouts {
			f.values[sample] = written(parseTime(at), layout)
		}
	}

	return f
}

// value returns the server's value for one of the catalogue, which a member of this name has.
func (f *filling) value(name string, sample any) any {
	switch sample := sample.(type) {
	case map[string]any:
		return f.object(sample)
	case []any:
		return f.array(sample)
	}

	if field, isField := fieldNames[strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))]; isField {
		return flagLike(sample, f.record[field])
	}
	if value, ok := f.values[fmt.Sprint(sample)]; ok {
		return value
	}

	return sample
}

// object returns the server's object for one of the catalogue. The catalogue's profile is that with seats.
func (f *filling) object(sample map[string]any) map[string]any {
	filled := map[string]any{}
	for name, value := range sample {
		filled[name] = f.value(name, value)
	}
	if sample["seats"] == nil {
		return filled
	}

	delete(filled, "plan")
	delete(filled, "seats")

	return merge(filled, f.record)
}

func (f *filling) array(sample []any) []any {
	if f.list != nil && len(requestsIn(sample)) > 0 {
		return f.list
	}

	filled := []any{}
	for _, value := range sample {
		filled = append(filled, f.value("", value))
	}

	return filled
}

// fieldNames are the fields of a consent by their names in the catalogue, in lower case and without
// what separates words.
var fieldNames = map[string]string{
	"clause1consent": clauseNames[0], "clause2consent": clauseNames[1], "clause3consent": clauseNames[2], "clause4consent": clauseNames[3],
	"clause5consent": clauseNames[4], "manual": "manual", "useripv6": "user_ipv6",
}

// flagLike returns a field of a consent, and a truth value in the form of the catalogue: true, 1, "1" or
// "true".
func flagLike(sample, value any) any {
	agreed, isFlag := value.(bool)
	if !isFlag {
		return value
	}

	word, digit := "false", "0"
	if agreed {
		word, digit = "true", "1"
	}

	switch sample {
	case "true", "false":
		return word
	case "1", "0":
		return digit
	case stdjson.Number("1"), stdjson.Number("0"):
		return stdjson.Number(digit)
	}

	return agreed
}

// layouts are the forms of the times of the catalogue.
var layouts = map[string]string{
	"2026-02-01":                       time.DateOnly,
	"2026-02-01 08:00:00":              time.DateTime,
	"2026-02-01T08:00:00":              "2006-01-02T15:04:05",
	"2026-02-01T08:00:00Z":             time.RFC3339,
	"2026-02-01T08:00:00+00:00":        "2006-01-02T15:04:05-07:00",
	"2026-02-01T09:00:00+01:00":        "2006-01-02T15:04:05-07:00",
	"2026-02-01T08:00:00.000+0000":     "2006-01-02T15:04:05.000-0700",
	"2026-02-01T08:00:00.000Z":         "2006-01-02T15:04:05.000Z07:00",
	"2026-02-01T08:00:00.250001+00:00": "2006-01-02T15:04:05.000000-07:00",
	"2026-02-01T08:00:00.000000000Z":   "2006-01-02T15:04:05.000000000Z07:00",
	"1769932800":                       TimeUnixS,
	"1769932800000":                    TimeUnixMS,
	"1769932800.250000000":             "decimal seconds",
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
