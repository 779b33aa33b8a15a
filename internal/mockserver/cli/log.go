// SPDX-License-Identifier: MPL-2.0

package cli

import (
	"cmp"
	"encoding/json"
	"io"
	"log"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// fieldName matches the names that are logged. A body that is sent as a form although it is
// none becomes one name, with all the values that it has.
var fieldName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// logTo writes one line for every request, in the order of the answers: without values, people
// or credentials.
func logTo(out io.Writer, asJSON bool) func(mockserver.Request) {
	lines := log.New(out, "", 0)

	return func(r mockserver.Request) {
		fields := []string{}
		for _, name := range slices.Sorted(maps.Keys(r.Sent)) {
			if !fieldName.MatchString(name) {
				name = "?"
			}
			fields = append(fields, name)
		}
		ms := float64(r.Took.Microseconds()) / 1000

		if asJSON {
			text, _ := json.Marshal(map[string]any{ // which always can be
				"seq": r.Seq, "operation": r.Operation, "method": r.Method, "template": r.Template, "status": r.Status, "fields": fields, "ms": ms,
			})
			lines.Print(string(text))
			return
		}

		with := ""
		if len(fields) > 0 {
			with = ", with " + strings.Join(fields, " ")
		}
		lines.Printf("%d %s %s: %d in %.1f ms%s", r.Seq, r.Method, cmp.Or(r.Template, "of an unknown path"), r.Status, ms, with)
	}
}
