package main

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
	"strings"
	"sync"
	"time"
)

// startLimit is how long the mock server may take to say where it listens.
const startLimit = 20 * time.Second

// requestLimit is how long one request of the demo's own may take.
const requestLimit = 10 * time.Second

// service is the mock server, running as a process of its own as the real service
// would, with what it said about itself and the requests that it logged.
type service struct {
	// environment configures the provider; the server prints it.
	environment []string

	http   http.Client
	marks  int
	cmd    *exec.Cmd
	exited chan struct{}
	err    error // of the process; set before exited is closed

	mu      sync.Mutex
	entries []logEntry
	other   bytes.Buffer
	news    chan struct{} // closed and replaced at every new line
}

func newService() *service {
	return &service{
		http:   http.Client{Transport: &http.Transport{}},
		exited: make(chan struct{}),
		news:   make(chan struct{}),
	}
}

// startService starts the server and waits until it has said how to reach it.
func startService(ctx context.Context, program, seedFile string) (*service, error) {
	s := newService()
	// The server outlives an interrupt: Terraform still needs it to save its state.
	s.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, "-addr", "127.0.0.1:0", "-seed", seedFile)
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
	err := s.await(ctx, startLimit, func() bool { return s.variable("ANALYTICS_BASE_URL") != "" })
	if err != nil {
		return s, fmt.Errorf("the mock server did not say where it listens: %w\n%s", err, s.printed())
	}
	return s, nil
}

// follow takes in what the server prints: the environment to export, and one line
// of JSON for every request.
func (s *service) follow(output io.Reader) {
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		s.take(lines.Text())
	}
	_, _ = io.Copy(io.Discard, output)
}

func (s *service) take(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entry logEntry
	switch variable, isExport := exported(line); {
	case isExport:
		s.environment = append(s.environment, variable)
	case json.Unmarshal([]byte(line), &entry) == nil && entry.Method != "":
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
func (s *service) await(ctx context.Context, limit time.Duration, done func() bool) error {
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

// variable returns a variable of the printed environment.
func (s *service) variable(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, entry := range s.environment {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

func (s *service) baseURL() string { return s.variable("ANALYTICS_BASE_URL") }

// printed is what the server said beside its environment and its log.
func (s *service) printed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.other.String()
}

// stop ends the server as Ctrl-C would, and fails if it does not end well.
func (s *service) stop() error {
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
