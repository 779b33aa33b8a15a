package mockserver

import "net/http"

// PutConsent replaces a person's consent record (section 2), as if another client had
// done so.
func (s *Server) PutConsent(scope Scope, identity string, record ConsentRecord) {
	s.lockUpToDate()
	defer s.mu.Unlock()
	s.putConsent(person{scope, identity}, record.clone())
}

func (s *Server) putConsent(p person, record ConsentRecord) {
	if s.consents == nil {
		s.consents = map[person]ConsentRecord{}
	}
	s.consents[p] = record
}

// Consent returns a copy of a person's consent record (section 2), and whether there
// is one.
func (s *Server) Consent(scope Scope, identity string) (ConsentRecord, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record, ok := s.consents[person{scope, identity}]
	return record.clone(), ok
}

// DeleteConsent removes a person's consent record; reading it is then a 404.
func (s *Server) DeleteConsent(scope Scope, identity string) {
	s.lockUpToDate()
	defer s.mu.Unlock()
	delete(s.consents, person{scope, identity})
}

// updateConsent is PATCH …/user/:identityId/consent (section 4): the fields that are
// sent replace those of the record. That it creates the record of an unknown person,
// and that it answers with the record, are assumptions.
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
