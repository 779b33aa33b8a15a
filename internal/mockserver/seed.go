// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
)

// Seed is the initial content of a server, as JSON.
type Seed struct {
	Users      []SeedUser `json:"users"`
	SecretKeys []string   `json:"secret_keys"`
	// Consents have the fields of section 2, where absent clauses are false; Profiles have the object "profile". The
	// members of the object "data" of Data become members of what getAllData answers (section 4).
	Consents []SeedRecord `json:"consents"`
	Profiles []SeedRecord `json:"profiles"`
	Data     []SeedRecord `json:"data"`
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

// SeedRecord is what the service holds of a person (section 2, Identifiers).
type SeedRecord struct {
	Scope

	IdentityID string         `json:"identity_id"`
	Fields     map[string]any `json:",embed"`
}

// ReadSeed reads a seed as JSON. Unknown and repeated names are errors. Errors name the place.
func ReadSeed(text []byte) (seed Seed, err error) {
	if err := json.Unmarshal(text, &seed, json.RejectUnknownMembers(true), exactNumbers); err != nil {
		return Seed{}, fmt.Errorf("the seed cannot be understood: %w", err)
	}

	for list, records := range map[string][]SeedRecord{"consents": seed.Consents, "profiles": seed.Profiles, "data": seed.Data} {
		for i, r := range records {
			maps.DeleteFunc(r.Fields, func(_ string, value any) bool { return value == nil }) // as jsonencode writes what is left out
			if objection := r.objection(list); objection != "" {
				return Seed{}, fmt.Errorf("the seed cannot be used: %s[%d]%s", list, i, objection)
			}
		}
	}
	for i, e := range seed.Exports {
		if _, err := time.Parse(time.DateOnly, e.UTCDate); err != nil || e.OrgID == "" || !e.valid() {
			return Seed{}, fmt.Errorf("the seed cannot be used: exports[%d] needs org_id, project_id and utc_date, YYYY-MM-DD", i)
		}
	}

	return seed, nil
}

// objection returns what is wrong with a record of a list, or "".
func (r SeedRecord) objection(list string) string {
	if r.IdentityID == "" || !r.valid() {
		return " needs identity_id, and either org_id and project_id, or account_id"
	}

	for name, value := range r.Fields {
		_, isObject := value.(map[string]any)
		isKnown := isObject && name == map[string]string{"profiles": "profile", "data": "data"}[list]
		if list == "consents" {
			isKnown = isRight(name, value, "")
		}
		if !isKnown {
			return "." + name + " is wrong, or is not known"
		}
	}

	return ""
}

// Scope returns the scope of the first person, or else of the first export; zero without both.
func (seed Seed) Scope() Scope {
	for _, r := range slices.Concat(seed.Consents, seed.Profiles, seed.Data) {
		return r.Scope
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
		profile, _ := p.Fields["profile"].(map[string]any)
		s.put(&s.profiles, scoped{p.Scope, p.IdentityID}, profile)
	}
	for _, d := range seed.Data {
		data, _ := d.Fields["data"].(map[string]any)
		s.put(&s.data, scoped{d.Scope, d.IdentityID}, data)
	}
	for _, e := range seed.Exports {
		s.PutExport(e.Scope, e.UTCDate, e.ExportDay)
	}
}
