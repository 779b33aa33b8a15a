// SPDX-License-Identifier: MPL-2.0

// Package people has the people that are seeded to measure it, in the forms in which the
// programs beside it need them.
package people

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// The scope of the people.
const (
	Org     = "org-bench"
	Project = "web"
)

// Person is somebody who is seeded.
type Person struct {
	IdentityID    string `json:"identity_id,omitempty"`
	Clause1       bool   `json:"clause_1_consent"`
	Clause2       bool   `json:"clause_2_consent"`
	Clause3       bool   `json:"clause_3_consent"`
	Clause4       bool   `json:"clause_4_consent"`
	Clause5       bool   `json:"clause_5_consent"`
	UserIPv6      string `json:"user_ipv6"`
	AgreementTime string `json:"agreement_time"`
}

// Number returns the person with a number from 0.
func Number(i int) Person {
	return Person{
		IdentityID: fmt.Sprintf("user-%06d@example.com", i),
		Clause1:    true, Clause2: true, Clause3: i%2 == 0, Clause4: i%3 == 0,
		UserIPv6:      fmt.Sprintf("2001:db8::%x:%x", i>>16, i&0xffff),
		AgreementTime: time.Date(2026, 2, 1, 8, 0, i%86_400, 0, time.UTC).Format(time.RFC3339),
	}
}

// CSV returns the file of a batch with n people.
func CSV(n int) []byte {
	var b bytes.Buffer
	b.WriteString("identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,user_ipv6,agreement_time\n")
	for i := range n {
		p := Number(i)
		fmt.Fprintf(&b, "%s,%t,%t,%t,%t,%t,%s,%s\n", p.IdentityID, p.Clause1, p.Clause2, p.Clause3, p.Clause4, p.Clause5, p.UserIPv6, p.AgreementTime)
	}
	return b.Bytes()
}

// JSON returns a value for var.people with n people.
func JSON(n int) ([]byte, error) {
	all := map[string]Person{}
	for i := range n {
		p := Number(i)
		all[p.IdentityID] = p
	}
	return json.Marshal(map[string]any{"people": all})
}
