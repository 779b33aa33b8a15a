// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
)

// Response is the answer of an operation before it is sent.
type Response struct {
	Status int
	Header http.Header
	// Body is encoded as JSON, unless it is a []byte. That of an export is generated while it is sent.
	Body any
	// Receipt reports whether this is the answer to a request that the service has queued.
	Receipt bool

	encoded []byte // Body as it is sent; nil if it is generated
}

// Change adds a step, behind those before, that changes each answer of the service before it is sent.
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

// ReshapePending changes each record on the list of pending requests.
func (s *Server) ReshapePending(change func(record map[string]any)) {
	Reshape(s, func(records []map[string]any) any {
		for _, record := range records {
			change(record)
		}
		return records
	}, OpListPendingRequests)
}

// success returns a 200 with v as JSON.
func success(v any) Response {
	return Response{Status: http.StatusOK, Header: http.Header{}, Body: v}
}

// failure returns an error with objections to parameters by their names, if there are some.
func failure(status int, code, message string, objections map[string]string) Response {
	problem := map[string]any{"code": code, "message": message}
	if objections != nil {
		problem["fields"] = objections
	}
	return Response{Status: status, Header: http.Header{}, Body: map[string]any{"error": problem}}
}

func invalid(objections map[string]string) Response {
	return failure(http.StatusBadRequest, "invalid_parameters", "Some parameters are missing or wrong.", objections)
}

// encode sets what is sent as the body, unless it is generated, and the header fields of content.
func (a *Response) encode() {
	switch body := a.Body.(type) {
	case *exportStream:
	case []byte:
		a.encoded = body
	default:
		a.encoded = encode(body)
	}

	if len(a.encoded) > 0 {
		a.Header.Set("Content-Length", strconv.Itoa(len(a.encoded)))
		a.Header.Set("Content-Type", cmp.Or(a.Header.Get("Content-Type"), "application/json"))
	}
}

// encode returns v as JSON. It panics where that cannot be, because of the hook of a test.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
