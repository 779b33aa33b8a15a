package mockserver

import "time"

// enqueue accepts the request of a call and answers with its record.
func (s *Server) enqueue(c *call, body map[string]any) answer {
	record := s.accept(QueuedRequest{
		Scope: c.scope, Identity: c.vars["identityId"], Operation: c.route.operation, Body: body,
	}).record()
	if s.QueueAnswer != nil {
		return accepted(s.QueueAnswer(record))
	}
	return accepted(record)
}

// record is a queued request as it is answered. Its fields are not shown (section
// 2): all of them are an assumption.
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

// listPendingRequests is GET …/pending-requests (section 4). That it shows those of
// the whole scope, pending and failed, in one array is an assumption.
func (s *Server) listPendingRequests(c *call) answer {
	records := s.pending(c.scope)
	if s.PendingOrder != nil {
		s.PendingOrder(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	}
	if s.PendingAnswer != nil {
		return success(s.PendingAnswer(records))
	}
	return success(records)
}

// pending are the records of a scope's list, in the order of acceptance; never nil,
// so that an empty list is an array too.
func (s *Server) pending(scope Scope) []map[string]any {
	s.lockSettled()
	listed := make([]QueuedRequest, 0, len(s.queue))
	for _, e := range s.queue {
		if e.Scope == scope && e.listed() {
			listed = append(listed, e.QueuedRequest)
		}
	}
	s.mu.Unlock()
	records := make([]map[string]any, len(listed))
	for i, q := range listed {
		records[i] = q.record()
	}
	return records
}
