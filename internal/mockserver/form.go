// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/catalogue"
)

// Forms are the names of the answers in whose form the server can answer: the natural ones of the
// catalogue, but for those that hold nothing, lists of requests that have ended, and pages of a
// list, which the server does not have.
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
		return a.IsNatural() && a.Then == nil && strings.Contains(a.Reads, "waiting")
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
				s.fill(a, r, answer)
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

// replaces reports whether an answer of the catalogue stands for one of the server.
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

// raw is a Response.Body that is sent as it is, with any status.
type raw []byte

// fill replaces an answer by one in the form of the catalogue.
func (s *Server) fill(a catalogue.Answer, r Request, answer *Response) {
	f := filling{identity: r.Identity}
	f.record, _ = answer.Body.(map[string]any)
	f.profile = f.record
	if a.Is == catalogue.Data {
		f.profile, _ = f.record["profile"].(map[string]any)
		f.record, _ = f.record["consent"].(map[string]any)
	}
	f.requests, _ = answer.Body.([]map[string]any)

	answer.Status, answer.Header = a.Status, http.Header{}
	for name, value := range a.Headers {
		answer.Header.Set(name, value)
	}
	if media := a.MediaType(); media != "" {
		answer.Header.Set("Content-Type", media)
	}

	body := a.Body()
	_, isNext := r.Sent["page"]
	if a.Then != nil && isNext {
		body = a.Then
		answer.Header.Del("Link")
	}
	answer.Body = raw(body)
	if a.Endpoint != catalogue.Export && a.JSON != nil {
		answer.Body = f.value("", exactly(body))
	}
}

// filling is what stands in an answer in place of the values of the catalogue.
type filling struct {
	identity string
	record   map[string]any // of a consent or a request
	profile  map[string]any
	requests []map[string]any // of a list
}

// exactly returns a JSON value with its numbers as they are.
func exactly(text []byte) any {
	wrapped, _ := readObject([]byte(`{"value":` + string(text) + `}`)) // it is of the catalogue, and valid
	return wrapped["value"]
}

// value returns what stands in place of a value of the catalogue, which a member of this name has.
func (f *filling) value(name string, sample any) any {
	switch sample := sample.(type) {
	case map[string]any:
		return f.object(sample)
	case []any:
		return f.array(sample)
	case bool:
		return f.clause(name, sample)
	}

	return f.clause(name, f.scalar(name, sample))
}

// object returns an object with the server's values. One that holds the profile of the catalogue
// holds the server's instead.
func (f *filling) object(sample map[string]any) any {
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
}

// sampleTypes are the operations of the requests in the lists of the catalogue, in their order.
var sampleTypes = []string{OpDeleteAllData, OpGetAllData, OpUpdateProfile}

// array returns an array with the server's values: that of the requests has the server's requests,
// each in the form of the one of its type.
func (f *filling) array(samples []any) any {
	isList := f.requests != nil && len(samples) == len(sampleTypes)
	filled := []any{}
	for _, sample := range samples {
		if !isList {
			filled = append(filled, f.value("", sample))
		}
	}
	if !isList {
		return filled
	}

	for _, record := range f.requests {
		operation, _ := record["operation"].(string)
		identity, _ := record["identityId"].(string)
		one := filling{identity: identity, record: record}
		filled = append(filled, one.value("", samples[slices.Index(sampleTypes, operation)]))
	}

	return filled
}

var (
	clauseName = regexp.MustCompile(`(?i)^clause_?([1-5])`)
	sampleID   = regexp.MustCompile(`^(req-\d|53367|1234567890|17)$`)
)

// clause returns a consent to a clause in the form of the catalogue: true, 1, "1" or "true".
func (f *filling) clause(name string, sample any) any {
	number := clauseName.FindStringSubmatch(name)
	if number == nil || f.record == nil || sample == nil {
		return f.manual(name, sample)
	}

	agreed, _ := f.record["clause_"+number[1]+"_consent"].(bool)
	digit := map[bool]string{true: "1", false: "0"}[agreed]
	switch text := fmt.Sprint(sample); text {
	case "true", "false":
		if _, isText := sample.(string); isText {
			return strconv.FormatBool(agreed)
		}
		return agreed
	default:
		if _, isText := sample.(string); isText {
			return digit
		}
		return json.Number(digit)
	}
}

// manual returns how a consent was obtained, and the address, as the record has them.
func (f *filling) manual(name string, sample any) any {
	switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
	case "manual":
		return f.record["manual"]
	case "useripv6":
		return f.record["user_ipv6"]
	}
	return sample
}

// scalar returns a text or a number with the server's identity, identifier, count, status or time.
func (f *filling) scalar(name string, sample any) any {
	text := fmt.Sprint(sample)
	switch {
	case text == "ada@example.com" || text == "grace@example.com":
		return f.identity
	case sampleID.MatchString(text) && f.record["id"] != nil:
		return f.record["id"]
	case text == "3" && f.requests != nil:
		return json.Number(strconv.Itoa(len(f.requests)))
	case isStatus(name) && f.hasEnded():
		return f.record["status"]
	case isSampleTime(text):
		return f.time(sample)
	}

	return sample
}

// hasEnded reports whether the record is a request with another status than that of an open one.
func (f *filling) hasEnded() bool {
	status := f.record["status"]
	return f.requests == nil && status != nil && status != StatusPending
}

// time returns the time of the record in the form of the catalogue; null for a consent without one.
func (f *filling) time(sample any) any {
	for _, field := range []string{"agreement_time", "createdAt"} {
		if at, ok := instantOf(f.record[field]); ok {
			return timeLike(sample, at)
		}
	}
	if _, isConsent := f.record["clause_1_consent"]; isConsent {
		return nil
	}

	return sample
}

func isStatus(name string) bool { return slices.Contains([]string{"status", "state", "phase"}, name) }

// isSampleTime reports whether a text is the time of the catalogue.
func isSampleTime(text string) bool {
	return strings.HasPrefix(text, "2026-02-01") || strings.HasPrefix(text, "17699328")
}

// sampleLayouts are the forms in which the catalogue writes its time.
var sampleLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05-07:00", "2006-01-02T15:04:05.000Z07:00", "2006-01-02T15:04:05.000000-07:00", "2006-01-02T15:04:05.000000000Z07:00",
	"2006-01-02T15:04:05.000-0700", "2006-01-02T15:04:05.000-07:00", "2006-01-02T15:04:05", time.DateOnly,
}

// timeLike writes a time as the catalogue has written its own.
func timeLike(sample any, at time.Time) any {
	text := fmt.Sprint(sample)
	if _, isText := sample.(string); !isText {
		if len(text) > len("1769932800") {
			return json.Number(strconv.FormatInt(at.UnixMilli(), 10))
		}
		return json.Number(strconv.FormatInt(at.Unix(), 10))
	}

	for _, layout := range sampleLayouts {
		if own, err := time.Parse(layout, text); err == nil && own.Format(layout) == text {
			return at.In(own.Location()).Format(layout)
		}
	}

	return sample
}

// instantOf returns the time that a record holds, in whatever form it was sent.
func instantOf(value any) (time.Time, bool) {
	switch v := value.(type) {
	case json.Number:
		n, err := v.Int64()
		if len(v) > len("1769932800") {
			return time.UnixMilli(n), err == nil
		}
		return time.Unix(n, 0), err == nil
	case string:
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", time.DateOnly} {
			if t, err := time.Parse(layout, v); err == nil {
				return t.UTC(), true
			}
		}
	}

	return time.Time{}, false
}
