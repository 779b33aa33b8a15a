package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// person is somebody who is seeded.
type person struct {
	IdentityID    string `json:"identity_id,omitempty"`
	Clause1       bool   `json:"clause_1_consent"`
	Clause2       bool   `json:"clause_2_consent"`
	Clause3       bool   `json:"clause_3_consent"`
	Clause4       bool   `json:"clause_4_consent"`
	Clause5       bool   `json:"clause_5_consent"`
	UserIPv6      string `json:"user_ipv6"`
	AgreementTime string `json:"agreement_time"`
}

func personNumber(i int) person {
	return person{
		IdentityID: fmt.Sprintf("user-%06d@example.com", i),
		Clause1:    true, Clause2: true, Clause3: i%2 == 0, Clause4: i%3 == 0,
		UserIPv6:      fmt.Sprintf("2001:db8::%x:%x", i>>16, i&0xffff),
		AgreementTime: time.Date(2026, 2, 1, 8, 0, i%86_400, 0, time.UTC).Format(time.RFC3339),
	}
}

// peopleCSV returns the file of a batch with n people.
func peopleCSV(n int) []byte {
	var b bytes.Buffer
	b.WriteString("identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,user_ipv6,agreement_time\n")
	for i := range n {
		p := personNumber(i)
		fmt.Fprintf(&b, "%s,%t,%t,%t,%t,%t,%s,%s\n", p.IdentityID, p.Clause1, p.Clause2, p.Clause3, p.Clause4, p.Clause5, p.UserIPv6, p.AgreementTime)
	}
	return b.Bytes()
}

// peopleJSON returns a value for var.people with n people.
func peopleJSON(n int) ([]byte, error) {
	people := map[string]person{}
	for i := range n {
		p := personNumber(i)
		people[p.IdentityID] = p
	}
	return json.Marshal(map[string]any{"people": people})
}
