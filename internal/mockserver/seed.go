package mockserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Seed is what a server knows before its first request.
type Seed struct {
	Users      []SeedUser    `json:"users"`
	SecretKeys []string      `json:"secret_keys"`
	Consents   []SeedConsent `json:"consents"`
}

// SeedUser is a user who can log in (section 2, login request).
type SeedUser struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// SeedConsent is a person's consent record (section 2), with where it belongs.
type SeedConsent struct {
	OrgID      string `json:"org_id"`
	ProjectID  string `json:"project_id"`
	AccountID  string `json:"account_id"`
	IdentityID string `json:"identity_id"`

	Clause1 bool `json:"clause_1_consent"`
	Clause2 bool `json:"clause_2_consent"`
	Clause3 bool `json:"clause_3_consent"`
	Clause4 bool `json:"clause_4_consent"`
	Clause5 bool `json:"clause_5_consent"`

	UserIPv6      *string `json:"user_ipv6"`
	AgreementTime any     `json:"agreement_time"`
	Manual        *bool   `json:"manual"`
}

// ReadSeed reads a seed as JSON. Names that it does not know are errors: a
// misspelt seed would be a server that knows too little.
func ReadSeed(r io.Reader) (Seed, error) {
	var seed Seed
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&seed); err != nil {
		return Seed{}, fmt.Errorf("the seed cannot be read: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Seed{}, errors.New("the seed cannot be read: there is something behind the JSON value")
	}
	for i, c := range seed.Consents {
		if err := c.validate(); err != nil {
			return Seed{}, fmt.Errorf("the seed cannot be used: consents[%d] %w", i, err)
		}
	}
	return seed, nil
}

func (c SeedConsent) scope() Scope {
	return Scope{OrgID: c.OrgID, ProjectID: c.ProjectID, AccountID: c.AccountID}
}

func (c SeedConsent) validate() error {
	switch {
	case c.IdentityID == "":
		return errors.New("has no identity_id")
	case !c.scope().valid():
		return errors.New("needs either org_id and project_id, or account_id")
	}
	switch c.AgreementTime.(type) {
	case nil, string, json.Number:
		return nil
	}
	return errors.New("has an agreement_time that is neither a string nor a number")
}

// Load adds what a seed in JSON says; nothing of it where there is an error.
func (s *Server) Load(r io.Reader) error {
	seed, err := ReadSeed(r)
	if err == nil {
		s.Add(seed)
	}
	return err
}

// Add adds what a seed says.
func (s *Server) Add(seed Seed) {
	for _, u := range seed.Users {
		s.AddUser(u.Email, u.Password)
	}
	for _, key := range seed.SecretKeys {
		s.AddSecretKey(key)
	}
	for _, c := range seed.Consents {
		s.PutConsent(c.scope(), c.IdentityID, ConsentRecord{
			Clauses:  [Clauses]bool{c.Clause1, c.Clause2, c.Clause3, c.Clause4, c.Clause5},
			UserIPv6: c.UserIPv6, AgreementTime: c.AgreementTime, Manual: c.Manual,
		})
	}
}
