package doctor

import (
	"maps"
	"net/http/httptrace"
	"slices"
	"sync"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// observations are what the clients of an examination saw of the service's answers.
type observations struct {
	hides func(name string) bool

	mu     sync.Mutex
	heads  []client.Head
	bodies map[string][]jsonvalue.Place // of the last success, by operation

	addresses int  // of the host, or of the proxy
	resolved  bool // a name was resolved
}

func (s *observations) observer() client.Observer {
	return client.Observer{Head: s.addHead, Body: s.addBody}
}

func (s *observations) addHead(h client.Head) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heads = append(s.heads, h)
}

func (s *observations) addBody(b client.Body) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.bodies == nil {
		s.bodies = map[string][]jsonvalue.Place{}
	}
	for _, p := range b.Places {
		for i, name := range p.Path {
			if name != jsonvalue.Each && s.hides(name) {
				p.Path[i] = jsonvalue.AnyName
			}
		}
	}
	s.bodies[b.Operation] = b.Places
}

// trace returns hooks that note how names are resolved.
func (s *observations) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{DNSDone: func(info httptrace.DNSDoneInfo) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if info.Err == nil {
			s.resolved, s.addresses = true, len(info.Addrs)
		}
	}}
}

// reached reports whether the service has answered anything.
func (s *observations) reached() bool { return len(s.all()) > 0 }

// all returns the heads of all answers.
func (s *observations) all() []client.Head {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clip(s.heads)
}

// last returns the head of the last answer to an operation.
func (s *observations) last(operation string) client.Head {
	var found client.Head
	for _, h := range s.all() {
		if h.Operation == operation {
			found = h
		}
	}
	return found
}

// forget discards the body of an operation, so that body returns that of the next answer.
func (s *observations) forget(operation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.bodies, operation)
}

// body returns the structure of the last success of an operation.
func (s *observations) body(operation string) []jsonvalue.Place {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies[operation]
}

// counts returns the numbers of all requests that were answered, and of the logins.
func (s *observations) counts() (requests, logins int) {
	for _, h := range s.all() {
		if h.Operation == opLogin {
			logins++
		}
	}
	return len(s.all()), logins
}

// limits returns the header fields that state a rate limit, with the last value of each.
func (s *observations) limits() map[string]string {
	found := map[string]string{}
	for _, h := range s.all() {
		maps.Copy(found, h.Limits)
	}
	return found
}

// Names of operations, as the client reports them.
const (
	opLogin         = "Log in"
	opCurrentUser   = "Get current user"
	opListPending   = "List pending actions"
	opExport        = "Export records"
	opGetConsent    = "Get consent"
	opUpdateConsent = "Update consent"
	opGetProfile    = "Get user profile"
)
