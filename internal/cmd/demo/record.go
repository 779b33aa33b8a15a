package main

import (
	"fmt"
	"strings"
	"time"
)

// consent is a person's record, as the service and the configuration have it.
type consent struct {
	Clause1       bool   `json:"clause_1_consent"`
	Clause2       bool   `json:"clause_2_consent"`
	Clause3       bool   `json:"clause_3_consent"`
	Clause4       bool   `json:"clause_4_consent"`
	Clause5       bool   `json:"clause_5_consent"`
	AgreementTime string `json:"agreement_time,omitempty"`
	Manual        *bool  `json:"manual,omitempty"`
}

func (c consent) list() [5]bool {
	return [5]bool{c.Clause1, c.Clause2, c.Clause3, c.Clause4, c.Clause5}
}

// clauses is the record without what belongs to one agreement only.
func (c consent) clauses() consent {
	c.AgreementTime, c.Manual = "", nil
	return c
}

// String names the clauses agreed to, such as "agreed to clauses 1 and 2".
func (c consent) String() string {
	var agreed []string
	for i, yes := range c.list() {
		if yes {
			agreed = append(agreed, fmt.Sprint(i+1))
		}
	}
	switch len(agreed) {
	case 0:
		return "agrees to nothing"
	case 1:
		return "agrees to clause " + agreed[0]
	}
	last := len(agreed) - 1
	return "agrees to clauses " + strings.Join(agreed[:last], ", ") + " and " + agreed[last]
}

// difference says where got is not as c has it, or nothing. The time of agreement
// and its origin are compared where c has them, the former as an instant.
func (c consent) difference(got consent) string {
	var found []string
	for i, wanted := range c.list() {
		if have := got.list()[i]; have != wanted {
			found = append(found, fmt.Sprintf("clause %d is %t instead of %t", i+1, have, wanted))
		}
	}
	if c.AgreementTime != "" && !sameInstant(c.AgreementTime, got.AgreementTime) {
		found = append(found, fmt.Sprintf("agreement_time is %q instead of %q", got.AgreementTime, c.AgreementTime))
	}
	if c.Manual != nil && (got.Manual == nil || *got.Manual != *c.Manual) {
		found = append(found, fmt.Sprintf("manual is not %t", *c.Manual))
	}
	return strings.Join(found, ", ")
}

func sameInstant(a, b string) bool {
	first, err := time.Parse(time.RFC3339, a)
	if err != nil {
		return false
	}
	second, err := time.Parse(time.RFC3339, b)
	return err == nil && first.Equal(second)
}
