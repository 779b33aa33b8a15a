// SPDX-License-Identifier: MPL-2.0

package consentbatch

import "testing"

func TestDigest_knowsItsContentAndHidesIt(t *testing.T) {
	t.Parallel()
	a := digestLike("", contentSum{1})
	for name, tc := range map[string]struct {
		prior string
		sum   contentSum
		same  bool
	}{
		"the same content":       {a, contentSum{1}, true},
		"another content":        {a, contentSum{2}, false},
		"another salt":           {"", contentSum{1}, false},
		"a digest of other form": {"md5$x$y", contentSum{1}, false},
		"a salt of other length": {"pbkdf2-sha256$200000$AAAA$AAAA", contentSum{1}, false},
	} {
		b := digestLike(tc.prior, tc.sum)
		if (a == b) != tc.same || len(b) != len(a) {
			t.Errorf("%s: %s and %s", name, a, b)
		}
	}
}
