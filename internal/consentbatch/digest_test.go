package consentbatch

import (
	"bytes"
	"testing"
)

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

func TestDigests_heldOnesAreThoseOfTheirContent(t *testing.T) {
	t.Parallel()
	var d digests
	first, err := d.key(contentSum{1}, []byte("0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}

	again, err := d.key(contentSum{1}, []byte("0123456789abcdef"))
	if err != nil || !bytes.Equal(again, first) || len(d.held) != 1 {
		t.Errorf("%x and %x, %d held (%v)", first, again, len(d.held), err)
	}

	other, err := d.key(contentSum{2}, []byte("0123456789abcdef"))
	if err != nil || bytes.Equal(other, first) || len(d.held) != 2 {
		t.Errorf("another content: %x, %d held (%v)", other, len(d.held), err)
	}
}
