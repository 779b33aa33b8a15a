package stage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// startLimit is how long the mock server may take to say where it listens.
const startLimit = 20 * time.Second

// Service is the mock server, running as a process of its own as the real service
// would, with what it said about itself and the requests that it logged.
type Service struct {
	http    http.Client
	marks   int
	cmd     *exec.Cmd
	stopped sync.Once
	exited  chan struct{}
	err     error // of the process; set before exited is closed

	mu          sync.Mutex
	environment []string
	entries     []Entry
	other       bytes.Buffer
	news        chan struct{} // closed and replaced at every new line
}

// Entry is what a line of the server's request log says, and when it was read.
type Entry struct {
	Operation string    `json:"operation"`
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Status    int       `json:"status"`
	Fields    []string  `json:"fields"` // the names that were sent
	At        time.Time `json:"-"`
}

// NewService is a service without a process; what it prints is given to Take.
func NewService() *Service {
	return &Service{
		http:   http.Client{Transport: &http.Transport{}},
		exited: make(chan struct{}),
		news:   make(chan struct{}),
	}
}

// startService starts the server and waits until it has said how to reach it.
func startService(ctx context.Context, program string, flags []string) (*Service, error) {
	s := NewService()
	// The server outlives an interrupt: Terraform still needs it to save its state.
	s.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, append([]string{"-addr", "127.0.0.1:0"}, flags...)...)
	ownGroup(s.cmd)
	output, input := io.Pipe()
	s.cmd.Stdout, s.cmd.Stderr = input, input
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("the mock server could not be started: %w", err)
	}
	var readers sync.WaitGroup
	readers.Go(func() { s.follow(output) })
	go func() {
		s.err = s.cmd.Wait()
		_ = input.Close()
		readers.Wait()
		close(s.exited)
	}()
	err := s.await(ctx, startLimit, func() bool { return s.Variable("ANALYTICS_BASE_URL") != "" })
	if err != nil {
		return s, fmt.Errorf("the mock server did not say where it listens: %w\n%s", err, s.printed())
	}
	return s, nil
}

// follow takes in what the server prints: the environment to export, and one line
// of JSON for every request.
func (s *Service) follow(output io.Reader) {
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		s.Take(lines.Text())
	}
	_, _ = io.Copy(io.Discard, output)
}

// Take takes in one line that the server has printed.
func (s *Service) Take(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entry Entry
	switch variable, isExport := exported(line); {
	case isExport:
		s.environment = append(s.environment, variable)
	case json.Unmarshal([]byte(line), &entry) == nil && entry.Method != "":
		entry.At = time.Now()
		s.entries = append(s.entries, entry)
	default:
		s.other.WriteString(line + "\n")
	}
	close(s.news)
	s.news = make(chan struct{})
}

// exported reads a line of the form `export NAME=value`, where the value may be
// quoted for a shell.
func exported(line string) (variable string, ok bool) {
	assignment, ok := strings.CutPrefix(strings.TrimSpace(line), "export ")
	if !ok {
		return "", false
	}
	name, value, ok := strings.Cut(assignment, "=")
	if len(value) >= 2 && (value[0] == '\'' || value[0] == '"') && value[len(value)-1] == value[0] {
		value = value[1 : len(value)-1]
	}
	return name + "=" + value, ok
}

// await waits until what the server has printed makes done true.
func (s *Service) await(ctx context.Context, limit time.Duration, done func() bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("nothing of it within %s", limit))
	defer cancel()
	for {
		s.mu.Lock()
		news := s.news
		s.mu.Unlock()
		if done() {
			return nil
		}
		select {
		case <-news:
		case <-s.exited:
			if done() {
				return nil
			}
			return fmt.Errorf("it ended: %w", errors.Join(s.err, errEnded))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

var errEnded = errors.New("the process is gone")

// Environment configures the provider for this server.
func (s *Service) Environment() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.environment)
}

// Variable returns a variable of that environment.
func (s *Service) Variable(name string) string {
	for _, entry := range s.Environment() {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// BaseURL is where the server listens.
func (s *Service) BaseURL() string { return s.Variable("ANALYTICS_BASE_URL") }

// Leaked reports whether text contains a credential that the server gave out.
func (s *Service) Leaked(text string) bool {
	for _, name := range []string{"ANALYTICS_API_SECRET_KEY", "ANALYTICS_PASSWORD", "ANALYTICS_TOKEN"} {
		if secret := s.Variable(name); secret != "" && strings.Contains(text, secret) {
			return true
		}
	}
	return false
}

// Entries are all requests so far; after Stop, all there were.
func (s *Service) Entries() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.entries)
}

// printed is what the server said beside its environment and its log.
func (s *Service) printed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.other.String()
}

// Stop ends the server as Ctrl-C would, and fails if it does not end well. What is
// stopped already stays so.
func (s *Service) Stop() (err error) {
	s.stopped.Do(func() { err = s.stop() })
	return err
}

func (s *Service) stop() error {
	s.http.CloseIdleConnections()
	_ = interrupt(s.cmd.Process)
	select {
	case <-s.exited:
	case <-time.After(5 * time.Second):
		killGroup(s.cmd.Process)
		<-s.exited
		return errors.New("the mock server did not stop when asked and was killed")
	}
	if s.err != nil {
		return fmt.Errorf("the mock server did not end well: %w\n%s", s.err, s.printed())
	}
	return nil
}
