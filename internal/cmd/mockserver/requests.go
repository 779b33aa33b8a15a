package main

import (
	"encoding/json"
	"io"
	"log"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// markPrefix begins the identities that are no people but marks in this log:
// internal/cmd/stage asks for them to find the requests in between.
const markPrefix = "demo-mark-"

// line is how a request is logged: without values, people or credentials.
type line struct {
	Seq       int      `json:"seq"`
	Operation string   `json:"operation"`
	Method    string   `json:"method"`
	Template  string   `json:"template"`
	Path      string   `json:"path"` // the template, in which a mark is filled in
	Status    int      `json:"status"`
	Fields    []string `json:"fields,omitempty"`
	MS        float64  `json:"ms"`
}

// logTo writes one line of JSON for every request, in the order of the answers.
func logTo(out io.Writer) func(mockserver.Request) {
	lines := log.New(out, "", 0)
	return func(r mockserver.Request) {
		text, err := json.Marshal(lineOf(r))
		if err != nil {
			text = []byte(err.Error())
		}
		lines.Print(string(text))
	}
}

func lineOf(r mockserver.Request) line {
	l := line{
		Seq: r.Seq, Operation: r.Operation, Method: r.Method, Template: r.Template, Path: r.Template,
		Status: r.Status, Fields: r.Fields, MS: float64(r.Took.Microseconds()) / 1000,
	}
	if strings.HasPrefix(r.Identity, markPrefix) {
		l.Path = strings.Replace(r.Template, "{identityId}", r.Identity, 1)
	}
	return l
}
