// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
)

// Response is the answer of an operation before it is sent.
type Response struct {
	Status int
	Header http.Header
	// Body is encoded as JSON; a PlainText is sent as it is. That of an export is generated
	// while it is sent.
	Body any
	// Receipt reports whether this is the answer to a request that the service has queued.
	Receipt bool

	encoded []byte        // Body as it is sent, or
	stream  *exportStream // what generates it
}

// PlainText is a Response.Body that is not JSON.
type PlainText string

// NoContent is answered with 204 and no body.
const NoContent PlainText = ""

// Change adds a step that changes each answer of the service, in place, before it is sent. The
// steps run in the order in which they were added.
func (s *Server) Change(step func(Request, *Response)) { s.steps = append(s.steps, step) }

// Reshape replaces the bodies of some operations' answers by what change makes of them. Errors,
// receipts, and bodies of another type than T stay as they are.
func Reshape[T, U any](s *Server, change func(T) U, operations ...string) {
	s.Change(func(r Request, a *Response) {
		body, ok := a.Body.(T)
		if ok && !a.Receipt && a.Status < http.StatusBadRequest && slices.Contains(operations, r.Operation) {
			a.Body = change(body)
		}
	})
}

// ReshapeConsents is Reshape for the records that both consent operations answer with.
func (s *Server) ReshapeConsents(change func(record map[string]any) any) {
	Reshape(s, change, OpGetConsent, OpUpdateConsent)
}

// Receipts returns what answers requests that were queued with a status, and with what change
// makes of their record.
func Receipts(status int, change func(record any) any) func(*Server) {
	return func(s *Server) {
		s.Change(func(_ Request, a *Response) {
			if a.Receipt {
				a.Status, a.Body = status, change(a.Body)
			}
		})
	}
}

// ReshapePending replaces each record on the list of pending requests.
func (s *Server) ReshapePending(change func(record map[string]any) map[string]any) {
	Reshape(s, func(records []map[string]any) any {
		for i := range records {
			records[i] = change(records[i])
		}
		return records
	}, OpListPendingRequests)
}

// RenamePending gives members of each record on the list of pending requests other names, in
// pairs of names. An empty other name takes the member away.
func (s *Server) RenamePending(names ...string) {
	s.ReshapePending(renamed(names...))
}

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

// fieldError is an objection to one parameter, as it appears in the body of an error.
type fieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// problem is what the body of every error has, in a member "error". The interface shows
// none (section 7), so its form is an assumption.
type problem struct {
	Code    string       `json:"code"`
	Message string       `json:"message"`
	Fields  []fieldError `json:"fields,omitempty"`
}

// success returns a 200 with v as JSON.
func success(v any) Response {
	return Response{Status: http.StatusOK, Header: http.Header{}, Body: v}
}

func failure(status int, code, message string, fields ...fieldError) Response {
	return Response{Status: status, Header: http.Header{}, Body: map[string]problem{"error": {code, message, fields}}}
}

func unknownRoute() Response {
	return failure(http.StatusNotFound, "unknown_route", "There is no such endpoint.")
}

func invalid(fields ...fieldError) Response {
	return failure(http.StatusBadRequest, "invalid_parameters", "Some parameters are missing or wrong.", fields...)
}

// encode sets what is sent as the body, and the header fields that it decides.
func (a *Response) encode() {
	media := "application/json"
	switch v := a.Body.(type) {
	case *exportStream:
		a.stream = v
		if v.Shape == ExportNDJSON {
			media = "application/x-ndjson"
		}
		if v.Encoding != "" {
			a.Header.Set("Content-Encoding", v.Encoding)
		}
	case raw:
		a.encoded, media = v, ""
	case PlainText:
		a.encoded, media = []byte(v), "text/plain"
		if v == NoContent {
			a.Status, media = http.StatusNoContent, ""
		}
	default:
		a.encoded = encode(v)
	}
	if len(a.encoded) > 0 {
		a.Header.Set("Content-Length", strconv.Itoa(len(a.encoded)))
	}

	if a.Header.Get("Content-Type") == "" && media != "" {
		a.Header.Set("Content-Type", media)
	}
}

// encode returns v as JSON. It panics if v cannot be encoded, which only the hook of a
// test can cause. encoding/json writes a json.Number as a number.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
