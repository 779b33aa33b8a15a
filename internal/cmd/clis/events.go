package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// status is how a test ended.
type status string

const (
	passed  status = "pass"
	skipped status = "skip"
	failed  status = "fail"
)

// word returns how a sentence begins with the status.
func (s status) word() string {
	if s == failed {
		return "FAILED"
	}
	return "Skipped"
}

// result is how a test ended, and what it said first.
type result struct {
	Status status `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// results are those of one package with one CLI, by the names of tests. The name of a
// subtest begins with that of its test and a slash. The empty name is the program of the
// tests, which is there only if it failed and no test did, such as after a leak.
type results map[string]result

// event is what `go tool test2json` prints; see its documentation.
type event struct {
	Action string
	Test   string
	Output string
}

// said matches what a test has reported, without the place in the source.
var said = regexp.MustCompile(`^\s+\w+\.go:\d+: (.+)\n`)

// readEvents returns the results in a stream of events. A test without an end, as after a
// timeout, has failed.
func readEvents(stream io.Reader) (results, error) {
	got := results{}
	decoder := json.NewDecoder(stream)
	for {
		var e event
		err := decoder.Decode(&e)
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the events of the tests cannot be read: %w", err)
		}

		got.add(e)
	}
}

func (r results) add(e event) {
	if e.Test == "" { // what the package as a whole does
		return
	}

	now := r[e.Test]
	switch e.Action {
	case "run":
		now.Status = failed
	case "output":
		if match := said.FindStringSubmatch(e.Output); match != nil && now.Reason == "" {
			now.Reason = match[1]
		}
	case string(passed), string(skipped), string(failed):
		now.Status = status(e.Action)
	}
	r[e.Test] = now
}

// save writes the results into a file, for load.
func (r results) save(file string) error {
	content, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}

// load returns the results in a file; nil where there is none.
func load(file string) (r results, _ error) {
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &r)
	}
	if err != nil {
		return nil, fmt.Errorf("kept results cannot be read: %w", err)
	}

	return r, nil
}

// of returns how a test ended; empty where it did not run. A skipped test has skipped its
// subtests, which are then not among the results.
func (r results) of(name string) status {
	if own, ok := r[name]; ok {
		return own.Status
	}

	for i, c := range name {
		if c == '/' && r[name[:i]].Status == skipped {
			return skipped
		}
	}

	return ""
}

// failures returns the names of the tests that failed by themselves, and not because a
// subtest did.
func (r results) failures() (names []string) {
	for name, result := range r {
		if result.Status == failed && !r.failsBelow(name) {
			names = append(names, name)
		}
	}
	return names
}

func (r results) failsBelow(test string) bool {
	for name, result := range r {
		if result.Status == failed && strings.HasPrefix(name, test+"/") {
			return true
		}
	}
	return false
}
