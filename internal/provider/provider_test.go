// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const consentName = "analytics_consent"

var demoScope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

// header is the first line of the file of a batch.
const header = "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent\n"

// consentOf returns the consent of a person, which is written without a comparison.
func consentOf(identity string) prototest.Attributes {
	return prototest.Attributes{
		"identity_id": identity, "keep_later_choice": false,
		"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true,
	}
}

// TestReadOnly_plan plans resources that exist, and new ones, with a provider that is read-only:
// a plan that would change something at the service is refused, and any other is not.
func TestReadOnly_plan(t *testing.T) {
	t.Parallel()
	type config = prototest.Attributes
	folder := t.TempDir()
	rows := filepath.Join(folder, "rows.csv")
	if err := os.WriteFile(rows, []byte(header+"user-1001,true,true,true,true,true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	person := config{"identity_id": "user-1001"}
	consent := consentOf("user-1001").With(config{"agreement_time": "2026-01-31T12:00:00Z"}).Without("keep_later_choice")
	profile := person.With(config{"profile": `{"plan":"pro"}`, "wait_for_fulfilment": false})
	deletion := person.With(config{"wait_for_fulfilment": false})

	for name, tc := range map[string]struct {
		resource      string
		before, after config // nil for an object that does not exist
		refused       bool
	}{
		"create a consent":             {consentName, nil, consent, true},
		"change a consent":             {consentName, consent, consent.With(config{"clause_1_consent": false}), true},
		"change what a destroy does":   {consentName, consent, consent.With(config{"on_destroy": "withdraw"}), false},
		"forget a consent":             {consentName, consent, nil, false},
		"withdraw a consent":           {consentName, consent.With(config{"on_destroy": "withdraw"}), nil, true},
		"create a batch":               {"analytics_consent_batch", nil, config{"source": rows}, true},
		"forget a batch":               {"analytics_consent_batch", config{"source": rows}, nil, false},
		"withdraw a batch":             {"analytics_consent_batch", config{"source": rows, "on_destroy": "withdraw"}, nil, true},
		"create a profile":             {profileName, nil, profile, true},
		"change a profile":             {profileName, profile, profile.With(config{"profile": `{"plan":"free"}`}), true},
		"manage less of a profile":     {profileName, profile, profile.With(config{"profile": `{}`}), false},
		"clear a profile":              {profileName, profile.With(config{"on_destroy": "clear"}), nil, true},
		"delete the data of a person":  {deletionName, nil, deletion, true},
		"forget a deletion":            {deletionName, deletion, nil, false},
		"request the data of a person": {dataAccessName, nil, deletion.With(config{"output_path": filepath.Join(folder, "data.json")}), true},
		"export a day":                 {"analytics_export_file", nil, config{"utc_date": "2026-01-31", "path": filepath.Join(folder, "day.ndjson")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t)
			var state *prototest.State
			if tc.before != nil {
				state, _ = prototest.MustStart(t, prototest.Config(service)).MustUpdate(tc.resource, nil, tc.before)
			}

			p := prototest.MustStart(t, prototest.Config(service).With(config{"read_only": true}))
			_, diags := p.Plan(tc.resource, state, tc.after)
			if !tc.refused {
				p.NoErrors(diags)
				return
			}
			prototest.WantText(t, diags.Errors(), "The provider is read-only: The setting read_only is on", "Nothing was sent.", "remove read_only")
		})
	}
}

// TestProvider_oneRuleForIdentifiersOfAllObjects gives unusable texts to each attribute for a segment
// of a path, and one of them to each part of an import ID.
func TestProvider_oneRuleForIdentifiersOfAllObjects(t *testing.T) {
	t.Parallel()
	const unseen = "can\u200bary"
	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service))
	unusable := map[string]string{
		unseen: "cannot be seen, U+200B at byte 3", "": "is empty", "..": "change the path", "canary\n": "U+000A at byte 6",
		strings.Repeat("x", client.LimitSegment+1): "longer than",
	}
	wantRefused := func(where, value string, diags prototest.Diagnostics) {
		text := strings.Join(diags.Errors(), "\n")
		if !strings.Contains(text, unusable[value]) || len(value) > 2 && strings.Contains(text, value) {
			t.Errorf("%s: the errors are %.500q, want %q", where, text, unusable[value])
		}
	}

	actions, checked := map[string]*tfprotov6.Schema{}, 0
	for name, action := range p.Schemas.ActionSchemas {
		actions[name] = action.Schema
	}
	for _, objects := range []struct {
		schemas map[string]*tfprotov6.Schema
		refuse  func(name string, config prototest.Attributes) prototest.Diagnostics
	}{
		{p.Schemas.ResourceSchemas, p.Validate},
		{p.Schemas.DataSourceSchemas, func(name string, config prototest.Attributes) prototest.Diagnostics {
			return second(p.ReadData(name, config))
		}},
		{p.Schemas.EphemeralResourceSchemas, func(name string, config prototest.Attributes) prototest.Diagnostics {
			return second(p.Open(name, config))
		}},
		{p.Schemas.ListResourceSchemas, p.ValidateList},
		{actions, func(name string, config prototest.Attributes) prototest.Diagnostics {
			return p.PlanAction(name, config)
		}},
	} {
		for name, schema := range objects.schemas {
			for _, attribute := range schema.Block.Attributes {
				isIdentifier := slices.Contains([]string{"identity_id", "org_id", "project_id", "account_id"}, attribute.Name)
				if !isIdentifier || attribute.Computed && !attribute.Optional {
					continue
				}
				checked++
				for value := range unusable {
					wantRefused(name+": "+attribute.Name, value, objects.refuse(name, prototest.Attributes{attribute.Name: value}))
				}
			}
		}
	}

	for _, id := range []string{unseen, "acct-7/" + unseen, unseen + "/web/user-1001", "org-demo/" + unseen + "/user-1001"} {
		_, diags := p.Import(consentName, id, nil)
		wantRefused("import of "+id, unseen, diags)
	}
	if n := service.Count(""); n != 0 || checked < 40 {
		t.Errorf("%d requests, and %d attributes", n, checked)
	}
}

func second[A, B any](_ A, b B) B { return b }
