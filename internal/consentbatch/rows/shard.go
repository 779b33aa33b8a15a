// SPDX-License-Identifier: MPL-2.0

package rows

import (
	"crypto/sha256"
	"encoding/binary"
)

// Shard selects a part of the rows of a file. The shards with the same Count and every Index
// below it have each row once. The zero Shard has all rows.
type Shard struct {
	Index, Count uint64
}

// Has reports whether the row of a person belongs to the shard: whether the first eight bytes
// of the SHA-256 of the identity, as a big-endian number, modulo Count are Index. Users split
// files by the same rule, so it must not change.
func (s Shard) Has(identity string) bool {
	if s.Count == 0 {
		return true
	}

	sum := sha256.Sum256([]byte(identity))
	return binary.BigEndian.Uint64(sum[:])%s.Count == s.Index
}

// Sum returns a hash of the values of all rows, in their order. It does not depend on the
// format or on the lines. States hold digests of it, so it must not change.
func Sum(rows []Row) (sum [sha256.Size]byte) {
	hash := sha256.New()
	var buffer []byte
	for _, row := range rows {
		buffer = row.appendTo(buffer[:0])
		hash.Write(buffer)
	}

	hash.Sum(sum[:0])

	return sum
}
