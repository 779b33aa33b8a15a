// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"bytes"
	"cmp"
	jsonv1 "encoding/json"
	"errors"
	"fmt"
	"io"
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

// SeedRecord is a record of a person: org_id and project_id, or account_id, identity_id
// (section 2, Identifiers), and its fields. They are those of a consent, where absent clauses
// are false and agreement_time is a text or a number; profile, an object; or data, as
// Server.PutData takes them.
type SeedRecord map[string]any

// SeedExport holds the records of one UTC day; see Server.PutExport.
type SeedExport struct {
	OrgID     string `json:"org_id"`
	ProjectID string `json:"project_id"`
	UTCDate   string `json:"utc_date"`

	ExportDay
}

// Scope returns the scope of the person.
func (r SeedRecord) Scope() Scope {
	return Scope{OrgID: r.text("org_id"), ProjectID: r.text("project_id"), AccountID: r.text("account_id")}
}

func (r SeedRecord) text(name string) string {
	text, _ := r[name].(string)
	return text
}

// fields returns what a record has beside its person, without what is null.
func (r SeedRecord) fields() map[string]any {
	fields := maps.Clone(map[string]any(r))
	maps.DeleteFunc(fields, func(name string, value any) bool {
		return value == nil || slices.Contains([]string{"org_id", "project_id", "account_id", "identity_id"}, name)
	})
	return fields
}

// ReadSeed reads a seed as JSON. Unknown and repeated names are errors, so that no part
// of a seed is ignored. Errors name the place.
func ReadSeed(r io.Reader) (Seed, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Seed{}, fmt.Errorf("the seed cannot be read: %w", err)
	}

	var seed Seed
	if err := json.Unmarshal(text, &seed, json.RejectUnknownMembers(true), json.WithUnmarshalers(exactNumbers)); err != nil {
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

// exactNumbers decodes a number of any type as json.Number.
var exactNumbers = json.UnmarshalFromFunc(func(dec *jsontext.Decoder, value *any) error {
	if dec.PeekKind() != jsontext.KindNumber {
		return errors.ErrUnsupported
	}

	number, err := dec.ReadToken()
	*value = jsonv1.Number(number.String())

	return err
})

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
		if !(Scope{OrgID: e.OrgID, ProjectID: e.ProjectID}).valid() || !isDay(e.UTCDate) {
			return fmt.Errorf("exports[%d] needs org_id, project_id and utc_date, YYYY-MM-DD", i)
		}
	}

	return cmp.Or(
		validateRecords("consents", seed.Consents, consentObjection),
		validateRecords("profiles", seed.Profiles, func(fields map[string]any) string {
			if _, ok := fields["profile"].(map[string]any); !ok || len(fields) != 1 {
				return "needs profile, an object, and nothing else"
			}
			return ""
		}),
		validateRecords("data", seed.Data, func(fields map[string]any) string {
			if _, ok := fields["data"]; !ok || len(fields) != 1 {
				return "needs data, and nothing else"
			}
			return ""
		}),
	)
}

func validateRecords(name string, records []SeedRecord, objectionTo func(fields map[string]any) string) error {
	for i, r := range records {
		objection := objectionTo(r.fields())
		if r.text("identity_id") == "" || !r.Scope().valid() {
			objection = "needs identity_id, and either org_id and project_id, or account_id"
		}
		if objection != "" {
			return fmt.Errorf("%s[%d] %s", name, i, objection)
		}
	}

	return nil
}

// consentObjection returns what is wrong with the first field that is wrong.
func consentObjection(fields map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var wire Wire
		if _, isNumber := fields[name].(jsonv1.Number); isNumber {
			wire.AgreementTimeFormat = TimeUnixMS
		}
		if _, objection := consentField(name, fields[name], wire); objection != "" {
			return name + " " + objection
		}
	}

	return ""
}

// Load adds the content of a seed in JSON. It adds nothing if ReadSeed returns an error.
func (s *Server) Load(r io.Reader) error {
	seed, err := ReadSeed(r)
	if err == nil {
		s.Add(seed)
	}
	return err
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
		s.PutConsent(r.Scope(), r.text("identity_id"), ConsentRecord{Extra: r.fields()})
	}
	for _, r := range seed.Profiles {
		s.PutProfile(r.Scope(), r.text("identity_id"), string(encode(r["profile"])))
	}
	for _, r := range seed.Data {
		s.PutData(r.Scope(), r.text("identity_id"), r["data"])
	}

	for _, e := range seed.Exports {
		s.PutExport(Scope{OrgID: e.OrgID, ProjectID: e.ProjectID}, e.UTCDate, e.ExportDay)
	}
}
