package mockserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
)

// NoContent is returned by a hook such as Server.ConsentAnswer to have the request
// answered with 204 and no body.
var NoContent any = noContent{}

type noContent struct{}

// FieldError is an objection to one parameter, as it appears in the body of an error.
type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// errorBody is the body of every error. The interface shows none (section 7), so its
// form is an assumption.
type errorBody struct {
	Error struct {
		Code    string       `json:"code"`
		Message string       `json:"message"`
		Fields  []FieldError `json:"fields,omitempty"`
	} `json:"error"`
}

// ErrorBody returns the JSON that the server sends with an error, for tests that
// script one with Fault.Body (section 7).
func ErrorBody(code, message string, fields ...FieldError) []byte {
	var b errorBody
	b.Error.Code, b.Error.Message, b.Error.Fields = code, message, fields
	return encode(b)
}

// answer is the answer of an operation.
type answer struct {
	status int
	header http.Header
	body   []byte        // nil: no body
	media  string        // of the body; empty is JSON
	export *exportStream // replaces header and body; generated while it is sent
}

// success returns a 200 with v as JSON, or a 204 if v is NoContent.
func success(v any) answer {
	if v == NoContent {
		return answer{status: http.StatusNoContent}
	}
	return answer{status: http.StatusOK, body: encode(v)}
}

// accepted returns the answer to a deferred request. status 0 is 202, which is an
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

// reformed returns an error in another form.
func (a answer) reformed(form func(errorParts) (any, string)) answer {
	var b errorBody
	_ = json.Unmarshal(a.body, &b) // failure has encoded it

	body, media := form(errorParts{Code: b.Error.Code, Message: b.Error.Message, Errors: b.Error.Fields})
	a.media = media
	if text, ok := body.(string); ok {
		a.body = []byte(text)
		return a
	}

	a.body = encode(body)

	return a
}

func (a answer) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	if a.export != nil {
		a.export.send(w)
		return
	}

	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}

	w.Header().Set("Content-Type", cmp.Or(a.media, "application/json"))
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
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
