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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	consent = "analytics_consent"
	person  = "jane.doe@example.com"
)

var scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

// TestCLIDriver_doesWhatTheCLIDoes applies the same random consents with the CLI and with the driver, each
// to a service of its own.
func TestCLIDriver_doesWhatTheCLIDoes(t *testing.T) {
	t.Parallel()
	acctest.PreCheck(t, acctest.WriteOnlyAttributes)
	for i := range soak.Schedules(1, 40) {
		seed := soak.Seed(i)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			soak.Add(soak.Tried, 1)
			random := rand.New(rand.NewPCG(seed, 0))
			first, second := mocktest.Start(t), mocktest.Start(t)
			cli := clitest.New(t, acctest.Block(first), nil)
			d := &driver{Provider: prototest.MustStart(t, prototest.Config(second)), t: t}

			for step := range 6 {
				drift(random, first, second)
				config := randomConsent(random)
				if step > 0 && random.IntN(4) == 0 {
					config = nil
				}

				writeResource(t, cli, config)
				result := cli.Run("apply", "-auto-approve")
				errors := d.apply(config)
				if result.Code != 0 != (len(errors) > 0) {
					t.Errorf("step %d: the CLI prints\n%s\nand the driver %q", step, result.Output, errors)
				}
				if diff := cmp.Diff(requests(t, first), requests(t, second)); diff != "" {
					t.Errorf("step %d: the driver sends other requests (-CLI +driver):\n%s\nfor\n%v", step, diff, config)
				}

				var stored, held []string
				for _, object := range cli.Stored("") {
					stored = append(stored, inJSON(t, object.Attributes))
				}
				if d.state != nil {
					held = append(held, inJSON(t, d.state.Attributes))
				}
				if diff := cmp.Diff(stored, held); diff != "" {
					t.Errorf("step %d: the driver has another state (-CLI +driver):\n%s\nfor\n%v", step, diff, config)
				}
			}
		})
	}
}

// driver applies configurations of a resource as the CLI does: a plan, and an apply in a run of its
// own.
type driver struct {
	*prototest.Provider

	t     *testing.T
	state *prototest.State
}

// apply returns the errors.
func (d *driver) apply(config prototest.Attributes) []string {
	d.NewRun()
	if config != nil {
		if errors := d.Validate(consent, config).Errors(); len(errors) > 0 {
			return errors
		}
	}

	if d.state != nil {
		state, diags := d.Refresh(consent, d.state)
		if errors := diags.Errors(); len(errors) > 0 {
			return errors
		}
		d.state = state
	}
	if d.state == nil && config == nil {
		return nil
	}

	plan, diags := d.Plan(consent, d.state, config)
	if errors := diags.Errors(); len(errors) > 0 || !plan.Changes {
		return errors
	}

	d.NewRun()
	state, diags := d.Apply(d.t.Context(), consent, d.state, plan)
	d.state = state

	return diags.Errors()
}

// drift changes at both services what they hold.
func drift(random *rand.Rand, services ...*mocktest.Instance) {
	choice, clauses := random.IntN(3), [5]bool{random.IntN(2) == 0, true, true, random.IntN(2) == 0, true}
	agreed := oneOf(random, nil, "2026-01-01T00:00:00Z", "2026-06-01T00:00:00Z")
	for _, service := range services {
		switch choice {
		case 0:
			service.PutConsent(scope, person, mockserver.ConsentRecord{Clauses: clauses, AgreementTime: agreed})
		case 1:
			service.DeleteConsent(scope, person)
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

func oneOf(random *rand.Rand, values ...any) any { return values[random.IntN(len(values))] }

// writeResource gives the CLI a resource in its syntax of JSON; none for nil.
func writeResource(t *testing.T, cli *clitest.CLI, config prototest.Attributes) {
	t.Helper()
	configuration := map[string]any{}
	if config != nil {
		configuration["resource"] = map[string]any{consent: map[string]any{"this": config}}
	}
	if err := os.WriteFile(filepath.Join(cli.Dir, "resources.tf.json"), []byte(inJSON(t, configuration)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// requests returns what a service has received, logins aside, sorted, since the CLI does
// several things at once.
func requests(t *testing.T, service *mocktest.Instance) (texts []string) {
	t.Helper()
	for _, r := range service.Requests() {
		if r.Operation != mockserver.OpLogin {
			texts = append(texts, r.Method+" "+r.EscapedPath+" "+inJSON(t, r.Sent))
		}
	}
	slices.Sort(texts)

	return texts
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
