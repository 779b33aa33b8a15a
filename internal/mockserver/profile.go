package mockserver

import (
	"maps"
	"net/http"
)

// PutProfile sets a person's profile to a JSON object, as if it had come from
// elsewhere. It panics on what is no JSON object.
func (s *Server) PutProfile(scope Scope, identity, object string) {
	profile, ok := readObject([]byte(object))
	if !ok {
		panic("mockserver: a profile is one JSON object without repeated names")
	}
	s.putProfile(person{scope, identity}, profile)
}

func (s *Server) putProfile(p person, profile map[string]any) {
	s.lockSettled()
	defer s.mu.Unlock()
	s.setProfile(p, profile)
}

func (s *Server) setProfile(p person, profile map[string]any) {
	if s.profiles == nil {
		s.profiles = map[person]map[string]any{}
	}
	s.profiles[p] = profile
}

// Profile returns a person's profile, its numbers as json.Number, and whether there
// is one.
func (s *Server) Profile(scope Scope, identity string) (map[string]any, bool) {
	s.lockSettled()
	defer s.mu.Unlock()
	profile, ok := s.profiles[person{scope, identity}]
	return maps.Clone(profile), ok
}

// DeleteProfile makes a person's profile unknown; their data and consent stay.
func (s *Server) DeleteProfile(scope Scope, identity string) {
	s.lockSettled()
	defer s.mu.Unlock()
	delete(s.profiles, person{scope, identity})
}

// updateProfile is PATCH …/user/:identityId/profile (section 4), which is deferred.
// That the fields travel as one JSON object is an assumption.
func (s *Server) updateProfile(c *call) answer {
	if c.params.malformed || c.params.place != InJSON {
		return invalid([]FieldError{{Field: "body", Message: "must be one JSON object"}})
	}
	return s.enqueue(c, c.params.sent)
}

// mergeProfile is the effect of updateProfile: the sent fields replace those that
// are held, each as a whole, a null removes one, and an unknown person becomes
// known. All of it is an assumption.
func (s *Server) mergeProfile(p person, change map[string]any) {
	merged := map[string]any{}
	maps.Copy(merged, s.profiles[p])
	maps.Copy(merged, change)
	maps.DeleteFunc(merged, func(name string, value any) bool {
		_, sent := change[name]
		return sent && value == nil
	})
	s.setProfile(p, merged)
}

// getProfile is GET …/user/:identityId/profile (section 4). That the answer is the
// profile itself is an assumption.
func (s *Server) getProfile(c *call) answer {
	profile, ok := s.Profile(c.scope, c.vars["identityId"])
	if !ok {
		return failure(http.StatusNotFound, "not_found", "Nothing is known of this user.")
	}
	return success(profile)
}
