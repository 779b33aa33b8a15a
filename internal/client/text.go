package client

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ValidateVisible refuses text that differs from what people see: blanks around it, and
// characters anywhere that are not seen or change how the rest is shown. Two identifiers
// that look alike would be two people. A plain space inside is allowed.
//
// The error completes a sentence about the value. It names the character and its place,
// counted in bytes from 0, and never the rest of the value, which may be a person's
// address.
func ValidateVisible(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("is not valid UTF-8")
	}
	if strings.TrimSpace(s) == "" {
		return errors.New("consists of spaces only")
	}

	for i, r := range s {
		if unicode.IsControl(r) {
			return fmt.Errorf("contains the control character %U at byte %d", r, i)
		}

		atEdge := i == 0 || i+utf8.RuneLen(r) == len(s)
		if atEdge && unicode.IsSpace(r) {
			return fmt.Errorf("begins or ends with a space, %U at byte %d", r, i)
		}
		if r != ' ' && unicode.In(r, invisible...) {
			return fmt.Errorf("contains a character that cannot be seen, %U at byte %d", r, i)
		}
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

// escapeText makes text harmless to print: one line, no control or invisible
// characters, valid UTF-8, at most limit characters.
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
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case r == utf8.RuneError || !unicode.IsPrint(r) && r != ' ':
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
