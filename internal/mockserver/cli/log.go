// SPDX-License-Identifier: MPL-2.0

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
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

func lineOf(r mockserver.Request) line {
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

	return l
}

// String returns a line for people.
func (l line) String() string {
	text := fmt.Sprintf("%d %s %s: %d in %.1f ms", l.Seq, l.Method, l.Template, l.Status, l.MS)
	if l.Template == "" {
		text = fmt.Sprintf("%d %s of an unknown path: %d in %.1f ms", l.Seq, l.Method, l.Status, l.MS)
	}
	if len(l.Fields) > 0 {
		text += ", with " + strings.Join(l.Fields, " ")
	}

	return text
}

// openLog opens the file for the requests; standard error if it has no name.
func (p Process) openLog(file string) (io.Writer, func() error, error) {
	if file == "" {
		return p.Stderr, func() error { return nil }, nil
	}

	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("-log: %w", err)
	}

	return f, f.Close, nil
}

// logTo writes one line for every request, in the order of the answers.
func logTo(out io.Writer, asJSON bool) func(mockserver.Request) {
	lines := log.New(out, "", 0)

	return func(r mockserver.Request) {
		l := lineOf(r)
		if !asJSON {
			lines.Print(l)
			return
		}

		text, err := json.Marshal(l)
		if err != nil {
			text = []byte(err.Error())
		}
		lines.Print(string(text))
	}
}
