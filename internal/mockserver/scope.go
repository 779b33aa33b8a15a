package mockserver

// Scope is whose data a request is about: an organization's project, or an account
// of the older path family (section 2, Identifiers). The two families do not share
// data, which is an assumption.
type Scope struct {
	OrgID, ProjectID string
	AccountID        string
}

// valid reports whether the scope belongs to exactly one family.
func (s Scope) valid() bool {
	if s.AccountID != "" {
		return s.OrgID == "" && s.ProjectID == ""
	}
	return s.OrgID != "" && s.ProjectID != ""
}
