package contract

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// checkPath wants every segment exactly percent-encoded: the identifiers of
// section 2 are one path segment each, and nothing on the way to the service may
// read them in two ways.
func (x *exchange) checkPath(r *http.Request) {
	const inexact = ": is not percent-encoded exactly: the unreserved characters of RFC 3986 as they are, " +
		"every other byte in upper-case hexadecimal (section 2, Identifiers)"
	path := r.URL.EscapedPath()
	// The URL shows some characters encoded that were not; the request line does not,
	// but may begin with a prefix that was taken off the URL.
	if line, _, _ := strings.Cut(r.RequestURI, "?"); line != "" && !strings.HasSuffix(line, path) {
		x.violated("path" + inexact)
	}
	for i, segment := range strings.Split(path, "/") {
		name := "path segment " + strconv.Itoa(i)
		if x.route != nil {
			name = "path " + strings.Split(x.route.Path, "/")[i]
		}
		value, _ := url.PathUnescape(segment) // what EscapedPath gives is well-formed
		switch {
		case value == "." || value == "..":
			x.violated(name + `: is "." or "..", which a path does not keep (section 2, Identifiers)`)
		case escape(value) != segment:
			x.violated(name + inexact)
		}
	}
}

// escape is written out because url.PathEscape leaves several reserved characters
// as they are.
func escape(value string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(value) {
		c := value[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}
