package consentbatch

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// A digest in state shows whether the content has changed, and must not tell who is in it: a
// plain hash of a file with few people could be compared with the hashes of guessed files.
// So it is salted, and slow to compute.
const (
	digestName       = "pbkdf2-sha256"
	digestIterations = 200_000
	digestSaltBytes  = 16
)

// keyIterations is digestIterations, except in tests: with the race detector, one digest of
// so many takes a second.
var keyIterations = digestIterations

// contentSum is the SHA-256 hash of a content. It is kept in memory only.
type contentSum = [sha256.Size]byte

// digestLike returns the digest of a content with the salt of another digest, so that two
// plans of the same change are equal. If that has no salt, a random one is used.
func digestLike(other string, sum contentSum) string {
	parts := strings.Split(other, "$")
	if len(parts) == 4 {
		if salt, err := base64.RawStdEncoding.DecodeString(parts[2]); err == nil && len(salt) == digestSaltBytes {
			return saltedDigest(sum, salt)
		}
	}

	salt := make([]byte, digestSaltBytes)
	_, _ = rand.Read(salt) // never fails

	return saltedDigest(sum, salt)
}

// firstDigest returns the digest of a content that has none in state. Its salt is derived from
// what both plans of an apply know: the scope, and the path of the file.
func firstDigest(scope client.Scope, source string, sum contentSum) string {
	from := fmt.Sprintf("analytics_consent_batch\n%q\n%q\n%q\n%q", scope.OrgID, scope.ProjectID, scope.AccountID, source)
	salt := sha256.Sum256([]byte(from))

	return saltedDigest(sum, salt[:digestSaltBytes])
}

func saltedDigest(sum contentSum, salt []byte) string {
	from := digestInput{sum, string(salt)}
	digest, found := computed.Load(from)
	if !found {
		key, err := pbkdf2.Key(sha256.New, string(sum[:]), salt, keyIterations, sha256.Size)
		if err != nil { // salt and key are too short, which they are not
			panic(err)
		}
		digest = base64.RawStdEncoding.EncodeToString(key)
		computed.Store(from, digest)
	}

	return fmt.Sprintf("%s$%d$%s$%s", digestName, digestIterations, base64.RawStdEncoding.EncodeToString(salt), digest)
}

// computed caches the digests of this process by digestInput, since a plan and its apply need the
// same one.
var computed sync.Map

type digestInput struct {
	sum  contentSum
	salt string
}

// sameDigest reports whether two digests are equal, in a time that does not depend on them.
func sameDigest(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
