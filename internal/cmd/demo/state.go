package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// state is the part of `terraform show -json` that the demo checks.
type state struct {
	Values struct {
		Outputs map[string]struct {
			Value any `json:"value"`
		} `json:"outputs"`
		Root struct {
			Resources []struct {
				Address string         `json:"address"`
				Values  map[string]any `json:"values"`
			} `json:"resources"`
		} `json:"root_module"`
	} `json:"values"`
}

// readState decodes what Terraform holds now.
func (d *demo) readState(ctx context.Context) (*state, error) {
	res, err := d.tf.Run(ctx, "show", "-json")
	if err != nil {
		return nil, err
	}
	var s state
	if err := json.Unmarshal([]byte(res.Stdout), &s); err != nil {
		return nil, fmt.Errorf("%s show -json printed no state: %w", d.tf.Name, err)
	}
	return &s, nil
}

// of returns the attributes of an object; nil where there is none.
func (s *state) of(address string) map[string]any {
	for _, r := range s.Values.Root.Resources {
		if r.Address == address {
			return r.Values
		}
	}
	return nil
}

// expect compares attributes of an object with the wanted ones.
func (s *state) expect(address string, wanted map[string]any) error {
	got := s.of(address)
	for name, value := range wanted {
		if got[name] != value {
			return fmt.Errorf("%s should have %s = %v in state and has %v", address, name, value, got[name])
		}
	}
	return nil
}

// stateFile is the state as it lies on the disk, where others may read it.
func (d *demo) stateFile() (string, error) {
	content, err := os.ReadFile(filepath.Join(d.tf.Dir, "terraform.tfstate"))
	if err != nil {
		return "", fmt.Errorf("the state could not be read: %w", err)
	}
	return string(content), nil
}
