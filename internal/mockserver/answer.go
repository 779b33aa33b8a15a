package mockserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
)

// NoContent is what the hooks that make an answer return to have it be 204.
var NoContent any = noContent{}

type noContent struct{}

// FieldError says what is wrong with one parameter.
type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// errorBody is the body of every error. The interface shows none (section 7): it is
// an assumption.
type errorBody struct {
	Error struct {
		Code    string       `json:"code"`
		Message string       `json:"message"`
		Fields  []FieldError `json:"fields,omitempty"`
	} `json:"error"`
}

// ErrorBody is the JSON that the server sends with an error, for scripted ones.
func ErrorBody(code, message string, fields ...FieldError) []byte {
	var b errorBody
	b.Error.Code, b.Error.Message, b.Error.Fields = code, message, fields
	return encode(b)
}

// answer is what an operation answers; a nil body is none. An export is made while it
// is sent.
type answer struct {
	status int
	header http.Header
	body   []byte
	export *exported
}

func success(v any) answer {
	if v == NoContent {
		return answer{status: http.StatusNoContent}
	}
	return answer{status: http.StatusOK, body: encode(v)}
}

// accepted answers a deferred request with a status. That it is 202 by default is an
// assumption.
func accepted(status int, v any) answer {
	a := success(v)
	if a.status == http.StatusOK {
		a.status = cmp.Or(status, http.StatusAccepted)
	}
	return a
}

func failure(status int, code, message string, fields ...FieldError) answer {
	return answer{status: status, body: ErrorBody(code, message, fields...)}
}

func (a answer) write(w http.ResponseWriter) {
	if a.export != nil {
		a.export.send(w)
		return
	}
	maps.Copy(w.Header(), a.header)
	if a.body != nil {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	if a.body != nil {
		_, _ = w.Write(a.body)
	}
}

// encode panics on what is not JSON: only a hook of a test can return that. It is
// encoding/json because json.Number stays a number there.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
