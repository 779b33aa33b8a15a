package consentbatch

import "testing"

func TestDigest_knowsItsContentAndHidesIt(t *testing.T) {
	t.Parallel()
	a, err := digestLike("", contentSum{1})
	if err != nil {
		t.Fatal(err)
	}
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
		b, err := digestLike(tc.prior, tc.sum)
		if err != nil || sameDigest(a, b) != tc.same || len(b) != len(a) {
			t.Errorf("%s: %s and %s (%v)", name, a, b, err)
		}
	}
}
