// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ValidateVisible returns an error for text that differs from what people see: blanks
// around it, and characters that are invisible or change how the rest is shown. Two
// identifiers that look alike would be two people. A plain space inside is allowed.
//
// The error completes a sentence about the value. It names the character and its place,
// counted in bytes from 0, and never the rest of the value, which may be an e-mail address.
func ValidateVisible(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("is not valid UTF-8")
	}
	if strings.TrimSpace(s) == "" {
		return errors.New("consists of spaces only")
	}

	for i, r := range s {
		if '!' <= r && r <= '~' { // most of what is sent, and always visible
			continue
		}

		var problem string
		atEdge := i == 0 || i+utf8.RuneLen(r) == len(s)
		switch {
		case unicode.IsControl(r):
			problem = "contains the control character"
		case atEdge && unicode.IsSpace(r):
			problem = "begins or ends with a space,"
		case r != ' ' && unicode.In(r, invisible...):
			problem = "contains a character that cannot be seen,"
		default:
			continue
		}

		return fmt.Errorf("%s %U at byte %d", problem, r, i)
	}

	return nil
}

// invisible are the characters without a shape of their own: spaces other than the plain
// one, separators of lines, formatting such as direction marks, soft hyphens and joiners,
// fillers, and selectors of a variation.
var invisible = []*unicode.RangeTable{
	unicode.Z, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point,
	{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}}}, // the blank of Braille
}

// escapeText returns text that is harmless to print: one line, no control or invisible
// characters, valid UTF-8. More than limit characters are cut, with an ellipsis.
func escapeText(s string, limit int) string {
	var b strings.Builder
	count := 0
	for _, r := range strings.TrimSpace(s) {
		if count == limit {
			b.WriteString("…")
			break
		}
		count++

		switch {
		case strings.ContainsRune("\n\r\t", r):
			b.WriteByte(' ')
		case unicode.IsPrint(r) && r != utf8.RuneError:
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}

	return b.String()
}
