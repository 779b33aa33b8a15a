// SPDX-License-Identifier: MPL-2.0

package prototest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

const (
	consent = "analytics_consent"
	profile = "analytics_profile"
	person  = "jane.doe@example.com"
)

var scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

// TestCLIDriver_doesWhatTheCLIDoes applies the same random configurations with the CLI and
// with the driver, each to a service of its own.
func TestCLIDriver_doesWhatTheCLIDoes(t *testing.T) {
	t.Parallel()
	acctest.PreCheck(t, acctest.WriteOnlyAttributes)
	for i := range soak.Schedules(1, 40) {
		seed := soak.Seed(i)
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			soak.Add(soak.Tried, 1)

			random := rand.New(rand.NewPCG(seed, 0))
			first, second := mocktest.Start(t), mocktest.Start(t)
			cli := clitest.New(t, acctest.Block(first), nil)
			d := &driver{t: t, Provider: prototest.MustStart(t, prototest.Config(second)), states: map[string]*prototest.State{}}

			for step := range 4 {
				drift(random, first, second)
				configs := map[string]prototest.Attributes{consent: randomConsent(random), profile: randomProfile(random)}
				if random.IntN(6) == 0 {
					delete(configs, []string{consent, profile}[random.IntN(2)])
				}

				configure(t, cli, configs)
				result := cli.Run("apply", "-auto-approve")
				errors := d.applyAll(configs)
				if result.Code != 0 != (len(errors) > 0) {
					t.Errorf("step %d: the CLI prints\n%s\nand the driver %q", step, result.Output, errors)
				}
				if diff := cmp.Diff(requests(t, first), requests(t, second)); diff != "" {
					t.Errorf("step %d: the driver sends other requests (-CLI +driver):\n%s\nfor\n%v", step, diff, configs)
				}
				for _, name := range []string{consent, profile} {
					if diff := cmp.Diff(stored(t, cli, name), normal(t, d.attributes(name))); diff != "" {
						t.Errorf("step %d: the driver has another state of %s (-CLI +driver):\n%s\nfor\n%v", step, name, diff, configs)
					}
				}
			}
		})
	}
}

// driver applies configurations as the CLI does: everything is planned, and then applied in
// a run of its own.
type driver struct {
	*prototest.Provider

	t      *testing.T
	states map[string]*prototest.State
}

// applyAll applies a resource of each type, and returns the errors.
func (d *driver) applyAll(configs map[string]prototest.Attributes) (errors []string) {
	d.NewRun()
	plans := map[string]prototest.Plan{}
	for _, name := range []string{consent, profile} {
		plan, failed := d.plan(name, configs[name])
		errors = append(errors, failed...)
		if plan.Changes {
			plans[name] = plan
		}
	}
	if len(errors) > 0 {
		return errors
	}

	d.NewRun()
	for name, plan := range plans {
		state, diags := d.Apply(d.t.Context(), name, d.states[name], plan)
		d.states[name] = state
		errors = append(errors, diags.Errors()...)
	}

	return errors
}

func (d *driver) plan(name string, config prototest.Attributes) (prototest.Plan, []string) {
	if config != nil {
		if errors := d.Validate(name, config).Errors(); len(errors) > 0 {
			return prototest.Plan{}, errors
		}
	}

	if d.states[name] != nil {
		state, diags := d.Refresh(name, d.states[name])
		if errors := diags.Errors(); len(errors) > 0 {
			return prototest.Plan{}, errors
		}
		d.states[name] = state
	}
	if d.states[name] == nil && config == nil {
		return prototest.Plan{}, nil
	}

	plan, diags := d.Plan(name, d.states[name], config)

	return plan, diags.Errors()
}

func (d *driver) attributes(name string) any {
	if d.states[name] == nil {
		return nil
	}
	return d.states[name].Attributes
}

