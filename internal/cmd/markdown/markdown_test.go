// SPDX-License-Identifier: MPL-2.0

package markdown

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable_readsAsTextAndAsMarkdown(t *testing.T) {
	t.Parallel()
	got := Table([]string{"name", "passed", "skipped with"}, [][]string{
		{"first", "7", "Terraform 1.8.5"},
		{"a|b", "1,234,567", ""},
	})

	want := `| name  |    passed |    skipped with |
|:----- | ---------:| ---------------:|
| first |         7 | Terraform 1.8.5 |
| a\|b  | 1,234,567 |                 |
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected table (-want +got):\n%s", diff)
	}
}
