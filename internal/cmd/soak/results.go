package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/markdown"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// results are what a run has found so far. They are kept in a file in this form.
type results struct {
	settings

	Began   time.Time     `json:"began"`
	Elapsed time.Duration `json:"elapsed_ns"` // of all its parts, where it was interrupted
	Done    bool          `json:"done"`
	Steps   []*step       `json:"steps"`

	file string
}

// step is one thing that is tried, once or in many rounds.
type step struct {
	Name      string              `json:"name"`
	Group     string              `json:"group,omitempty"` // its line of the table, if it has none of its own
	Runs      int                 `json:"runs"`
	Failed    []failure           `json:"failed"`
	Seconds   float64             `json:"seconds"`
	Figures   map[soak.Figure]int `json:"figures"`
	Processes int                 `json:"processes"` // that were looked at for what they leave
	Leaking   int                 `json:"processes_leaving_goroutines"`
	Files     int                 `json:"files_left"`
	Peak      int64               `json:"peak_bytes"` // of the largest process
	Once      bool                `json:"done"`       // nothing of it is left to do
}

// failure says how to repeat what failed.
type failure struct {
	Seed   uint64 `json:"seed"`
	Output string `json:"output"` // a file
}

// load returns the results of an unfinished run of the file, or else empty ones. With
// o.again a run that has ended is unfinished as well, and lacks the steps that failed.
func load(o options) (*results, error) {
	fresh := &results{settings: o.settings, Began: time.Now().UTC().Truncate(time.Second), file: o.file}
	content, err := os.ReadFile(o.file)
	if errors.Is(err, fs.ErrNotExist) || o.restart {
		return fresh, nil
	}
	if err != nil {
		return nil, err
	}

	kept := &results{file: o.file}
	if err := json.Unmarshal(content, kept); err != nil {
		return nil, fmt.Errorf("%s is damaged; -restart begins anew: %w", o.file, err)
	}
	if o.again {
		kept.Done = false
		kept.Steps = slices.DeleteFunc(kept.Steps, func(s *step) bool { return s.broken() > 0 })
	}
	if kept.Done {
		return fresh, nil
	}

	return kept, nil
}

// save writes the file. An interrupted write leaves the old one.
func (r *results) save() error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.file), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(r.file+".new", append(content, '\n'), 0o600); err != nil {
		return err
	}

	return os.Rename(r.file+".new", r.file)
}

// step returns the step of a name, and adds it if it is new.
func (r *results) step(name string) *step {
	for _, s := range r.Steps {
		if s.Name == name {
			return s
		}
	}

	s := &step{Name: name, Figures: map[soak.Figure]int{}}
	r.Steps = append(r.Steps, s)

	return s
}

// add adds the figures of another run of the step.
func (s *step) add(other step) {
	s.Runs += other.Runs
	s.Failed = append(s.Failed, other.Failed...)
	s.Seconds += other.Seconds
	s.Processes += other.Processes
	s.Leaking += other.Leaking
	s.Files += other.Files
	s.Peak = max(s.Peak, other.Peak)
	for figure, n := range other.Figures {
		s.Figures[figure] += n
	}
}

// broken returns how many promises were broken.
func (s *step) broken() int {
	n := len(s.Failed) + s.Leaking + s.Files
	for _, figure := range soak.Figures() {
		if figure != soak.Tried && figure != soak.Requests {
			n += s.Figures[figure]
		}
	}
	return n
}

func (r *results) total() *step {
	sum := &step{Name: "total", Figures: map[soak.Figure]int{}}
	for _, s := range r.Steps {
		sum.add(*s)
	}
	return sum
}

// grouped returns the steps, with those of one group added up.
func (r *results) grouped() []*step {
	groups := &results{}
	for _, s := range r.Steps {
		groups.step(cmp.Or(s.Group, s.Name)).add(*s)
	}
	return groups.Steps
}

// String returns the table as it is printed, which is Markdown too.
func (r *results) String() string {
	head := []string{"step", "runs", "failed"}
	for _, figure := range soak.Figures() {
		head = append(head, string(figure))
	}
	head = append(head, "goroutines left in", "files left", "peak memory", "time")

	var lines [][]string
	for _, s := range append(r.grouped(), r.total()) {
		lines = append(lines, s.cells())
	}

	return fmt.Sprintf("Seed %d, %s, begun %s\n\n%s", r.Seed, r.Elapsed.Round(time.Second), r.Began.Format(time.RFC3339), markdown.Table(head, lines))
}

func (s *step) cells() []string {
	cells := []string{s.Name, thousands(s.Runs), thousands(len(s.Failed))}
	for _, figure := range soak.Figures() {
		cells = append(cells, thousands(s.Figures[figure]))
	}
	return append(cells, fmt.Sprintf("%s of %s", thousands(s.Leaking), thousands(s.Processes)), thousands(s.Files),
		fmt.Sprintf("%d MB", s.Peak/1e6), (time.Duration(s.Seconds) * time.Second).String())
}

// thousands formats 1234567 as 1,234,567.
func thousands(n int) string { return humanize.Comma(int64(n)) }
