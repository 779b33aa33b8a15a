// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Question is one that the interface leaves open, with answers that a service may give. The
// first of them is that of a zero Server.
type Question struct {
	Name    string
	Choices []Choice
}

// Choice is one answer to a Question.
type Choice struct {
	Name string
	// Foreign: the provider does not claim to understand a service that answers like this.
	Foreign bool

	set func(*Server)
}

func question(name, first string, others ...Choice) Question {
	return Question{name, append([]Choice{{Name: first, set: func(*Server) {}}}, others...)}
}

func or(name string, set func(*Server)) Choice { return Choice{Name: name, set: set} }

func foreign(name string, set func(*Server)) Choice {
	return Choice{Name: name, Foreign: true, set: set}
}

// Dialect is a choice for each of some questions, by name. The others have their first one.
type Dialect map[string]string

// ParseDialect parses a text such as "login_parameters=form,path_family=account".
func ParseDialect(text string) Dialect {
	d := Dialect{}
	for part := range strings.SplitSeq(text, ",") {
		if question, choice, _ := strings.Cut(part, "="); question != "" {
			d[question] = choice
		}
	}
	return d
}

// String returns the dialect as ParseDialect reads it.
func (d Dialect) String() string {
	var parts []string
	for _, question := range slices.Sorted(maps.Keys(d)) {
		parts = append(parts, question+"="+d[question])
	}
	return strings.Join(parts, ",")
}

// choices returns the choices in the order of Questions. The error names those that do not exist.
func (d Dialect) choices() ([]Choice, error) {
	var chosen []Choice
	rest := maps.Clone(d)
	for _, q := range Questions {
		if i := slices.IndexFunc(q.Choices, func(c Choice) bool { return c.Name == d[q.Name] }); i >= 0 {
			chosen = append(chosen, q.Choices[i])
			delete(rest, q.Name)
		}
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("there is no such choice: %s", rest)
	}

	return chosen, nil
}

// Foreign reports whether the provider does not claim to understand the dialect.
func (d Dialect) Foreign() bool {
	chosen, _ := d.choices()
	return slices.ContainsFunc(chosen, func(c Choice) bool { return c.Foreign })
}

// Speak configures the server for a dialect, before its first request. The error names
// the choices that do not exist.
func (s *Server) Speak(d Dialect) error {
	chosen, err := d.choices()
	for _, c := range chosen {
		c.set(s)
	}
	return err
}

// What the choices do. Some of these functions return what configures a server, some a change
// of a body for answers.

// answers changes the bodies of some operations' answers.
func answers[T, U any](change func(T) U, operations ...string) func(*Server) {
	return func(s *Server) { Reshape(s, change, operations...) }
}

// consents changes the records that both consent operations answer with.
func consents[T, U any](change func(T) U) func(*Server) {
	return answers(change, OpGetConsent, OpUpdateConsent)
}

// pending gives members of each record on the list of pending requests other names.
func pending(names ...string) func(*Server) {
	return func(s *Server) { s.RenamePending(names...) }
}

// in puts an answer under names, the outermost first.
func in(names ...string) func(any) any {
	return func(body any) any {
		for _, name := range slices.Backward(names) {
			body = map[string]any{name: body}
		}
		return body
	}
}

// always answers with v.
func always(v any) func(any) any { return func(any) any { return v } }

// renamed gives members of an object other names, in pairs of names. An empty other name takes
// the member away.
func renamed(names ...string) func(map[string]any) map[string]any {
	return func(object map[string]any) map[string]any {
		for pair := range slices.Chunk(names, 2) {
			value, ok := object[pair[0]]
			delete(object, pair[0])
			if ok && pair[1] != "" {
				object[pair[1]] = value
			}
		}

		return object
	}
}

// timeAs writes an agreement_time that is a text in another format.
func timeAs(format func(time.Time) any) func(*Server) {
	return consents(func(record map[string]any) any {
		text, _ := record["agreement_time"].(string)
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			record["agreement_time"] = format(t.UTC())
		}
		return record
	})
}

// errorsAs changes the body of every error.
func errorsAs(media string, form func(problem) any) func(*Server) {
	return func(s *Server) {
		s.Change(func(_ Request, a *Response) {
			if e, ok := a.Body.(map[string]problem); ok {
				a.Body = form(e["error"])
				a.Header.Set("Content-Type", media)
			}
		})
	}
}

// noConsent answers 200 with a body about a person without a consent.
func noConsent(body any) func(*Server) {
	return func(s *Server) {
		s.Change(func(r Request, a *Response) {
			if e, failed := a.Body.(map[string]problem); failed && e["error"].Code == "not_found" && r.Operation == OpGetConsent {
				a.Status, a.Body = http.StatusOK, body
			}
		})
	}
}

// only accepts one method of authentication, but for the login, where a path has a part.
func only(auth, part string) func(*Server) {
	return func(s *Server) {
		s.refusals = append(s.refusals, func(r Request) (a Response) {
			if strings.Contains(r.Template, part) && r.Operation != OpLogin && r.Auth != auth {
				a = failure(http.StatusUnauthorized, "wrong_method", "This method of authentication is not accepted here.")
			}
			return a
		})
	}
}

// lacks answers 404 for a family of paths.
func lacks(prefix string) func(*Server) {
	return func(s *Server) {
		s.refusals = append(s.refusals, func(r Request) (a Response) {
			if strings.HasPrefix(r.Template, prefix) {
				a = unknownRoute()
			}
			return a
		})
	}
}

// beside puts another member beside the list of pending requests.
func beside(name string, value any) func(*Server) {
	return answers(func(records any) any { return map[string]any{"requests": records, name: value} }, OpListPendingRequests)
}

// pendingIs gives each record of an unfinished request another status.
func pendingIs(status string) func(*Server) {
	return func(s *Server) {
		s.ReshapePending(func(record map[string]any) map[string]any {
			if record["status"] == StatusPending {
				record["status"] = status
			}
			return record
		})
	}
}
