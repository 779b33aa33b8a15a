// SPDX-License-Identifier: MPL-2.0

package clitest

import (
	"encoding/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// stateFile is what tests look at in a state file, which some versions of the CLI write
// with white space and others without.
type stateFile struct {
	Resources []struct {
		Type, Name string
		Instances  []Stored
	}
}

// Stored is an object in a state file.
type Stored struct {
	Key        any                  `json:"index_key"` // of for_each; nil without
	Attributes prototest.Attributes `json:"attributes"`
	Private    string               `json:"private"`
}

func (c *CLI) state() stateFile {
	c.tb.Helper()
	var state stateFile
	if err := json.Unmarshal([]byte(c.ReadFile("terraform.tfstate")), &state); err != nil {
		c.tb.Fatal(err)
	}

	return state
}

// Attribute returns an attribute of a resource in the state file, as JSON decodes it; nil
// where the state does not have it. address has the type and the name of the resource.
func (c *CLI) Attribute(address, name string) any {
	c.tb.Helper()
	for _, r := range c.state().Resources {
		if r.Type+"."+r.Name == address && len(r.Instances) > 0 {
			return r.Instances[0].Attributes[name]
		}
	}

	return nil
}

// Stored returns the objects in the state file.
func (c *CLI) Stored() (all []Stored) {
	c.tb.Helper()
	for _, r := range c.state().Resources {
		all = append(all, r.Instances...)
	}
	return all
}
