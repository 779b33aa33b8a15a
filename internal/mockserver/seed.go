// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"bytes"
	jsonv1 "encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Seed is the initial content of a server, as JSON.
type Seed struct {
	Users      []SeedUser    `json:"users"`
	SecretKeys []string      `json:"secret_keys"`
	Consents   []SeedConsent `json:"consents"`
	Profiles   []SeedProfile `json:"profiles"`
	Data       []SeedData    `json:"data"`
	Exports    []SeedExport  `json:"exports"`
}

// SeedUser is a user who can log in (section 2, Login request).
type SeedUser struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// SeedPerson identifies the person of a record (section 2, Identifiers).
type SeedPerson struct {
	OrgID      string `json:"org_id"`
	ProjectID  string `json:"project_id"`
	AccountID  string `json:"account_id"`
	IdentityID string `json:"identity_id"`
}

// SeedConsent is a person's consent record (section 2). Absent clauses are false.
type SeedConsent struct {
	SeedPerson

	Clause1 bool `json:"clause_1_consent"`
	Clause2 bool `json:"clause_2_consent"`
	Clause3 bool `json:"clause_3_consent"`
	Clause4 bool `json:"clause_4_consent"`
	Clause5 bool `json:"clause_5_consent"`

	UserIPv6      *string `json:"user_ipv6"`
	AgreementTime any     `json:"agreement_time"` // a string or a number
	Manual        *bool   `json:"manual"`
}

// SeedProfile is a person's profile; its fields are not shown (section 2).
type SeedProfile struct {
	SeedPerson

	Profile map[string]any `json:"profile"` // numbers as json.Number
}

// SeedData is the other data of a person; see Server.PutData.
type SeedData struct {
	SeedPerson

	Data any `json:"data"`
}

// SeedExport holds the records of one UTC day; see Server.PutExport.
type SeedExport struct {
	OrgID     string `json:"org_id"`
	ProjectID string `json:"project_id"`
	UTCDate   string `json:"utc_date"`

	ExportDay
}

// ReadSeed reads a seed as JSON. Unknown and repeated names are errors, so that no part
// of a seed is ignored. Errors name the place and never a value.
func ReadSeed(r io.Reader) (Seed, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Seed{}, fmt.Errorf("the seed cannot be read: %w", err)
	}

	var seed Seed
	if err := json.Unmarshal(text, &seed, json.RejectUnknownMembers(true), json.WithUnmarshalers(exactNumbers)); err != nil {
		return Seed{}, withoutValues(text, err)
	}
	if err := seed.validate(); err != nil {
		return Seed{}, fmt.Errorf("the seed cannot be used: %w", err)
	}

	return seed, nil
}

// exactNumbers decodes a number of any type as json.Number.
var exactNumbers = json.UnmarshalFromFunc(func(dec *jsontext.Decoder, value *any) error {
	if dec.PeekKind() != jsontext.KindNumber {
		return errors.ErrUnsupported
	}

	number, err := dec.ReadToken()
	*value = jsonv1.Number(number.String())

	return err
})

// withoutValues returns the place and the reason of an error of decoding text, which may
// quote a value.
func withoutValues(text []byte, err error) error {
	var offset int64
	var pointer jsontext.Pointer
	reason := "this is no valid JSON"
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset, pointer = syntactic.ByteOffset, syntactic.JSONPointer
	}
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		offset, pointer = semantic.ByteOffset, semantic.JSONPointer
		reason = fmt.Sprintf("a %s cannot be here", semantic.JSONKind)
	}

	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		reason = "the name is repeated"
	case errors.Is(err, json.ErrUnknownName):
		reason = "there is no such name"
	}

	before := text[:offset]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')

	return fmt.Errorf("the seed cannot be understood: line %d, column %d (%s): %s", line, column, pointer, reason)
}

// validate returns the first thing that is missing, with its place.
func (seed Seed) validate() error {
	var err error
	check := func(ok bool, name string, i int, objection string) {
		if !ok && err == nil {
			err = fmt.Errorf("%s[%d] %s", name, i, objection)
		}
	}
	checkPerson := func(name string, i int, p SeedPerson) {
		check(p.IdentityID != "", name, i, "needs identity_id")
		check(p.Scope().valid(), name, i, "needs either org_id and project_id, or account_id")
	}

	for i, u := range seed.Users {
		check(min(len(u.Email), len(u.Password)) > 0, "users", i, "needs email and password")
	}
	for i, key := range seed.SecretKeys {
		check(key != "", "secret_keys", i, "is empty")
	}

	for i, c := range seed.Consents {
		_, isText := c.AgreementTime.(string)
		_, isNumber := c.AgreementTime.(jsonv1.Number)
		check(isText || isNumber || c.AgreementTime == nil, "consents", i, "has an agreement_time that is neither a string nor a number")
		checkPerson("consents", i, c.SeedPerson)
	}

	for i, p := range seed.Profiles {
		check(p.Profile != nil, "profiles", i, "needs profile, an object")
		checkPerson("profiles", i, p.SeedPerson)
	}
	for i, d := range seed.Data {
		check(d.Data != nil, "data", i, "needs data")
		checkPerson("data", i, d.SeedPerson)
	}

	for i, e := range seed.Exports {
		check(Scope{OrgID: e.OrgID, ProjectID: e.ProjectID}.valid(), "exports", i, "needs org_id and project_id")
		check(isDay(e.UTCDate), "exports", i, "needs utc_date, YYYY-MM-DD")
	}

	return err
}

// Scope returns the scope of the person.
func (p SeedPerson) Scope() Scope {
	return Scope{OrgID: p.OrgID, ProjectID: p.ProjectID, AccountID: p.AccountID}
}

// Load adds the content of a seed in JSON. It adds nothing if ReadSeed returns an error.
func (s *Server) Load(r io.Reader) error {
	seed, err := ReadSeed(r)
	if err != nil {
		return err
	}

	s.Add(seed)
	return nil
}

// Add adds the content of a seed.
func (s *Server) Add(seed Seed) {
	for _, u := range seed.Users {
		s.AddUser(u.Email, u.Password)
	}
	for _, key := range seed.SecretKeys {
		s.AddSecretKey(key)
	}

	for _, c := range seed.Consents {
		s.PutConsent(c.Scope(), c.IdentityID, ConsentRecord{
			Clauses:  [Clauses]bool{c.Clause1, c.Clause2, c.Clause3, c.Clause4, c.Clause5},
			UserIPv6: c.UserIPv6, AgreementTime: c.AgreementTime, Manual: c.Manual,
		})
	}

	for _, p := range seed.Profiles {
		s.PutProfile(p.Scope(), p.IdentityID, string(encode(p.Profile)))
	}
	for _, d := range seed.Data {
		s.PutData(d.Scope(), d.IdentityID, d.Data)
	}

	for _, e := range seed.Exports {
		s.PutExport(Scope{OrgID: e.OrgID, ProjectID: e.ProjectID}, e.UTCDate, e.ExportDay)
	}
}
