// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"maps"
	"net/http"
)

// PutProfile replaces a person's profile (section 2), as if another client had done so.
// It panics if object is not one JSON object without repeated names.
func (s *Server) PutProfile(scope Scope, identity, object string) {
	profile, ok := readObject([]byte(object))
	if !ok {
		panic("mockserver: a profile is one JSON object without repeated names")
	}

	s.putProfile(person{scope, identity}, profile)
}

func (s *Server) putProfile(p person, profile map[string]any) {
	s.lockUpToDate()
	defer s.mu.Unlock()

	s.setProfile(p, profile)
}

func (s *Server) setProfile(p person, profile map[string]any) {
	if s.profiles == nil {
		s.profiles = map[person]map[string]any{}
	}
	s.profiles[p] = profile
}

// Profile returns a copy of a person's profile (section 2), its numbers as json.Number,
// and whether there is one. Outcomes that are due are applied first.
func (s *Server) Profile(scope Scope, identity string) (map[string]any, bool) {
	s.lockUpToDate()
	defer s.mu.Unlock()

	profile, ok := s.profiles[person{scope, identity}]
	return maps.Clone(profile), ok
}

// DeleteProfile removes a person's profile; their data and consent stay.
func (s *Server) DeleteProfile(scope Scope, identity string) {
	s.lockUpToDate()
	defer s.mu.Unlock()

	delete(s.profiles, person{scope, identity})
}

// updateProfile is PATCH …/user/:identityId/profile (section 4), which is deferred.
// That the fields travel as one JSON object is an assumption.
func (s *Server) updateProfile(c *call) Response {
	if c.params.malformed || c.params.place != InJSON {
		return invalid([]FieldError{{Field: "body", Message: "must be one JSON object"}})
	}

	return s.enqueue(c, c.params.sent)
}

// mergeProfile carries out updateProfile. Each field that was sent replaces that of the
// profile as a whole, a null removes it, and an unknown person gets a profile. All of
// this is an assumption.
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

// getProfile is GET …/user/:identityId/profile (section 4). That it answers with the
// profile itself is an assumption.
func (s *Server) getProfile(c *call) Response {
	profile, ok := s.Profile(c.scope, c.vars["identityId"])
	if !ok {
		return failure(http.StatusNotFound, "not_found", "Nothing is known of this user.")
	}

	return success(profile)
}
