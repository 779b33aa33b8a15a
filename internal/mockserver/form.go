// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	stdjson "encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/catalogue"
)

// Forms are the names of the answers in whose form the server can answer: the natural ones of the
// catalogue, but for those that hold nothing and for lists of requests that have ended.
func Forms() (names []string) {
	for _, a := range catalogue.All() {
		if isForm(a) {
			names = append(names, a.Name)
		}
	}
	return names
}

func isForm(a catalogue.Answer) bool {
	if a.Endpoint == catalogue.Pending {
		return a.IsNatural() && strings.Contains(a.Reads, "waiting")
	}
	return a.IsNatural() && a.Reads != "empty" && a.Reads != "{}"
}

// Take makes the server answer in the form of these answers of the catalogue, with its own people,
// times and requests in place of those of the catalogue. An export has the records of the catalogue.
// It is called before the first request.
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

// formOperations are the operations that an answer of an endpoint answers.
var formOperations = map[catalogue.Endpoint]string{
	catalogue.Login: OpLogin, catalogue.User: OpGetCurrentUser, catalogue.Consent: OpGetConsent, catalogue.ConsentUpdate: OpUpdateConsent,
	catalogue.Profile: OpGetProfile, catalogue.ProfileUpdate: OpUpdateProfile, catalogue.Deletion: OpDeleteAllData,
	catalogue.AllData: OpGetAllData, catalogue.Pending: OpListPendingRequests, catalogue.Export: OpExportRecords,
}

// replaces reports whether an answer of the catalogue is one to what the server answers.
func replaces(a catalogue.Answer, r Request, answer *Response) bool {
	if formOperations[a.Endpoint] != r.Operation {
		return false
	}

	switch a.Is {
	case catalogue.None:
		return answer.Status == http.StatusNotFound
	case catalogue.Accepted:
		return answer.Receipt
	}

	return answer.Status == http.StatusOK && !answer.Receipt
}

// fill replaces an answer by one in the form of the catalogue. Where the catalogue has a second page,
// it has the second half of the requests.
func fill(a catalogue.Answer, r Request, answer *Response) {
	f := filling{identity: r.Identity}
	switch held := answer.Body.(type) {
	case map[string]any:
		f.record, f.profile = held, held
		if a.Is == catalogue.Data {
			f.profile, _ = held["profile"].(map[string]any)
			f.record, _ = held["consent"].(map[string]any)
		}
	case []map[string]any:
		f.requests, f.total = held, len(held)
	}

	answer.Status, answer.Header = a.Status, http.Header{}
	for name, value := range a.Headers {
		answer.Header.Set(name, value)
	}
	if media := a.MediaType(); media != "" {
		answer.Header.Set("Content-Type", media)
	}

	body := a.Body()
	if a.Then != nil {
		half := (len(f.requests) + 1) / 2
		if _, isSecond := r.Sent["page"]; isSecond {
			body, f.requests = a.Then, f.requests[half:]
			answer.Header.Del("Link")
		} else {
			f.requests = f.requests[:half]
		}
	}
	if a.Endpoint == catalogue.Export || a.JSON == nil {
		answer.Body = raw(body)
		return
	}

	f.samples = append(requestsIn(parsed(a.Body())), requestsIn(parsed(a.Then))...)
	answer.Body = f.value("", parsed(body))
}

// parsed returns a JSON value of the catalogue with its numbers as they are.
func parsed(text []byte) (value any) {
	_ = json.Unmarshal(text, &value, exactNumbers) // no text is nil
	return value
}

// requestsIn returns the requests in a value of the catalogue, in their order.
func requestsIn(value any) (found []any) {
	switch value := value.(type) {
	case map[string]any:
		for _, member := range value {
			found = append(found, requestsIn(member)...)
		}
	case []any:
		if isList(value) {
			return value
		}
	}

	return found
}

// isList reports whether an array of the catalogue holds requests, whose IDs begin with "req-".
func isList(array []any) bool {
	if len(array) == 0 {
		return false
	}
	first, _ := array[0].(map[string]any)
	for _, value := range first {
		if text, _ := value.(string); strings.HasPrefix(text, "req-") {
			return true
		}
	}

	return false
}

// filling has the values of the server for an answer of the catalogue.
type filling struct {
	identity string
	record   map[string]any // of a consent or a request
	profile  map[string]any
	requests []map[string]any // of a list
	total    int              // of the requests on all pages
	samples  []any            // the requests of the catalogue, one of each operation
}

// value returns the server's value for one of the catalogue, which a member of this name has.
// An object that holds the profile of the catalogue holds the server's instead.
func (f *filling) value(name string, sample any) any {
	switch sample := sample.(type) {
	case map[string]any:
		filled := map[string]any{}
		for name, value := range sample {
			filled[name] = f.value(name, value)
		}
		_, hasPlan := sample["plan"]
		_, hasSeats := sample["seats"]
		if hasPlan && hasSeats && f.profile != nil {
			delete(filled, "plan")
			delete(filled, "seats")
			maps.Copy(filled, f.profile)
		}

		return filled

	case []any:
		if isList(sample) {
			return f.list()
		}
		filled := []any{}
		for _, value := range sample {
			filled = append(filled, f.value("", value))
		}
		return filled
	}

	return f.scalar(name, sample)
}

