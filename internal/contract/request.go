// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded"
)

// formats are the string formats of the document. Those of kin-openapi accept the 31st
// of February, or are registered for the whole process.
var formats = openapi3.WithStringFormatValidators(map[string]openapi3.StringFormatValidator{
	"date": openapi3.NewCallbackValidator(func(s string) error {
		_, err := time.Parse(time.DateOnly, s)
		return err
	}),
	"ipv6": openapi3.NewCallbackValidator(func(s string) error {
		if a, err := netip.ParseAddr(s); err != nil || !a.Is6() || a.Zone() != "" {
			return errors.New("not an IPv6 address")
		}
		return nil
	}),
})

// request is the part of a request that the checks share.
type request struct {
	query       url.Values
	contentType string
	body        []byte // empty without a body
	complete    bool   // the client sent all of the body
}

// checkRequest compares a request with its operation.
func (x *exchange) checkRequest(r *http.Request, body []byte, complete bool) {
	x.checkPath(r)
	if x.route == nil {
		x.violated("section 4 has no operation with this path and method")
		return
	}

	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		x.violated("query: is not well-formed (section 4)")
	}
	x.checkCredentials(r.Header.Values("Authorization"), query[secretParameter])
	x.checkQuery(query)

	sent := request{query: query, contentType: r.Header.Get("Content-Type"), body: body, complete: complete}
	validateBody := x.checkParameters(sent)

	x.checkByDocument(r, body, openapi3filter.Options{
		ExcludeRequestBody:        !validateBody,
		ExcludeRequestQueryParams: x.movable() != nil,
	})
}

// checkParameters checks the body and the place of the parameters, and reports whether
// the document's schema applies to the body.
func (x *exchange) checkParameters(sent request) (validateBody bool) {
	if !sent.complete {
		return false
	}

	validateBody = x.checkBody(sent)
	if schema := x.movable(); schema != nil {
		x.checkMovable(schema, sent)
	}

	return validateBody
}

// checkByDocument validates a request with kin-openapi.
func (x *exchange) checkByDocument(r *http.Request, body []byte, options openapi3filter.Options) {
	options.MultiError = true
	options.AuthenticationFunc = openapi3filter.NoopAuthenticationFunc
	options.SchemaValidationOptions = []openapi3.SchemaValidationOption{formats}

	x.input.Request = r.Clone(r.Context())
	x.input.Request.Body = io.NopCloser(bytes.NewReader(body))
	x.input.Request.GetBody = nil
	x.input.Options = &options

	for _, text := range describe(openapi3filter.ValidateRequest(r.Context(), x.input)) {
		x.violated(text + " (section 4)")
	}
}

// bearer matches an Authorization header as in RFC 6750, with the scheme in lower case,
// as section 5 shows it: a service may compare it literally.
var bearer = regexp.MustCompile(`^bearer [A-Za-z0-9\-._~+/]+=*$`)

// checkCredentials requires exactly one of the two methods of section 5, or none if the
// operation takes none.
func (x *exchange) checkCredentials(headers, keys []string) {
	count := len(headers) + len(keys)
	if x.takesNoCredentials() {
		if count > 0 {
			x.violated("credentials: the operation takes none (section 5, rule 1)")
		}
		return
	}

	if count == 0 {
		x.violated("credentials: there are none (section 5)")
	}
	if count > 1 {
		x.violated("credentials: there is more than one, and one of two methods is accepted (section 5)")
	}
	x.checkCredentialForms(headers, keys)
}

// takesNoCredentials reports whether the operation declares an empty list of methods.
// An operation without a list takes those of the document.
func (x *exchange) takesNoCredentials() bool {
	security := x.route.Operation.Security
	return security != nil && len(*security) == 0
}

func (x *exchange) checkCredentialForms(headers, keys []string) {
	for _, header := range headers {
		if !bearer.MatchString(header) {
			x.violated(`header Authorization: is not exactly "bearer <JWT>" with the scheme in lower case (section 5)`)
		}
	}

	for _, key := range keys {
		if key == "" {
			x.violated("query parameter " + secretParameter + ": is empty (section 5)")
		}
	}
}

// checkQuery allows only the parameters that the operation declares, each at most once.
// The names of others may be private, so only their number is reported.
func (x *exchange) checkQuery(query url.Values) {
	undeclared := 0
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case name == secretParameter: // see checkCredentials
		case x.route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil:
			undeclared++
		case len(query[name]) > 1:
			x.violated("query parameter " + name + ": is there more than once (section 4)")
		}
	}

	if undeclared > 0 {
		x.violated("query: parameters that the operation does not declare: " + strconv.Itoa(undeclared) + " (section 4)")
	}
}

// checkBody checks what a schema cannot express, and reports whether the document's
// schema applies to the body.
func (x *exchange) checkBody(sent request) (validate bool) {
	declared := x.route.Operation.RequestBody
	if declared == nil {
		if len(sent.body) > 0 {
			x.violated("body: the operation takes none (section 4)")
		}
		return false
	}
	if len(sent.body) == 0 {
		return true
	}

	media := mediaType(sent.contentType)
	if declared.Value.Content.Get(media) == nil {
		x.violated("body: its Content-Type is not one that the operation declares (section 4)")
		return false
	}
	if media != mediaJSON {
		return false
	}

	if !jsontext.Value(sent.body).IsValid() {
		x.violated("body: is not one valid JSON value without repeated names (section 4)")
		return false
	}

	return true
}

// mediaType returns the media type without its parameters, or "" if it cannot be read.
func mediaType(contentType string) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return media
}

const notEncodedExactly = ": is not percent-encoded exactly: the unreserved characters of RFC 3986 as they are, " +
	"every other byte in upper-case hexadecimal (section 2, Identifiers)"

// checkPath requires every segment to be exactly percent-encoded: an identifier of
// section 2 is one path segment, and nothing on the way to the service may read it in
// two ways.
func (x *exchange) checkPath(r *http.Request) {
	path := r.URL.EscapedPath()

	// EscapedPath encodes some characters that the request line may have had as they are.
	// The request line may begin with a prefix that was removed from the URL.
	if line, _, _ := strings.Cut(r.RequestURI, "?"); line != "" && !strings.HasSuffix(line, path) {
		x.violated("path" + notEncodedExactly)
	}

	for i, segment := range strings.Split(path, "/") {
		x.checkSegment(i, segment)
	}
}

func (x *exchange) checkSegment(i int, segment string) {
	name := "path segment " + strconv.Itoa(i)
	if x.route != nil {
		name = "path " + strings.Split(x.route.Path, "/")[i]
	}

	value, _ := url.PathUnescape(segment) // EscapedPath is well-formed
	if value == "." || value == ".." {
		x.violated(name + `: is "." or "..", which a path does not keep (section 2, Identifiers)`)
		return
	}

	if escape(value) != segment {
		x.violated(name + notEncodedExactly)
	}
}

// escape percent-encodes all bytes but the unreserved characters of RFC 3986.
// url.PathEscape keeps several reserved characters.
func escape(value string) string {
	const hex = "0123456789ABCDEF"

	var b strings.Builder
	for i := range len(value) {
		c := value[i]
		if isUnreserved(c) {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}

	return b.String()
}

func isUnreserved(c byte) bool {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	return strings.IndexByte(unreserved, c) >= 0
}
