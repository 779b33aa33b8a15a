package acctest

import "encoding/json"

// stateFile is what tests look at in a state file, which some versions of the CLI write
// with white space and others without.
type stateFile struct {
	Resources []struct {
		Type, Name string
		Instances  []struct{ Attributes map[string]any }
	}
}

// Attribute returns an attribute of a resource in the state file, as JSON decodes it; nil
// where the state does not have it. address has the type and the name of the resource.
func (c *CLI) Attribute(address, name string) any {
	c.tb.Helper()
	var state stateFile
	if err := json.Unmarshal([]byte(c.ReadFile("terraform.tfstate")), &state); err != nil {
		c.tb.Fatal(err)
	}

	for _, r := range state.Resources {
		if r.Type+"."+r.Name == address && len(r.Instances) > 0 {
			return r.Instances[0].Attributes[name]
		}
	}

	return nil
}
