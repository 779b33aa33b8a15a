package provider_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// wantText fails the test where no text holds all the words.
func wantText(t *testing.T, texts []string, words ...string) {
	t.Helper()
	for _, text := range texts {
		missing := false
		for _, word := range words {
			missing = missing || !strings.Contains(text, word)
		}
		if !missing {
			return
		}
	}
	t.Errorf("nothing says %q, only:\n%s", words, strings.Join(texts, "\n---\n"))
}
