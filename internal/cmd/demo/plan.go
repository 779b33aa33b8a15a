package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

// plan is the part of `terraform show -json PLAN` that the demo checks.
type plan struct {
	ResourceChanges []resourceChange `json:"resource_changes"`
}

type resourceChange struct {
	Address string `json:"address"`
	Change  struct {
		Actions   []string        `json:"actions"`
		After     json.RawMessage `json:"after"`
		Importing *struct {
			ID string `json:"id"`
		} `json:"importing"`
	} `json:"change"`
}

// changes returns what a plan does, as "update ADDRESS", leaving out what stays
// as it is; an import is "import ADDRESS".
func (p *plan) changes() []string {
	var list []string
	for _, rc := range p.ResourceChanges {
		if rc.Change.Importing != nil {
			list = append(list, "import "+rc.Address)
		}
		for _, action := range rc.Change.Actions {
			if action != "no-op" && action != "read" {
				list = append(list, action+" "+rc.Address)
			}
		}
	}
	return list
}

// readPlan decodes a saved plan.
func readPlan(ctx context.Context, tf *stage.Terraform, file string) (*plan, error) {
	res, err := tf.Run(ctx, "show", "-json", file)
	if err != nil {
		return nil, err
	}
	var p plan
	if err := json.Unmarshal([]byte(res.Stdout), &p); err != nil {
		return nil, &stage.UnexpectedError{Reason: fmt.Sprintf("%s show -json printed no plan: %v", tf.Name, err), Transcript: res.All()}
	}
	return &p, nil
}

// planned returns the consent of each person as the plan would have it, by identity.
func (p *plan) planned() (map[string]consent, error) {
	people := map[string]consent{}
	for _, rc := range p.ResourceChanges {
		var after struct {
			Identity string `json:"identity_id"`
			consent
		}
		if err := json.Unmarshal(rc.Change.After, &after); err != nil || after.Identity == "" {
			return nil, fmt.Errorf("the plan says nothing of a person at %s", rc.Address)
		}
		people[after.Identity] = after.consent
	}
	return people, nil
}

// expect compares what a plan does with what it should do.
func (p *plan) expect(wanted ...string) error {
	got := p.changes()
	slices.Sort(got)
	slices.Sort(wanted)
	if slices.Equal(got, wanted) {
		return nil
	}
	return fmt.Errorf("the plan should do [%s] and would do [%s]", strings.Join(wanted, ", "), strings.Join(got, ", "))
}
