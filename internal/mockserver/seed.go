// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

// Seed is the initial content of a server, as JSON.
type Seed struct {
	Users      []SeedUser `json:"users"`
	SecretKeys []string   `json:"secret_keys"`
	// Consents have the fields of section 2; absent clauses are false.
	Consents []struct {
		SeedPerson

		Fields map[string]any `json:",embed"`
	} `json:"consents"`
	Profiles []struct {
		SeedPerson

		Profile map[string]any `json:"profile"`
	} `json:"profiles"`
	// Data are held beside profile and consent (section 4, all-data). The members of an object become members
	// of what getAllData answers and replace its own of the same name; any other value becomes its member "data".
	Data []struct {
		SeedPerson

		Data any `json:"data"`
	} `json:"data"`
	// Exports hold the records of UTC days; see Server.PutExport.
	Exports []struct {
		Scope
		ExportDay

		UTCDate string `json:"utc_date"`
	} `json:"exports"`
}

// SeedUser is a user who can log in (section 2, Login request).
type SeedUser struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// SeedPerson is whom a record is about (section 2, Identifiers).
type SeedPerson struct {
	Scope

	IdentityID string `json:"identity_id"`
}

// ReadSeed reads a seed as JSON. Unknown and repeated names are errors, so that no part
// of a seed is ignored. Errors name the place.
func ReadSeed(text []byte) (seed Seed, err error) {
	if err := json.Unmarshal(text, &seed, json.RejectUnknownMembers(true), exactNumbers); err != nil {
		return Seed{}, fmt.Errorf("the seed cannot be understood: %w", err)
	}

	for _, p := range seed.people() {
		if p.IdentityID == "" || !p.valid() {
			return Seed{}, fmt.Errorf("the seed cannot be used: %s needs identity_id, and either org_id and project_id, or account_id", encode(p))
		}
	}
	for i, c := range seed.Consents {
		for name, value := range c.Fields {
			if !isRight(name, value, !parseTime(value).IsZero()) {
				return Seed{}, fmt.Errorf("the seed cannot be used: %s of consents[%d] is wrong, or is not known", name, i)
			}
		}
	}
	for i, e := range seed.Exports {
		if e.OrgID == "" || !e.valid() || !isDay(e.UTCDate) {
			return Seed{}, fmt.Errorf("the seed cannot be used: exports[%d] needs org_id, project_id and utc_date, YYYY-MM-DD", i)
		}
	}

	return seed, nil
}

// people returns whom the records are about, in their order.
func (seed Seed) people() (all []SeedPerson) {
	for _, c := range seed.Consents {
		all = append(all, c.SeedPerson)
	}
	for _, p := range seed.Profiles {
		all = append(all, p.SeedPerson)
	}
	for _, d := range seed.Data {
		all = append(all, d.SeedPerson)
	}

	return all
}

// Scope returns the scope of the first person, or else of the first export; zero without both.
func (seed Seed) Scope() Scope {
	for _, p := range seed.people() {
		return p.Scope
	}
	for _, e := range seed.Exports {
		return e.Scope
	}
	return Scope{}
}

// Add adds the content of a seed that ReadSeed has returned.
func (s *Server) Add(seed Seed) {
	for _, u := range seed.Users {
		s.AddUser(u.Email, u.Password)
	}
	for _, key := range seed.SecretKeys {
		s.AddSecretKey(key)
	}

	for _, c := range seed.Consents {
		s.PutConsent(c.Scope, c.IdentityID, ConsentRecord{Extra: c.Fields})
	}
	for _, p := range seed.Profiles {
		s.put(&s.profiles, person{p.Scope, p.IdentityID}, p.Profile)
	}
	for _, d := range seed.Data {
		data, isObject := d.Data.(map[string]any)
		if !isObject {
			data = map[string]any{"data": d.Data}
		}
		s.put(&s.data, person{d.Scope, d.IdentityID}, data)
	}
	for _, e := range seed.Exports {
		s.PutExport(e.Scope, e.UTCDate, e.ExportDay)
	}
}
