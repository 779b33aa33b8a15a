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

func question(name, section, first string, others ...Choice) Question {
	return Question{name, section, append([]Choice{{Name: first}}, others...)}
}

func or(name string, set func(*Server)) Choice { return Choice{Name: name, set: set} }

func foreign(name string, set func(*Server)) Choice {
	return Choice{Name: name, Foreign: true, set: set}
}

// Dialect is a choice for each of some questions, by name. The others have their first one.
type Dialect map[string]string

// ParseDialect parses a text such as "login_parameters=form,path_family=account".
func ParseDialect(text string) (Dialect, error) {
	d := Dialect{}
	for part := range strings.SplitSeq(text, ",") {
		question, choice, ok := strings.Cut(part, "=")
		if !ok && part != "" {
			return nil, errors.New("a dialect is question=choice, with commas between")
		}
		if ok {
			d[question] = choice
		}
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
		if slices.ContainsFunc(q.Choices, func(c Choice) bool { return c.Foreign && d[q.Name] == c.Name }) {
			return true
		}
	}
	return false
}

// Speak configures the server for a dialect, before its first request. The error names a
// question or a choice that does not exist.
func (s *Server) Speak(d Dialect) error {
	rest := maps.Clone(d)
	for _, q := range Questions {
		name := d[q.Name]
		delete(rest, q.Name)
		if name == "" {
			continue
		}

		i := slices.IndexFunc(q.Choices, func(c Choice) bool { return c.Name == name })
		if i < 0 {
			return fmt.Errorf("there is no choice %q for the question %q", name, q.Name)
		}
		if set := q.Choices[i].set; set != nil {
			set(s)
		}
	}

	for name := range rest {
		return fmt.Errorf("there is no question %q", name)
	}

	return nil
}

// What the choices do. Each of these functions returns what configures a server.

// reshaped changes the bodies of some operations' answers.
func reshaped[T any](change func(T) any, operations ...string) func(*Server) {
	return func(s *Server) { Reshape(s, change, operations...) }
}

// consentsAs changes the records that both consent operations answer with.
func consentsAs(change func(record map[string]any) any) func(*Server) {
	return reshaped(change, OpGetConsent, OpUpdateConsent)
}

// receiptsAs answers what is queued with 200 and a body.
func receiptsAs(change func(record map[string]any) any) func(*Server) {
	return func(s *Server) {
		s.ReshapeReceipts(change)
		s.Change(func(_ Request, a *Response) {
			if a.Receipt {
				a.Status = http.StatusOK
			}
		})
	}
}

// failures changes the body of every error.
func failures(media string, form func(errorParts) any) func(*Server) {
	return func(s *Server) {
		s.Change(func(_ Request, a *Response) {
			if e, ok := a.Body.(errorBody); ok {
				a.Body = form(e.Error)
				a.Header.Set("Content-Type", media)
			}
		})
	}
}

// refused answers some requests with an error, and does not carry them out.
func refused(which func(Request) bool, answer Response) func(*Server) {
	return func(s *Server) {
		s.Around(func(r Request, next func() Response) Response {
			if which(r) {
				answer.Header = http.Header{} // of this answer alone
				return answer
			}
			return next()
		})
	}
}

// only accepts one method of authentication for some operations; for all but the login if
// none is named.
func only(auth string, operations ...string) func(*Server) {
	return refused(func(r Request) bool {
		meant := len(operations) == 0 || slices.Contains(operations, r.Operation)
		return meant && r.Operation != OpLogin && r.Auth != auth
	}, failure(http.StatusUnauthorized, "wrong_method", "This method of authentication is not accepted here."))
}

// lacks answers 404 for a family of paths.
func lacks(prefix string) func(*Server) {
	return refused(func(r Request) bool { return strings.HasPrefix(r.Template, prefix) }, unknownRoute())
}

// noConsent answers 200 with a body about a person without a consent.
func noConsent(body any) func(*Server) {
	return func(s *Server) {
		s.Change(func(r Request, a *Response) {
			if e, failed := a.Body.(errorBody); failed && e.Error.Code == "not_found" && r.Operation == OpGetConsent {
				a.Status, a.Body = http.StatusOK, body
			}
		})
	}
}

// unfinished gives each pending record of an unfinished request a status.
func unfinished(status string) func(*Server) {
	return func(s *Server) {
		s.ReshapePending(func(record map[string]any) map[string]any {
			for _, name := range []string{"status", "phase"} {
				if record[name] == StatusPending {
					record[name] = status
				}
			}
			return record
		})
	}
}

// paged limits the list of pending requests to its first record and says that there are more.
// The interface shows no pages (section 8); these signs are common in other services.
func paged(sign string) func(*Server) {
	return func(s *Server) {
		s.Change(func(_ Request, a *Response) {
			records, ok := a.Body.([]map[string]any)
			if !ok {
				return
			}

			more := len(records) > 1
			var next any
			if more {
				next = "https://service.example.com/pending-requests?page=2" // which no client can reach
			}
			signs := map[string]any{"has_more": more, "total": len(records), "next": next}

			records = records[:min(1, len(records))]
			a.Body = records
			if value, inBody := signs[sign]; inBody {
				a.Body = map[string]any{"requests": records, sign: value}
			} else if more {
				a.Header.Set("Link", fmt.Sprintf(`<%s>; rel="next"`, next))
			}
		})
	}
}

// in puts an answer under names, the outermost first.
func in[T any](names ...string) func(T) any {
	return func(body T) any {
		v := any(body)
		for _, name := range slices.Backward(names) {
			v = map[string]any{name: v}
		}
		return v
	}
}

// always answers with v.
func always[T any](v any) func(T) any { return func(T) any { return v } }

// renamed gives members of an object other names, in pairs of names.
func renamed(names ...string) func(map[string]any) any {
	return func(object map[string]any) any { return rename(object, names...) }
}

// timeAs writes agreement_time in another format.
func timeAs(format func(time.Time) any) func(*Server) {
	return consentsAs(func(record map[string]any) any {
		text, _ := record["agreement_time"].(string)
		t, err := time.Parse(time.RFC3339, text)
		if number, ok := record["agreement_time"].(json.Number); ok {
			var ms int64
			ms, err = number.Int64()
			t = time.UnixMilli(ms)
		}

		if err == nil {
			record["agreement_time"] = format(t.UTC())
		}

		return record
	})
}

// camelCased gives all members of an object names in camel case.
func camelCased(object map[string]any) any {
	for _, name := range slices.Collect(maps.Keys(object)) {
		words := strings.Split(name, "_")
		for i := range words[1:] {
			words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
		}
		rename(object, name, strings.Join(words, ""))
	}
	return object
}

// clockAhead moves the Date of every answer.
func clockAhead(by time.Duration) func(*Server) {
	return func(s *Server) {
		s.Change(func(_ Request, a *Response) { a.Header.Set("Date", s.now().Add(by).UTC().Format(http.TimeFormat)) })
	}
}
