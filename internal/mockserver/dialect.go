package mockserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Question is one that the interface leaves open, with answers that a service may give.
type Question struct {
	Name string
	// Section is that of the interface which leaves it open.
	Section string
	// Choices are the answers. The first is that of a zero Server.
	Choices []Choice
}

// Choice is one answer to a Question.
type Choice struct {
	Name string
	// Foreign: the provider does not claim to understand a service that answers like this.
	Foreign bool

	set func(*Server)
}

// Dialect is a choice for each of some questions, by name. The others have their first one.
type Dialect map[string]string

// ParseDialect parses a text such as "login_parameters=form,path_family=account".
func ParseDialect(text string) (Dialect, error) {
	d := Dialect{}
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			continue
		}

		question, choice, ok := strings.Cut(part, "=")
		if !ok {
			return nil, errors.New("a dialect is question=choice, with commas between")
		}
		d[question] = choice
	}

	return d, (&Server{}).Speak(d)
}

// String returns the dialect as ParseDialect reads it.
func (d Dialect) String() string {
	var parts []string
	for _, question := range slices.Sorted(maps.Keys(d)) {
		parts = append(parts, question+"="+d[question])
	}
	return strings.Join(parts, ",")
}

// Foreign reports whether the provider does not claim to understand the dialect.
func (d Dialect) Foreign() bool {
	for _, q := range Questions {
		for _, c := range q.Choices {
			if c.Foreign && d[q.Name] == c.Name {
				return true
			}
		}
	}
	return false
}

// Speak configures the server for a dialect, before its first request. The error names a
// question or a choice that does not exist.
func (s *Server) Speak(d Dialect) error {
	known := map[string]bool{}
	for _, q := range Questions {
		known[q.Name] = true
		if err := s.answerQuestion(q, d[q.Name]); err != nil {
			return err
		}
	}

	for name := range d {
		if !known[name] {
			return fmt.Errorf("there is no question %q", name)
		}
	}

	return nil
}

func (s *Server) answerQuestion(q Question, name string) error {
	if name == "" {
		return nil
	}

	i := slices.IndexFunc(q.Choices, func(c Choice) bool { return c.Name == name })
	if i < 0 {
		return fmt.Errorf("there is no choice %q for the question %q", name, q.Name)
	}
	if set := q.Choices[i].set; set != nil {
		set(s)
	}

	return nil
}

// reshape adds a step to a hook that shapes answers; it works on what the steps before it
// return.
func reshape[T any](hook *func(T) any, step func(any) any) {
	before := *hook
	*hook = func(v T) any {
		if before != nil {
			return step(before(v))
		}
		return step(v)
	}
}

// wrapIn returns a step that puts an answer under names, the outermost first.
func wrapIn(names ...string) func(any) any {
	return func(v any) any {
		for _, name := range slices.Backward(names) {
			v = map[string]any{name: v}
		}
		return v
	}
}

// always returns a step that answers with v.
func always(v any) func(any) any { return func(any) any { return v } }

// rename returns a step that gives a member of an object another name.
func rename(name, other string) func(any) any {
	return func(v any) any {
		object, ok := v.(map[string]any)
		if value, has := object[name]; ok && has {
			delete(object, name)
			object[other] = value
		}
		return v
	}
}

// timeAs returns a step that writes agreement_time in another format.
func timeAs(format func(time.Time) any) func(any) any {
	return func(v any) any {
		object, _ := v.(map[string]any)
		if t, ok := instantOf(object["agreement_time"]); ok {
			object["agreement_time"] = format(t)
		}
		return v
	}
}

// instantOf returns the time that an update has sent.
func instantOf(v any) (time.Time, bool) {
	if number, ok := v.(json.Number); ok {
		ms, err := number.Int64()
		return time.UnixMilli(ms).UTC(), err == nil
	}

	text, _ := v.(string)
	t, err := time.Parse(time.RFC3339, text)

	return t.UTC(), err == nil
}

func asText(t time.Time) any         { return t.Format(time.RFC3339Nano) }
func asMilliseconds(t time.Time) any { return t.UnixMilli() }
func asSeconds(t time.Time) any      { return t.Unix() }
func wholeSeconds(t time.Time) any   { return t.Truncate(time.Second).Format(time.RFC3339) }

// camelCase returns a name without underscores, with a capital after each.
func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i := range words[1:] {
		words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
	}
	return strings.Join(words, "")
}

// camelCased gives all members of an object names in camel case.
func camelCased(v any) any {
	object, _ := v.(map[string]any)
	for _, name := range slices.Collect(maps.Keys(object)) {
		rename(name, camelCase(name))(object)
	}
	return object
}

// accepting returns a function for Server.Accepts: operations of which only one method of
// authentication is accepted.
func accepting(auth string, of func(operation string) bool) func(string, string) bool {
	return func(operation, presented string) bool { return !of(operation) || presented == auth }
}

func anyOperation(string) bool              { return true }
func isExport(operation string) bool        { return operation == OpExportRecords }
func isCurrentUser(operation string) bool   { return operation == OpGetCurrentUser }
func isAboutPeople(operation string) bool   { return !isExport(operation) && !isCurrentUser(operation) }
func flatErrors(e errorParts) (any, string) { return e, "application/json" }

// errorParts are what an error says, in an object without another around it.
type errorParts struct {
	Code    string       `json:"code"`
	Message string       `json:"message"`
	Errors  []FieldError `json:"errors,omitempty"`
}

// problemErrors is the form of RFC 9457.
func problemErrors(e errorParts) (any, string) {
	return map[string]any{"type": "about:blank", "title": e.Code, "detail": e.Message, "errors": e.Errors}, "application/problem+json"
}

// textErrors has no JSON.
func textErrors(e errorParts) (any, string) { return e.Message, "text/plain" }

// rateLimits are header fields that state a limit.
var rateLimits = http.Header{"X-Ratelimit-Limit": {"600"}, "X-Ratelimit-Remaining": {"599"}}
