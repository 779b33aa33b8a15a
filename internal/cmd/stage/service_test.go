// SPDX-License-Identifier: MPL-2.0

package stage

import (
	"errors"
	"strings"
	"testing"
)

func TestService_readsItsEnvironmentAndItsLog(t *testing.T) {
	t.Parallel()
	s := NewService()
	for _, line := range []string{
		"export ANALYTICS_BASE_URL=http://192.0.2.1:8080", "export ANALYTICS_PROJECT_ID='project'", `export ANALYTICS_API_SECRET_KEY="a-secret/of the&test"`,
		`{"operation":"getConsent","method":"GET","status":200,"fields":[]}`, "a line of another program",
	} {
		s.Take(line)
	}

	if s.BaseURL() != "http://192.0.2.1:8080" || s.Variable("ANALYTICS_PROJECT_ID") != "project" || s.Variable("ANALYTICS_API_SECRET_KEY") != "a-secret/of the&test" {
		t.Errorf("the environment is %q", s.Environment())
	}
	if got := s.Entries(); len(got) != 1 || got[0].Operation != "getConsent" {
		t.Errorf("the requests are %v", got)
	}
	if s.printed() != "a line of another program\n" {
		t.Errorf("beside them it printed %q", s.printed())
	}
}

func TestService_isNotAwaitedOnceItHasEnded(t *testing.T) {
	t.Parallel()
	s := NewService()
	s.Take("panic: no address")
	s.err = errors.New("exit status 2")
	close(s.exited)

	err := s.await(t.Context(), startLimit, func() bool { return false })
	if err == nil || !strings.Contains(err.Error(), "exit status 2") {
		t.Errorf("unexpected answer: %v", err)
	}
	if s.printed() != "panic: no address\n" {
		t.Errorf("printed %q", s.printed())
	}
}
