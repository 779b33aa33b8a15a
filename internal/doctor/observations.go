package doctor

import (
	"slices"
	"strings"
	"sync"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Names of operations, as the client reports them.
const (
	opLogin       = "Log in"
	opListPending = "List pending actions"
	opGetConsent  = "Get consent"
	opGetProfile  = "Get user profile"
)

// observations are what the clients of an examination saw of the service's answers.
type observations struct {
	hides func(name string) bool

	mu               sync.Mutex
	requests, logins int                          // that were answered
	bodies           map[string][]jsonvalue.Place // of the last success, by operation
}

func newObservations(hides func(name string) bool) *observations {
	return &observations{hides: hides, bodies: map[string][]jsonvalue.Place{}}
}

func (s *observations) addHead(h client.Head) {
	s.mu.Lock()
	defer s.mu.Unlock()

	delete(s.bodies, h.Operation)
	s.requests++
	if h.Operation == opLogin {
		s.logins++
	}
}

func (s *observations) addBody(b client.Body) {
	s.mu.Lock()
	defer s.mu.Unlock()

	for _, p := range b.Places {
		for i, name := range p.Path {
			if name != jsonvalue.Each && s.hides(name) {
				p.Path[i] = jsonvalue.AnyName
			}
		}
	}
	s.bodies[b.Operation] = b.Places
}

// members returns the paths of the members in the last body of an operation.
func (s *observations) members(operation string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return namesOf(s.bodies[operation])
}

// namesOf returns the shown paths of the members in places.
func namesOf(places []jsonvalue.Place) []string {
	var names []string
	for _, p := range places {
		if len(p.Path) > 0 && p.Name() != jsonvalue.Each {
			names = append(names, strings.TrimPrefix(p.String(), "$."))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
