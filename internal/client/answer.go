package client

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits on what is held of an answer in memory, in bytes after decompression.
// The interface names none (section 8).
const (
	LimitJSON  = 32 << 20
	LimitError = 64 << 10
)

// answer is what a call got: the status, and the JSON text where there was a body.
type answer struct {
	call   *call
	status int
	json   jsontext.Value
}

// wantBody refuses an answer without a body.
func (a answer) wantBody() error {
	if len(a.json) == 0 {
		return a.call.fail(KindEmpty, a.status, "the answer has no body")
	}
	return nil
}

// complaint is the error that an answer with a status of success holds all the
// same; nil where it holds none.
func (a answer) complaint() error {
	said, failed := complaintInside(a.json)
	if !failed {
		return nil
	}
	e := a.call.fail(KindRejected, a.status, "the answer has a status of success and an error inside")
	e.Ambiguous = false
	a.call.quote(e, said)
	return e
}

// unexpected is an answer that is JSON and yet not what was asked for.
func (a answer) unexpected(detail string) error {
	return a.call.fail(KindPayload, a.status, detail)
}

// readAnswer judges a response: any 2xx with JSON or without a body is an answer,
// everything else an *Error. It reads the body to its end, so that a cut shows
// here, inside the retries.
func (k *call) readAnswer(resp *http.Response) (answer, error) {
	defer resp.Body.Close()
	success := resp.StatusCode/100 == 2
	limit := int64(LimitJSON)
	if !success {
		limit = LimitError
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if !success {
		// What an error's body was cut off from does not change what the error is.
		return answer{}, k.statusError(resp, body[:min(len(body), LimitError)])
	}
	if err != nil {
		return answer{}, k.transportError(err)
	}
	if int64(len(body)) > limit {
		return answer{}, k.fail(KindTooLarge, resp.StatusCode, "the answer is larger than "+strconv.Itoa(LimitJSON>>20)+" MiB")
	}
	return k.successAnswer(resp, body)
}

func (k *call) successAnswer(resp *http.Response, body []byte) (answer, error) {
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	if len(bytes.TrimSpace(body)) == 0 {
		return answer{call: k, status: resp.StatusCode}, nil
	}
	v, err := parseJSON(body)
	switch {
	case err == nil:
		return answer{call: k, status: resp.StatusCode, json: v}, nil
	case isPage(resp, body):
		e := k.fail(KindNotJSON, resp.StatusCode, "the answer is a page that begins with "+strconv.Quote(k.redact.excerpt(body)))
		e.Code = mediaType(resp)
		return answer{}, e
	case errors.Is(err, io.ErrUnexpectedEOF):
		return answer{}, k.fail(KindTruncated, resp.StatusCode, "the JSON ends in the middle")
	default:
		return answer{}, k.fail(KindPayload, resp.StatusCode, describeSyntax(err))
	}
}

// parseJSON accepts exactly one JSON value: valid UTF-8, no name twice in an
// object, nothing behind it but white space.
func parseJSON(body []byte) (jsontext.Value, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	v, err := dec.ReadValue()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	v = v.Clone()
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errTrailing
	}
	return v, nil
}

var errTrailing = errors.New("there is something behind the JSON value")

// describeSyntax says what is wrong with JSON without quoting any of it.
func describeSyntax(err error) string {
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		return err.Error()
	}
	where := " at byte " + strconv.FormatInt(syntactic.ByteOffset, 10)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return "the JSON has a name twice in one object," + where
	}
	return "the JSON is not valid" + where
}

// isPage reports whether the body is meant for people: by its declared type, or
// because it begins like markup.
func isPage(resp *http.Response, body []byte) bool {
	text := bytes.TrimSpace(body)
	switch mediaType(resp) {
	case "text/html", "application/xhtml+xml":
		return true
	case "text/plain", "text/xml", "application/xml":
		// JSON under another name, broken as it may be, is a record.
		return !bytes.HasPrefix(text, []byte("{")) && !bytes.HasPrefix(text, []byte("["))
	}
	return bytes.HasPrefix(text, []byte("<"))
}

// mediaType is the declared type of a body, safe to show.
func mediaType(resp *http.Response) string {
	t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || t == "" {
		return "no content type"
	}
	return escapeText(t, 60)
}
