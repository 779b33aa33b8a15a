// SPDX-License-Identifier: MPL-2.0

package clitest

import (
	"encoding/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// stateFile is what tests look at in a state file, which some versions of the CLI write
// with white space and others without.
type stateFile struct {
	Resources []struct {
		Type, Name string
		Instances  []Stored
	}
}

// Stored is an object in a state file. A CLI that does not know of identities stores none.
type Stored struct {
	Attributes prototest.Attributes `json:"attributes"`
	Identity   prototest.Attributes `json:"identity"`
}

func (c *CLI) state(file string) stateFile {
	c.tb.Helper()
	var state stateFile
	if err := json.Unmarshal([]byte(c.ReadFile(file)), &state); err != nil {
		c.tb.Fatal(err)
	}

	return state
}

// Attribute returns an attribute of a resource in the state file, as JSON decodes it; nil
// where the state does not have it. address has the type and the name of the resource.
func (c *CLI) Attribute(address, name string) any {
	c.tb.Helper()
	for _, r := range c.state("terraform.tfstate").Resources {
		if r.Type+"."+r.Name == address && len(r.Instances) > 0 {
			return r.Instances[0].Attributes[name]
		}
	}

	return nil
}

// Stored returns the object in a state file. It fails the test unless the file has exactly
// one.
func (c *CLI) Stored(file string) Stored {
	c.tb.Helper()
	state := c.state(file)
	if len(state.Resources) != 1 || len(state.Resources[0].Instances) != 1 {
		c.tb.Fatalf("%s holds other objects than one: %+v", file, state.Resources)
	}

	return state.Resources[0].Instances[0]
}
