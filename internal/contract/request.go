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
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded"
)

// formats are those that the document uses. The ones that kin-openapi comes with
// accept the 31st of February, or are shared by the whole process.
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

// checkRequest compares a request with its operation. body is nil where there is
// none; complete is false where the client stopped in the middle of it.
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
	bodyByDocument := complete && x.checkBody(r.Header.Get("Content-Type"), body)
	schema := x.movable()
	if schema != nil && complete {
		x.checkMovable(schema, query, r.Header.Get("Content-Type"), body)
	}
	x.checkByDocument(r, body, openapi3filter.Options{
		ExcludeRequestBody:        !bodyByDocument,
		ExcludeRequestQueryParams: schema != nil,
	})
}

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

// bearer is a header with a token as RFC 6750 writes it. The scheme is in lower
// case in section 5, and a service that compares literally is within its rights.
var bearer = regexp.MustCompile(`^bearer [A-Za-z0-9\-._~+/]+=*$`)

// checkCredentials wants exactly one of the two methods of section 5, and none
// where the operation takes none.
func (x *exchange) checkCredentials(headers, keys []string) {
	security := x.route.Operation.Security
	if security != nil && len(*security) == 0 {
		if len(headers)+len(keys) > 0 {
			x.violated("credentials: the operation takes none (section 5, rule 1)")
		}
		return
	}
	switch count := len(headers) + len(keys); {
	case count == 0:
		x.violated("credentials: there are none (section 5)")
	case count > 1:
		x.violated("credentials: there is more than one, and one of two methods is accepted (section 5)")
	}
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

// checkQuery wants the declared parameters alone, each at most once. A name that
// is not declared may itself be private, so only their number is told.
func (x *exchange) checkQuery(query url.Values) {
	undeclared := 0
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case name == secretParameter: // checkCredentials has looked at it
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

// checkBody looks at what no schema can say of a body, and reports whether the
// document's schema is to be applied to it.
func (x *exchange) checkBody(contentType string, body []byte) bool {
	declared := x.route.Operation.RequestBody
	if declared == nil {
		if len(body) > 0 {
			x.violated("body: the operation takes none (section 4)")
		}
		return false
	}
	switch media := mediaType(contentType); {
	case len(body) == 0:
		return true
	case declared.Value.Content.Get(media) == nil:
		x.violated("body: its Content-Type is not one that the operation declares (section 4)")
		return false
	case media == mediaJSON && !jsontext.Value(body).IsValid():
		x.violated("body: is not one valid JSON value without repeated names (section 4)")
		return false
	default:
		return media == mediaJSON
	}
}

// mediaType is the type without its parameters, or "".
func mediaType(contentType string) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return media
}
