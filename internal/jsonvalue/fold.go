// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"unicode"
	"unicode/utf8"
)

// AppendFolded appends the letters and digits of a name or of a word in lower case, so that
// recordType, record_type and Record-Type are one.
func AppendFolded[T ~string | ~[]byte](folded []byte, name T) []byte {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= utf8.RuneSelf:
			for _, r := range string(name[i:]) {
				if unicode.IsLetter(r) || unicode.IsDigit(r) {
					folded = utf8.AppendRune(folded, unicode.ToLower(r))
				}
			}
			return folded
		case 'A' <= c && c <= 'Z':
			folded = append(folded, c+'a'-'A')
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			folded = append(folded, c)
		}
	}

	return folded
}

// Fold returns a name or a word folded.
func Fold(name string) string { return string(AppendFolded(nil, name)) }