// drift changes at both services what they hold.
func drift(random *rand.Rand, services ...*mocktest.Instance) {
	choice, clauses := random.IntN(5), [5]bool{random.IntN(2) == 0, true, true, random.IntN(2) == 0, true}
	agreed := oneOf(random, nil, "2026-01-01T00:00:00Z", "2026-06-01T00:00:00Z")
	member := oneOf(random, `"gold"`, `"silver"`, "null")
	for _, service := range services {
		switch choice {
		case 0:
			service.PutConsent(scope, person, mockserver.ConsentRecord{Clauses: clauses, AgreementTime: agreed})
		case 1:
			service.DeleteConsent(scope, person)
		case 2:
			service.PutProfile(scope, person, fmt.Sprintf(`{"plan":%s,"other":1}`, member))
		case 3:
			service.DeleteProfile(scope, person)
		}
		service.Reset()
	}
}

// randomConsent returns a valid consent, in which each optional attribute may be null.
func randomConsent(random *rand.Rand) prototest.Attributes {
	config := prototest.Attributes{
		"identity_id":       person,
		"agreement_time":    oneOf(random, nil, "2026-01-31T12:00:00Z", "2026-01-31T13:00:00+01:00", "2026-03-31T12:00:00Z"),
		"user_ipv6":         oneOf(random, nil, "192.0.2.7", "::ffff:192.0.2.7", "2001:db8::1"),
		"manual":            oneOf(random, nil, true, false),
		"keep_later_choice": oneOf(random, nil, true, false),
		"on_destroy":        oneOf(random, nil, "retain", "withdraw"),
	}
	for clause := range 5 {
		config[fmt.Sprintf("clause_%d_consent", clause+1)] = random.IntN(4) != 0
	}
	if random.IntN(3) == 0 {
		config["user_ipv6"], config["user_ipv6_wo"], config["user_ipv6_wo_version"] = nil, "192.0.2.8", random.IntN(2)
	}

	return config
}

// randomProfile returns a valid profile, in which each optional attribute may be null.
func randomProfile(random *rand.Rand) prototest.Attributes {
	config := prototest.Attributes{
		"identity_id": person,
		"profile":     oneOf(random, `{"plan":"gold"}`, `{ "plan": "gold" }`, `{"plan":"silver","seats":2}`, `{"seats":null}`),
		"on_destroy":  oneOf(random, nil, "retain", "clear"),
		"timeouts":    oneOf(random, nil, prototest.Attributes{"create": "1m"}),
	}
	if random.IntN(3) == 0 {
		config["profile"], config["profile_wo"], config["profile_wo_version"] = nil, `{"plan":"bronze"}`, random.IntN(2)
	}

	return config
}

func oneOf(random *rand.Rand, values ...any) any { return values[random.IntN(len(values))] }

// configure gives the CLI a resource of each type, in its syntax of JSON.
func configure(t *testing.T, cli *clitest.CLI, configs map[string]prototest.Attributes) {
	t.Helper()
	resources := map[string]any{}
	for name, config := range configs {
		resources[name] = map[string]any{"this": config}
	}

	text, err := json.Marshal(map[string]any{"resource": resources})
	if err == nil {
		err = os.WriteFile(filepath.Join(cli.Dir, "resources.tf.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// requests returns what a service has received, logins aside, sorted, since the CLI does
// several things at once.
func requests(t *testing.T, service *mocktest.Instance) []string {
	t.Helper()
	var texts []string
	for _, r := range service.Requests() {
		if r.Operation == mockserver.OpLogin {
			continue
		}
		sent, err := json.Marshal(r.Sent)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, r.Method+" "+r.EscapedPath+" "+string(sent))
	}
	slices.Sort(texts)

	return texts
}

// stored returns the attributes in the state file; nil where the object is not there.
func stored(t *testing.T, cli *clitest.CLI, name string) any {
	t.Helper()
	var state struct {
		Resources []struct {
			Type      string
			Instances []struct{ Attributes any }
		}
	}
	if err := json.Unmarshal([]byte(cli.ReadFile("terraform.tfstate")), &state); err != nil {
		t.Fatal(err)
	}
	for _, r := range state.Resources {
		if r.Type == name {
			return r.Instances[0].Attributes
		}
	}

	return nil
}

// normal returns values as JSON decodes them.
func normal(t *testing.T, values any) (decoded any) {
	t.Helper()
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatal(err)
	}

	return decoded
}
