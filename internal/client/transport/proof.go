// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"
	"net/http"
	"slices"
	"strings"
)

// digestFields are the fields with the digest of an answer as it is sent (RFC 9530), in its header or
// behind it.
var digestFields = []string{"Content-Digest", "Repr-Digest"}

// harmlessTrailers are trailer fields that say nothing about whether the answer is whole.
var harmlessTrailers = append([]string{"Digest", "Content-Md5", "Etag", "Date", "Server-Timing"}, digestFields...)

// digests are the digests of a body while it is read; empty where the service sends none.
type digests map[string]hash.Hash

// digestsOf returns the digests that a response names, or says to name behind its body.
func digestsOf(resp *http.Response) digests {
	for _, name := range digestFields {
		if _, announced := resp.Trailer[name]; announced || resp.Header.Get(name) != "" {
			return digests{"sha-256": sha256.New(), "sha-512": sha512.New()}
		}
	}
	return nil
}

// differs reports whether a field has a digest of a known algorithm that is not the one of the body.
func (d digests) differs(field string) bool {
	for entry := range strings.SplitSeq(field, ",") {
		algorithm, value, _ := strings.Cut(strings.TrimSpace(entry), "=")
		sum, isKnown := d[strings.ToLower(algorithm)]
		if !isKnown {
			continue
		}

		want, err := base64.StdEncoding.DecodeString(strings.Trim(value, ":"))
		if err != nil || !bytes.Equal(want, sum.Sum(nil)) {
			return true
		}
	}

	return false
}

// EndError returns the error of a stream that was read to its end and is not the whole answer: it has
// another digest, or a trailer field that is not recognised, by which a service may say that it failed
// after it had begun to answer. isIgnored reports the fields that say nothing.
func (a Answer) EndError(isIgnored func(field string) bool) error {
	body, _ := a.Response.Body.(*attemptBody)
	for _, name := range digestFields {
		if slices.ContainsFunc(slices.Concat(a.Response.Header.Values(name), a.Response.Trailer.Values(name)), body.sums.differs) {
			return NewError(a.Exchange, ClassTruncated, "the answer is not the one that its "+name+" describes")
		}
	}

	for name, values := range a.Response.Trailer {
		if strings.Join(values, "") != "" && !slices.Contains(harmlessTrailers, name) && !isIgnored(name) {
			return NewError(a.Exchange, ClassPayload, "the answer ends with the trailer field "+name+", which may say that it failed; if it says nothing, wire.ignored leaves it out")
		}
	}

	return nil
}
