// SPDX-License-Identifier: MPL-2.0

package stage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	mockserver "github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/cli"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

const (
	// startLimit is how long the mock server may take to print where it listens.
	startLimit = 20 * time.Second
	// stopLimit is how long it may take to end before it is killed.
	stopLimit = 5 * time.Second
)

// Service is the mock server, running as a process of its own as the real service
// would, with what it printed about itself and the requests that it logged.
type Service struct {
	cmd       *exec.Cmd
	interrupt context.CancelFunc
	stopped   sync.Once
	exited    chan struct{}
	err       error // of the process; set before exited is closed

	mu          sync.Mutex
	environment []string
	entries     []Entry
	other       bytes.Buffer
	news        chan struct{} // closed and replaced at every new line
}

// Entry is a line of the server's request log.
type Entry struct {
	Operation string `json:"operation"`
}

// NewService returns a service without a process; what it prints is given to Take.
func NewService() *Service {
	return &Service{
		exited: make(chan struct{}),
		news:   make(chan struct{}),
	}
}

// startService starts the server and waits until it has printed how to reach it.
func startService(ctx context.Context, program string, flags []string) (*Service, error) {
	s := NewService()
	// An interrupted Terraform still needs the server to save its state, so that the
	// server outlives ctx.
	running, interrupt := context.WithCancel(context.WithoutCancel(ctx))
	s.interrupt = interrupt
	s.cmd = terraformcli.GroupCommand(running, program, append([]string{mockserver.Name, "-json"}, flags...)...)
	s.cmd.WaitDelay = stopLimit

	output, input := io.Pipe()
	s.cmd.Stdout, s.cmd.Stderr = input, input
	if err := s.cmd.Start(); err != nil {
		interrupt()
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

// follow reads what the server prints: the environment to export, and one line of JSON
// for every request.
func (s *Service) follow(output io.Reader) {
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)

	for lines.Scan() {
		s.Take(lines.Text())
	}
	_, _ = io.Copy(io.Discard, output)
}

// Take adds one line that the server has printed.
func (s *Service) Take(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	var entry Entry
	variable, isExport := exported(line)
	switch {
	case isExport:
		s.environment = append(s.environment, variable)
	case json.Unmarshal([]byte(line), &entry) == nil && entry.Operation != "":
		s.entries = append(s.entries, entry)
	default:
		s.other.WriteString(line + "\n")
	}

	close(s.news)
	s.news = make(chan struct{})
}

// exported reads a line of the form `export NAME=value`, where the value may be quoted
// for a shell.
func exported(line string) (variable string, ok bool) {
	assignment, ok := strings.CutPrefix(strings.TrimSpace(line), "export ")
	if !ok {
		return "", false
	}
	name, value, ok := strings.Cut(assignment, "=")
	return name + "=" + unquoted(value), ok
}

func unquoted(value string) string {
	for _, quote := range []string{"'", `"`} {
		inner, opened := strings.CutPrefix(value, quote)
		inner, closed := strings.CutSuffix(inner, quote)
		if opened && closed {
			return inner
		}
	}
	return value
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

// Environment returns the variables that configure the provider for this server.
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

// BaseURL returns the address at which the server listens.
func (s *Service) BaseURL() string { return s.Variable("ANALYTICS_BASE_URL") }

// Entries returns all requests so far; after Stop, all there were.
func (s *Service) Entries() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.entries)
}

// printed returns what the server printed beside its environment and its log.
func (s *Service) printed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.other.String()
}

// Stop ends the server as Ctrl-C would, and fails if it does not end well. Stopping it
// once more does nothing.
func (s *Service) Stop() (err error) {
	s.stopped.Do(func() { err = s.stop() })
	return err
}

func (s *Service) stop() error {
	s.interrupt()
	<-s.exited

	// A process that ends well after an interrupt leaves the error of the context.
	if s.err != nil && !errors.Is(s.err, context.Canceled) {
		return fmt.Errorf("the mock server did not end well: %w\n%s", s.err, s.printed())
	}

	return nil
}
