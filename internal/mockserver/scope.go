package mockserver

// Scope is the project of an organization, or the account of the older path family,
// whose data a request is about (section 2, Identifiers). That the two families share
// no data is an assumption.
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
