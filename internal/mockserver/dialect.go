// SPDX-License-Identifier: MPL-2.0

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

// wrapIn returns a function that puts an answer under names, the outermost first.
func wrapIn[T any](names ...string) func(T) any {
	return func(body T) any {
		v := any(body)
		for _, name := range slices.Backward(names) {
			v = map[string]any{name: v}
		}
		return v
	}
}

// always returns a function that answers with v.
func always[T any](v any) func(T) any { return func(T) any { return v } }

// timeAs returns a function that writes agreement_time in another format.
func timeAs(format func(time.Time) any) func(map[string]any) any {
	return func(record map[string]any) any {
		if t, ok := instantOf(record["agreement_time"]); ok {
			record["agreement_time"] = format(t)
		}
		return record
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
func camelCased(object map[string]any) any {
	for _, name := range slices.Collect(maps.Keys(object)) {
		rename(object, name, camelCase(name))
	}
	return object
}

// accepting returns a function for Server.Accepts: operations of which only one method of
// authentication is accepted.
func accepting(auth string, of func(operation string) bool) func(string, string) bool {
	return func(operation, presented string) bool { return !of(operation) || presented == auth }
}

func anyOperation(string) bool            { return true }
func isExport(operation string) bool      { return operation == OpExportRecords }
func isCurrentUser(operation string) bool { return operation == OpGetCurrentUser }
func isAboutPeople(operation string) bool { return !isExport(operation) && !isCurrentUser(operation) }

// errorsAs changes the body of every error.
func (s *Server) errorsAs(form func(errorParts) any, media string) {
	s.Change(func(_ Request, a *Response) {
		if e, ok := a.Body.(errorBody); ok {
			a.Body = form(e.Error)
			a.Header.Set("Content-Type", media)
		}
	})
}

// problem is the form of RFC 9457.
func problem(e errorParts) any {
	return map[string]any{"type": "about:blank", "title": e.Code, "detail": e.Message, "errors": e.Fields}
}

// withHeader adds a header field to every answer.
func (s *Server) withHeader(name, value string) {
	s.Change(func(_ Request, a *Response) { a.Header.Set(name, value) })
}

// dateAhead moves the Date of every answer.
func (s *Server) dateAhead(by time.Duration) {
	s.Change(func(_ Request, a *Response) {
		a.Header.Set("Date", s.clock().Now().Add(by).UTC().Format(http.TimeFormat))
	})
}
