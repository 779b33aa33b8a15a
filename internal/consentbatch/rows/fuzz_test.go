// SPDX-License-Identifier: MPL-2.0

package rows_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
)

// FuzzRead reads any bytes as any format: nothing panics, what is said is bounded,
// and what is accepted can be sent.
func FuzzRead(f *testing.F) {
	for i, content := range []string{
		header + person("a") + person("b"), header + person("a") + person("a"), "\uFEFF" + header + "\"", person("a"), header + "a,b\n\n,\n",
		object("a") + "\n" + object("b"), object("a") + "\n{", object("a", `"manual":null`), "{\"a\":1}\n[]\n\n",
		"[" + object("a") + ",\n" + object("b") + "]", "[" + object("a"), "[1,\n2,[[[", "[]]", "\x00", "",
	} {
		f.Add([]byte(content), byte(i))
		f.Add([]byte(content), byte(i/5))
	}

	f.Fuzz(func(t *testing.T, content []byte, which byte) {
		format := []rows.Format{rows.CSV, rows.NDJSON, rows.JSON}[which%3]

		read, err := rows.Read(bytes.NewReader(content), format)
		problems, bad := errors.AsType[*rows.Error](err)
		switch {
		case bad:
			text := problems.Error()
			if problems.Rows < 1 || len(text) > 1<<20 || strings.Count(text, "line ") < min(problems.Rows, 100) {
				t.Errorf("%d bad rows, %d bytes about them", problems.Rows, len(text))
			}
			return
		case err != nil:
			t.Fatal(err)
		}

		seen := map[string]bool{}
		line := int32(1)
		for i, row := range read {
			if seen[row.Identity] || client.ValidateSegment(row.Identity) != nil || row.Line < line {
				t.Errorf("row %d is %+v", i, row)
			}
			seen[row.Identity], line = true, row.Line
		}
	})
}
