// SPDX-License-Identifier: MPL-2.0

package prototest_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	consent = "analytics_consent"
	person  = "jane.doe@example.com"
)

// TestCLIDriver_doesWhatTheCLIDoes applies the same consents with the CLI and with the driver, each to a
// service of its own, and compares what both services receive and what both states hold.
func TestCLIDriver_doesWhatTheCLIDoes(t *testing.T) {
	t.Parallel()
	acctest.PreCheck(t, acctest.WriteOnlyAttributes)
	first, second := mocktest.Start(t), mocktest.Start(t)
	cli := clitest.New(t, acctest.Block(first), nil)
	d := &driver{Provider: prototest.MustStart(t, prototest.Config(second)), t: t}

	agreed := prototest.Attributes{
		"identity_id": person, "clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": false, "clause_4_consent": true, "clause_5_consent": true,
		"agreement_time": "2026-01-31T13:00:00+01:00",
	}
	later := mockserver.ConsentRecord{Clauses: [5]bool{0: true}, AgreementTime: "2026-06-01T00:00:00Z"}
	for _, step := range []struct {
		name   string
		held   *mockserver.ConsentRecord // what somebody else has recorded since the step before
		config prototest.Attributes
	}{
		{"a creation", nil, agreed.With(prototest.Attributes{"user_ipv6": "192.0.2.7", "on_destroy": "withdraw"})},
		{"nothing", nil, agreed.With(prototest.Attributes{"user_ipv6": "::ffff:192.0.2.7", "on_destroy": "withdraw"})},
		{"a write-only address", nil, agreed.With(prototest.Attributes{"user_ipv6_wo": "192.0.2.8", "user_ipv6_wo_version": 1})},
		{"a later choice", &later, agreed},
		{"it is overwritten", nil, agreed.With(prototest.Attributes{"keep_later_choice": false, "manual": true})},
		{"an error", nil, agreed.With(prototest.Attributes{"agreement_time": "yesterday"})},
		{"a replacement", nil, agreed.With(prototest.Attributes{"identity_id": "john.doe@example.com", "on_destroy": "withdraw"})},
		{"a destroy", nil, nil},
	} {
		for _, service := range []*mocktest.Instance{first, second} {
			service.Reset()
			if step.held != nil {
				service.PutConsent(mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}, person, *step.held)
			}
		}

		writeResource(t, cli, step.config)
		result := cli.Run("apply", "-auto-approve")
		errors := d.apply(step.config)
		if result.Code != 0 != (len(errors) > 0) {
			t.Errorf("%s: the CLI prints\n%s\nand the driver %q", step.name, result.Output, errors)
		}
		if diff := cmp.Diff(requests(t, first), requests(t, second)); diff != "" {
			t.Errorf("%s: the driver sends other requests (-CLI +driver):\n%s", step.name, diff)
		}

		var stored, held []string
		for _, object := range cli.Stored() {
			stored = append(stored, inJSON(t, object.Attributes))
		}
		if d.state != nil {
			held = append(held, inJSON(t, d.state.Attributes))
		}
		if diff := cmp.Diff(stored, held); diff != "" {
			t.Errorf("%s: the driver has another state (-CLI +driver):\n%s", step.name, diff)
		}
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
		d.state, _ = d.MustRefresh(consent, d.state)
	}
	plan, diags := d.Plan(consent, d.state, config)
	if errors := diags.Errors(); len(errors) > 0 || !plan.Changes {
		return errors
	}

	d.NewRun()
	if len(plan.Replace) > 0 && d.state != nil {
		d.state, diags = d.Replace(consent, d.state, config)
	} else {
		d.state, diags = d.Apply(d.t.Context(), consent, d.state, plan)
	}

	return diags.Errors()
}

// writeResource gives the CLI a resource in its syntax of JSON; none for nil.
func writeResource(t *testing.T, cli *clitest.CLI, config prototest.Attributes) {
	t.Helper()
	configuration := map[string]any{}
	if config != nil {
		configuration["resource"] = map[string]any{consent: map[string]any{"this": config}}
	}
	cli.Write("resources.tf.json", inJSON(t, configuration))
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
