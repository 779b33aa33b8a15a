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

// line is how a request is logged: without values, people or credentials.
type line struct {
	Seq       int      `json:"seq"`
	Operation string   `json:"operation"`
	Method    string   `json:"method"`
	Template  string   `json:"template"`
	Status    int      `json:"status"`
	Fields    []string `json:"fields,omitempty"`
	MS        float64  `json:"ms"`
}

// fieldName matches the names that are logged. A body that is sent as a form although it is
// none becomes one name, with all the values that it has.
var fieldName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// logTo writes one line for every request, in the order of the answers.
func logTo(out io.Writer, asJSON bool) func(mockserver.Request) {
	lines := log.New(out, "", 0)

	return func(r mockserver.Request) {
		l := line{
			Seq: r.Seq, Operation: r.Operation, Method: r.Method, Template: r.Template,
			Status: r.Status, MS: float64(r.Took.Microseconds()) / 1000,
		}
		for _, name := range slices.Sorted(maps.Keys(r.Sent)) {
			if !fieldName.MatchString(name) {
				name = "?"
			}
			l.Fields = append(l.Fields, name)
		}

		if asJSON {
			text, _ := json.Marshal(l) // which always can be
			lines.Print(string(text))
			return
		}

		with := ""
		if len(l.Fields) > 0 {
			with = ", with " + strings.Join(l.Fields, " ")
		}
		lines.Printf("%d %s %s: %d in %.1f ms%s", l.Seq, l.Method, cmp.Or(l.Template, "of an unknown path"), l.Status, l.MS, with)
	}
}
