package mockserver

import "net/http"

// PutConsent sets what the service holds of a person, as if it had come from
// elsewhere.
func (s *Server) PutConsent(scope Scope, identity string, record ConsentRecord) {
	s.lockSettled()
	defer s.mu.Unlock()
	s.putConsent(person{scope, identity}, record.clone())
}

func (s *Server) putConsent(p person, record ConsentRecord) {
	if s.consents == nil {
		s.consents = map[person]ConsentRecord{}
	}
	s.consents[p] = record
}

// Consent returns what the service holds of a person, and whether it knows one.
func (s *Server) Consent(scope Scope, identity string) (ConsentRecord, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record, ok := s.consents[person{scope, identity}]
	return record.clone(), ok
}

// DeleteConsent makes a person unknown.
func (s *Server) DeleteConsent(scope Scope, identity string) {
	s.lockSettled()
	defer s.mu.Unlock()
	delete(s.consents, person{scope, identity})
}

// updateConsent is PATCH …/user/:identityId/consent (section 4): the sent fields
// replace those that are held. An unknown person becomes known by it, and the answer
// is the record; both are assumptions.
func (s *Server) updateConsent(c *call) answer {
	sent, ok := c.params.in(s.Wire.consentIn())
	if !ok {
		return malformed()
	}
	change, wrong := readConsent(sent, s.Wire)
	if wrong != nil {
		return invalid(wrong)
	}
	p := person{c.scope, c.vars["identityId"]}
	s.mu.Lock()
	record := s.consents[p].merged(change, sent)
	s.putConsent(p, record)
	s.mu.Unlock()
	return s.consentAnswer(record)
}

// getConsent is GET …/user/:identityId/consent (section 4).
func (s *Server) getConsent(c *call) answer {
	record, ok := s.Consent(c.scope, c.vars["identityId"])
	if !ok {
		return failure(http.StatusNotFound, "not_found", "Nothing is known of this user.")
	}
	return s.consentAnswer(record)
}

func (s *Server) consentAnswer(record ConsentRecord) answer {
	fields := record.fields()
	if s.ConsentAnswer != nil {
		return success(s.ConsentAnswer(fields))
	}
	return success(fields)
}
