// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// everySchema calls check for each attribute of everything the provider offers.
func everySchema(t *testing.T, check func(where string, attribute *tfprotov6.SchemaAttribute)) {
	t.Helper()
	schemas := prototest.MustStart(t, good).Schemas()
	walk := func(where string, schema *tfprotov6.Schema) {
		if schema.Block.Description == "" {
			t.Errorf("%s is not described", where)
		}
		eachAttribute(where, schema.Block.Attributes, check)
		for _, nested := range schema.Block.BlockTypes {
			if nested.Block.Description == "" {
				t.Errorf("%s: the block %s is not described", where, nested.TypeName)
			}
			eachAttribute(where+": "+nested.TypeName, nested.Block.Attributes, check)
		}
	}

	walk("provider", schemas.Provider)
	for kind, all := range map[string]map[string]*tfprotov6.Schema{
		"resource": schemas.ResourceSchemas, "data source": schemas.DataSourceSchemas,
		"ephemeral resource": schemas.EphemeralResourceSchemas, "list resource": schemas.ListResourceSchemas,
	} {
		for name, schema := range all {
			walk(kind+" "+name, schema)
		}
	}
	for name, schema := range schemas.ActionSchemas {
		walk("action "+name, schema.Schema)
	}
}

func eachAttribute(where string, attributes []*tfprotov6.SchemaAttribute, check func(string, *tfprotov6.SchemaAttribute)) {
	for _, attribute := range attributes {
		check(where+": "+attribute.Name, attribute)
		if attribute.NestedType != nil {
			eachAttribute(where+": "+attribute.Name, attribute.NestedType.Attributes, check)
		}
	}
}

// TestProvider_everyAttribute is described in full sentences. A secret or personal data is
// sensitive, by itself or by what it is nested in. No element of a collection is sensitive by
// itself: Terraform compares each value below a collection with every sensitive path in it, so
// that the cost of long lists would not be linear. Of an action, the person and nothing else is
// write-only, and may be ephemeral. The path of a file is named by its use: source is read, path
// is what the object is, and others are written beside it.
func TestProvider_everyAttribute(t *testing.T) {
	t.Parallel()
	sentence := regexp.MustCompile(`^[A-Z].*\.$`)
	secret := regexp.MustCompile(`password|token|secret|headers|^json$|_json$|ipv6`)
	isPath := regexp.MustCompile(`path$|_file$|^source$|^output$|^report$`)
	sensitive := map[string]bool{}
	var paths []string

	everySchema(t, func(where string, attribute *tfprotov6.SchemaAttribute) {
		if !sentence.MatchString(attribute.Description) {
			t.Errorf("%s is described as %q", where, attribute.Description)
		}
		if strings.HasPrefix(where, "action ") && attribute.WriteOnly != (attribute.Name == "identity_id") {
			t.Errorf("%s is write-only: %v", where, attribute.WriteOnly)
		}
		if isPath.MatchString(attribute.Name) {
			paths = append(paths, where)
		}

		parent := strings.TrimSuffix(where, ": "+attribute.Name)
		sensitive[where] = attribute.Sensitive || sensitive[parent]
		// The version of a write-only attribute is a number that the user counts up.
		isVersion := strings.HasSuffix(attribute.Name, "_wo_version") && tftypes.Number.Equal(attribute.Type)
		if secret.MatchString(attribute.Name) && !isVersion && !sensitive[where] && !attribute.WriteOnly {
			t.Errorf("%s is neither sensitive nor write-only", where)
		}

		if attribute.NestedType == nil || attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
			return
		}
		eachAttribute(where, attribute.NestedType.Attributes, func(where string, nested *tfprotov6.SchemaAttribute) {
			if nested.Sensitive {
				t.Errorf("%s is sensitive; make the collection sensitive", where)
			}
		})
	})

	slices.Sort(paths)
	if diff := cmp.Diff([]string{
		"action analytics_export_day: path", "action analytics_request_data_access: output_path", "provider: ca_cert_file",
		"resource analytics_consent_batch: report_path", "resource analytics_consent_batch: source", "resource analytics_data_access_request: output_path",
		"resource analytics_export_file: files: path", "resource analytics_export_file: path",
	}, paths); diff != "" {
		t.Error(diff)
	}
}

// TestProvider_oneRuleForIdentifiersOfAllObjects gives each attribute that is a part of the path
// of requests, texts that cannot be one segment of it or look like another one, and each part of an
// import ID one of them.
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

	checked := 0
	everySchema(t, func(where string, attribute *tfprotov6.SchemaAttribute) {
		isIdentifier := slices.Contains([]string{"identity_id", "org_id", "project_id", "account_id"}, attribute.Name)
		kind, name, isObject := strings.Cut(strings.TrimSuffix(where, ": "+attribute.Name), " analytics_")
		if !isIdentifier || !isObject || attribute.Computed && !attribute.Optional {
			return
		}

		checked++
		name = "analytics_" + name
		for value := range unusable {
			config := prototest.Attributes{attribute.Name: value}
			switch kind {
			case "resource":
				wantRefused(where, value, p.Validate(name, config))
			case "data source":
				_, diags := p.ReadData(name, config)
				wantRefused(where, value, diags)
			case "ephemeral resource":
				_, diags := p.Open(name, config)
				wantRefused(where, value, diags)
			case "list resource":
				wantRefused(where, value, p.ValidateList(name, config))
			case "action":
				wantRefused(where, value, p.PlanAction(name, config))
			}
		}
	})
	for _, id := range []string{unseen, "acct-7/" + unseen, unseen + "/web/user-1001", "org-demo/" + unseen + "/user-1001"} {
		_, diags := p.Import(consentName, id)
		wantRefused("import of "+id, unseen, diags)
		prototest.WantText(t, diags.Errors(), "Unusable import id")
	}

	if n := service.Count(""); n != 0 || checked < 40 {
		t.Errorf("%d requests, and %d attributes", n, checked)
	}
}
