package contract

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

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
