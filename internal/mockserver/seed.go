// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"bytes"
	jsonv1 "encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Seed is the initial content of a server, as JSON.
type Seed struct {
	Users      []SeedUser   `json:"users"`
	SecretKeys []string     `json:"secret_keys"`
	Consents   []SeedRecord `json:"consents"`
	Profiles   []SeedRecord `json:"profiles"`
	Data       []SeedRecord `json:"data"`
	Exports    []SeedExport `json:"exports"`
}

// SeedUser is a user who can log in (section 2, Login request).
type SeedUser struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// SeedRecord is a record of a person (section 2, Identifiers). Its fields are those of a
// consent, where absent clauses are false and agreement_time is a text or a number; profile,
// an object; or data, which the service holds beside profile and consent (section 4, all-data).
// The members of data that are an object become members of what getAllData answers and replace
// its own of the same name; any other value becomes its member "data".
type SeedRecord struct {
	Scope

	IdentityID string         `json:"identity_id"`
	Fields     map[string]any `json:",embed"`
}

// SeedExport holds the records of one UTC day; see Server.PutExport.
type SeedExport struct {
	Scope
	ExportDay

	UTCDate string `json:"utc_date"`
}

// ReadSeed reads a seed as JSON. Unknown and repeated names are errors, so that no part
// of a seed is ignored. Errors name the place.
func ReadSeed(text []byte) (Seed, error) {
	var seed Seed
	if err := json.Unmarshal(text, &seed, json.RejectUnknownMembers(true), exactNumbers); err != nil {
		var offset int64
		if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			offset = syntactic.ByteOffset
		} else if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
			offset = semantic.ByteOffset
		}
		line := bytes.Count(text[:offset], []byte("\n")) + 1

		return Seed{}, fmt.Errorf("the seed cannot be understood: line %d: %w", line, err)
	}
	if err := seed.validate(); err != nil {
		return Seed{}, fmt.Errorf("the seed cannot be used: %w", err)
	}

	return seed, nil
}

// validate returns the first thing that is missing or wrong, with its place.
func (seed Seed) validate() error {
	for i, u := range seed.Users {
		if u.Email == "" || u.Password == "" {
			return fmt.Errorf("users[%d] needs email and password", i)
		}
	}
	if i := slices.Index(seed.SecretKeys, ""); i >= 0 {
		return fmt.Errorf("secret_keys[%d] is empty", i)
	}
	for i, e := range seed.Exports {
		if !e.valid() || e.OrgID == "" || !isDay(e.UTCDate) {
			return fmt.Errorf("exports[%d] needs org_id, project_id and utc_date, YYYY-MM-DD", i)
		}
	}

	lists := map[string][]SeedRecord{"consents": seed.Consents, "profiles": seed.Profiles, "data": seed.Data}
	for _, list := range slices.Sorted(maps.Keys(lists)) {
		for i, r := range lists[list] {
			if objection := r.objection(list); objection != "" {
				return fmt.Errorf("%s[%d] %s", list, i, objection)
			}
		}
	}

	return nil
}

// objection returns the first thing that is wrong with a record of a list, or "".
func (r SeedRecord) objection(list string) string {
	if r.IdentityID == "" || !r.valid() {
		return "needs identity_id, and either org_id and project_id, or account_id"
	}

	switch list {
	case "profiles":
		if _, isObject := r.Fields["profile"].(map[string]any); !isObject || len(r.Fields) > 1 {
			return "needs profile, an object, and nothing else"
		}
		return ""
	case "data":
		if _, hasData := r.Fields["data"]; !hasData || len(r.Fields) > 1 {
			return "needs data, and nothing else"
		}
		return ""
	}

	for _, name := range slices.Sorted(maps.Keys(r.Fields)) {
		format := TimeRFC3339
		if _, isNumber := r.Fields[name].(jsonv1.Number); isNumber {
			format = TimeUnixMS
		}
		if objection := objectionTo(name, r.Fields[name], format); objection != "" {
			return name + " " + objection
		}
	}

	return ""
}

// Add adds the content of a seed that ReadSeed has returned.
func (s *Server) Add(seed Seed) {
	for _, u := range seed.Users {
		s.AddUser(u.Email, u.Password)
	}
	for _, key := range seed.SecretKeys {
		s.AddSecretKey(key)
	}

	for _, r := range seed.Consents {
		s.PutConsent(r.Scope, r.IdentityID, ConsentRecord{Extra: r.Fields})
	}
	for _, r := range seed.Profiles {
		s.PutProfile(r.Scope, r.IdentityID, string(encode(r.Fields["profile"])))
	}
	for _, r := range seed.Data {
		data, ok := r.Fields["data"].(map[string]any)
		if !ok {
			data = r.Fields
		}
		s.put(&s.data, person{r.Scope, r.IdentityID}, data)
	}

	for _, e := range seed.Exports {
		s.PutExport(e.Scope, e.UTCDate, e.ExportDay)
	}
}