// sampleTypes are the operations of the requests in the lists of the catalogue, in their order.
var sampleTypes = []string{OpDeleteAllData, OpGetAllData, OpUpdateProfile}

// list returns the server's requests, each in the form of the one of its type.
func (f *filling) list() []any {
	filled := []any{}
	for _, record := range f.requests {
		operation, _ := record["operation"].(string)
		identity, _ := record["identityId"].(string)
		one := filling{identity: identity, record: record}
		filled = append(filled, one.value("", f.samples[slices.Index(sampleTypes, operation)]))
	}
	return filled
}

var (
	clauseName = regexp.MustCompile(`^clause([1-5])`)
	sampleID   = regexp.MustCompile(`^(req-\d|53367|1234567890|17|65bd1f0ac2a9e50012ab34cd)$`)
	sampleTime = regexp.MustCompile(`^(2026-02-01|17699328)`)
)

// scalar returns the server's value for a text, a number, a truth value or a null.
func (f *filling) scalar(name string, sample any) any {
	text := fmt.Sprint(sample)
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	clause := clauseName.FindStringSubmatch(name)
	status := f.record["status"]
	hasEnded := status != nil && status != StatusPending

	switch {
	case clause != nil && f.record != nil && sample != nil:
		agreed, _ := f.record["clause_"+clause[1]+"_consent"].(bool)
		return flagLike(sample, agreed)
	case name == "manual":
		return f.record["manual"]
	case name == "useripv6":
		return f.record["user_ipv6"]
	case text == "ada@example.com", text == "grace@example.com":
		return f.identity
	case sampleID.MatchString(text) && f.record["id"] != nil:
		return f.record["id"]
	case text == "3" && f.requests != nil:
		return stdjson.Number(strconv.Itoa(f.total))
	case slices.Contains([]string{"status", "state", "phase"}, name) && hasEnded:
		return status
	case sampleTime.MatchString(text):
		return f.time(sample)
	}

	return sample
}

// flagLike returns a consent to a clause in the form of the catalogue: true, 1, "1" or "true".
func flagLike(sample any, agreed bool) any {
	text := strconv.FormatBool(agreed)
	if written := fmt.Sprint(sample); written == "1" || written == "0" {
		text = map[bool]string{true: "1", false: "0"}[agreed]
	}

	switch sample.(type) {
	case bool:
		return agreed
	case string:
		return text
	}

	return stdjson.Number(text)
}

// time returns the time of the record in the form of the catalogue; null for a consent without one.
func (f *filling) time(sample any) any {
	for _, field := range []string{"agreement_time", "createdAt"} {
		if at, ok := timeOf(f.record[field]); ok {
			return timeLike(sample, at)
		}
	}
	if _, isConsent := f.record["clause_1_consent"]; isConsent {
		return nil
	}

	return sample
}

// timeOf returns the time of a field of a record, and whether it has one.
func timeOf(field any) (at time.Time, ok bool) {
	if number, isNumber := field.(stdjson.Number); isNumber {
		n, err := number.Int64()
		if timeForms[TimeUnixS].matches(field) {
			return time.Unix(n, 0), err == nil
		}
		return time.UnixMilli(n), err == nil
	}

	text, _ := field.(string)
	for _, form := range timeForms {
		if at, err := time.Parse(form.layout, text); err == nil && text != "" {
			return at, true
		}
	}

	return at, false
}

// layoutOf makes the layout of a time of the catalogue, all of which are within the same two seconds.
var layoutOf = strings.NewReplacer(
	"2026-02-01", "2006-01-02", "08:00:00", "15:04:05", "08:00:01", "15:04:05", "09:00:00", "15:04:05",
	".250001", ".000000", ".204", ".000", "Z", "Z07:00", "+00:00", "-07:00", "+01:00", "-07:00", "+0000", "-0700",
)

// timeLike writes a time as the catalogue has written its own.
func timeLike(sample any, at time.Time) any {
	number, isNumber := sample.(stdjson.Number)
	switch {
	case strings.Contains(string(number), "."):
		return stdjson.Number(fmt.Sprintf("%d.%09d", at.Unix(), at.Nanosecond()))
	case len(number) > len("1769932800"):
		return stdjson.Number(strconv.FormatInt(at.UnixMilli(), 10))
	case isNumber:
		return stdjson.Number(strconv.FormatInt(at.Unix(), 10))
	}

	text, _ := sample.(string)
	layout := layoutOf.Replace(text)
	own, _ := time.Parse(layout, text)

	return at.In(own.Location()).Format(layout)
}
