package consentbatch

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
)

// A digest in state notices that the content has changed. Whoever reads state must not
// find out by it who is in the content: a plain hash of a file with few people could be
// tried against guessed files. So it is salted, and slow to compute.
const (
	digestName       = "pbkdf2-sha256"
	digestIterations = 200_000
	digestSaltBytes  = 16
)

// contentSum is the SHA-256 of a content. It stays in memory.
type contentSum = [sha256.Size]byte

// newDigest is the digest of a content, with a salt of its own.
func newDigest(sum contentSum) (string, error) {
	salt := make([]byte, digestSaltBytes)
	_, _ = rand.Read(salt) // never fails
	return saltedDigest(sum, salt)
}

// digestLike is the digest of a content with the salt of another: two plans of the same
// change have to say the same. Without another, the salt is new.
func digestLike(other string, sum contentSum) (string, error) {
	parts := strings.Split(other, "$")
	if len(parts) == 4 {
		if salt, err := base64.RawStdEncoding.DecodeString(parts[2]); err == nil && len(salt) == digestSaltBytes {
			return saltedDigest(sum, salt)
		}
	}
	return newDigest(sum)
}

func saltedDigest(sum contentSum, salt []byte) (string, error) {
	key, err := pbkdf2.Key(sha256.New, string(sum[:]), salt, digestIterations, sha256.Size)
	if err != nil {
		return "", err
	}
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("%s$%d$%s$%s", digestName, digestIterations, encode(salt), encode(key)), nil
}

func sameDigest(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
