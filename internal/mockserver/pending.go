package mockserver

import "time"

// enqueue accepts a deferred request and answers with its record.
func (s *Server) enqueue(c *call, body map[string]any) answer {
	record := s.accept(QueuedRequest{
		Scope: c.scope, Identity: c.vars["identityId"], Operation: c.route.operation, Body: body,
	}).record()

	if s.QueueAnswer != nil {
		return accepted(s.QueueStatus, s.QueueAnswer(record))
	}
	return accepted(s.QueueStatus, record)
}

// record returns the record of a queued request as it is answered. Its fields are not
// shown (section 2), so all of them are assumptions.
func (q QueuedRequest) record() map[string]any {
	record := map[string]any{
		"id":         q.ID,
		"identityId": q.Identity,
		"operation":  q.Operation,
		"status":     q.Status,
		"createdAt":  q.At.UTC().Format(time.RFC3339Nano),
	}

	if q.Code != "" || q.Message != "" {
		record["error"] = map[string]any{"code": q.Code, "message": q.Message}
	}

	return record
}

// listPendingRequests is GET …/pending-requests (section 4). That it shows the pending
// and failed requests of the whole scope in one array is an assumption.
func (s *Server) listPendingRequests(c *call) answer {
	records := s.pending(c.scope)
	if s.PendingOrder != nil {
		s.PendingOrder(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	}

	page := s.PendingPage.answer(records)
	if s.PendingAnswer == nil {
		return page
	}

	shaped := success(s.PendingAnswer(records))
	shaped.header = page.header

	return shaped
}

// pending returns the records of a scope's list in the order of acceptance. The result
// is never nil, since an empty list is answered as an array.
func (s *Server) pending(scope Scope) []map[string]any {
	listed := s.listed(scope)

	records := make([]map[string]any, 0, len(listed))
	for _, q := range listed {
		record := q.record()
		if s.PendingRecord != nil {
			record = s.PendingRecord(q, record)
		}
		if record != nil {
			records = append(records, record)
		}
	}

	return records
}

// listed returns the requests that a scope's list shows now, and counts as one look
// at the list.
func (s *Server) listed(scope Scope) []QueuedRequest {
	now := s.lockUpToDate()
	defer s.mu.Unlock()

	listed := make([]QueuedRequest, 0, len(s.queue))
	for _, e := range s.queue {
		if e.Scope == scope && e.visible() && !s.PendingLag.delays(e, now) {
			listed = append(listed, e.QueuedRequest)
		}
	}

	return listed
}
