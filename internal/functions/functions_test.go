// SPDX-License-Identifier: MPL-2.0

package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/functions"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// call runs a function with text arguments and, where there are any, variadic ones.
func call(t *testing.T, f function.Function, arguments []string, variadic ...string) (attr.Value, *function.FuncError) {
	t.Helper()
	var definition function.DefinitionResponse
	f.Definition(t.Context(), function.DefinitionRequest{}, &definition)

	var values []attr.Value
	for _, argument := range arguments {
		values = append(values, types.StringValue(argument))
	}
	if definition.Definition.VariadicParameter != nil {
		elements, of := []attr.Value{}, []attr.Type{}
		for _, argument := range variadic {
			elements, of = append(elements, types.StringValue(argument)), append(of, types.StringType)
		}
		values = append(values, basetypes.NewTupleValueMust(of, elements))
	}

	result, _ := definition.Definition.Return.NewResultData(t.Context())
	resp := function.RunResponse{Result: result}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData(values)}, &resp)

	return resp.Result.Value(), resp.Error
}

const header = "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent"

// pseudonymOfAda was made by openssl:
//
//	printf ada@example.com | openssl dgst -sha256 -hmac 0123456789abcdef | cut -c1-32
const pseudonymOfAda = "512383176ce1b4c279ee430548cf07ec"

// TestFunctions_resultsAndRefusals compares texts, and what lists hold. A refusal is about an argument,
// ends without the full stop that Terraform adds, and shows none of the arguments.
func TestFunctions_resultsAndRefusals(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	many.WriteString(header)
	for i := range 10_001 {
		fmt.Fprintf(&many, "\nperson-%d,true,true,true,true,true", i)
	}

	for name, tc := range map[string]struct {
		f         function.Function
		arguments []string
		scope     []string
		want      []string // of a list, its values

		refusal  string
		argument int64  // that the refusal is about
		secret   string // besides the arguments
	}{
		"IPv4 is mapped":             {f: functions.NewIPv6Mapped(), arguments: []string{"192.0.2.1"}, want: []string{"::ffff:192.0.2.1"}},
		"a mapped address":           {f: functions.NewIPv6Mapped(), arguments: []string{"::FFFF:C000:0201"}, want: []string{"::ffff:192.0.2.1"}},
		"IPv6 in full":               {f: functions.NewIPv6Mapped(), arguments: []string{"2001:0DB8:0:0:0:0:0:1"}, want: []string{"2001:db8::1"}},
		"one day":                    {f: functions.NewUTCDates(), arguments: []string{"2026-03-01", "2026-03-01"}, want: []string{"2026-03-01"}},
		"a leap year":                {f: functions.NewUTCDates(), arguments: []string{"2028-02-28", "2028-03-01"}, want: []string{"2028-02-28", "2028-02-29", "2028-03-01"}},
		"a person in the provider's": {f: functions.NewImportID(), arguments: []string{"jane doe/1+1@example.com"}, want: []string{"jane%20doe%2F1+1@example.com"}},
		"a person in an account":     {f: functions.NewImportID(), arguments: []string{"jane"}, scope: []string{"acct 7"}, want: []string{"acct%207/jane"}},
		"a person in a project":      {f: functions.NewImportID(), arguments: []string{"jane"}, scope: []string{"org/demo", "100%"}, want: []string{"org%2Fdemo/100%25/jane"}},
		"a pseudonym":                {f: functions.NewPseudonym(), arguments: []string{"ada@example.com", "0123456789abcdef"}, want: []string{pseudonymOfAda}},
		"rows": {f: functions.NewConsentRows(), arguments: []string{
			header + ",user_ipv6,agreement_time,manual\nada,true,false,true,false,true,::ffff:192.0.2.1,2026-02-01T09:00:00+01:00,false\njane,false,false,false,false,false,,,\n",
		}, want: []string{
			`{"agreement_time":"2026-02-01T08:00:00Z","clause_1_consent":true,"clause_2_consent":false,"clause_3_consent":true,"clause_4_consent":false,"clause_5_consent":true,` +
				`"identity_id":"ada","line":2,"manual":false,"user_ipv6":"192.0.2.1"}`,
			`{"agreement_time":<null>,"clause_1_consent":false,"clause_2_consent":false,"clause_3_consent":false,"clause_4_consent":false,"clause_5_consent":false,` +
				`"identity_id":"jane","line":3,"manual":true,"user_ipv6":<null>}`,
		}},

		"no address":           {f: functions.NewIPv6Mapped(), arguments: []string{""}, refusal: "must be an IPv6 or IPv4 address"},
		"a zone":               {f: functions.NewIPv6Mapped(), arguments: []string{"fe80::1%eth0"}, refusal: "without a zone"},
		"not a date":           {f: functions.NewUTCDates(), arguments: []string{"2026-02-30", "2026-03-01"}, refusal: "The date"},
		"a time":               {f: functions.NewUTCDates(), arguments: []string{"2026-03-01", "2026-03-02T00:00:00Z"}, argument: 1, refusal: "The date"},
		"the wrong order":      {f: functions.NewUTCDates(), arguments: []string{"2026-03-02", "2026-03-01"}, argument: 1, refusal: "before the first"},
		"more than ten years":  {f: functions.NewUTCDates(), arguments: []string{"2016-01-01", "2026-01-09"}, argument: 1, refusal: "at most 3660"},
		"all years":            {f: functions.NewUTCDates(), arguments: []string{"0001-01-01", "9999-12-31"}, argument: 1, refusal: "has 3652059 days"},
		"not a person":         {f: functions.NewImportID(), arguments: []string{"jane\x00"}, refusal: "The value"},
		"an empty project":     {f: functions.NewImportID(), arguments: []string{"jane"}, scope: []string{"org", ""}, argument: 2, refusal: "The value"},
		"three of a scope":     {f: functions.NewImportID(), arguments: []string{"jane"}, scope: []string{"org", "project", "more"}, argument: 3, refusal: "at most two"},
		"nobody":               {f: functions.NewPseudonym(), arguments: []string{"", "0123456789abcdef"}, refusal: "The identity"},
		"a short key":          {f: functions.NewPseudonym(), arguments: []string{"ada@example.com", "0123456789abcde"}, argument: 1, refusal: "at least 16 bytes"},
		"a bad value":          {f: functions.NewConsentRows(), arguments: []string{header + "\nada@example.com,yes!,true,true,true,true"}, refusal: "line 2", secret: "ada@example.com"},
		"no rows":              {f: functions.NewConsentRows(), arguments: []string{header + "\n"}, refusal: "there are no rows"},
		"too many rows":        {f: functions.NewConsentRows(), arguments: []string{many.String()}, refusal: "at most 10000", secret: "person-"},
		"rows of another size": {f: functions.NewConsentRows(), arguments: []string{header + strings.Repeat("\n", 8<<20)}, refusal: "larger than 8 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := call(t, tc.f, tc.arguments, tc.scope...)
			if tc.refusal != "" {
				wantRefusal(t, err, tc.argument, tc.refusal, append(tc.arguments, tc.secret))
				return
			}
			if err != nil {
				t.Fatal(err)
			}

			values := []attr.Value{got}
			if list, ok := got.(types.List); ok {
				values = list.Elements()
			}
			var texts []string
			for _, value := range values {
				text := value.String()
				if s, ok := value.(types.String); ok {
					text = s.ValueString()
				}
				texts = append(texts, text)
			}
			if diff := cmp.Diff(tc.want, texts); diff != "" {
				t.Errorf("another result (-want +got):\n%s", diff)
			}
		})
	}

	longest, err := call(t, functions.NewUTCDates(), []string{"2016-01-01", "2026-01-07"})
	if list, ok := longest.(types.List); err != nil || !ok || len(list.Elements()) != 3660 {
		t.Errorf("the longest range is %v, %v", longest, err)
	}
}

func wantRefusal(t *testing.T, err *function.FuncError, argument int64, words string, secrets []string) {
	t.Helper()
	if err == nil || err.FunctionArgument == nil {
		t.Fatalf("the error is %v", err)
	}
	if *err.FunctionArgument != argument || !strings.Contains(err.Text, words) || strings.HasSuffix(err.Text, ".") {
		t.Errorf("the error is %v; want one about argument %d with %q and without a full stop", err, argument, words)
	}
	for _, secret := range secrets {
		if secret != "" && strings.Contains(err.Text, secret) {
			t.Errorf("the error shows a value: %s", err.Text)
		}
	}
}

// FuzzImportID_decodesToTheSamePerson imports every ID into exactly the parts that it was made
// from.
func FuzzImportID_decodesToTheSamePerson(f *testing.F) {
	for _, identity := range []string{"jane doe", "a+b@example.com", "100%", "a/b", "ümläut", "%2F", "a%20b"} {
		f.Add(identity, "org", "project")
	}
	f.Fuzz(func(t *testing.T, identity, org, project string) {
		for _, part := range []string{identity, org, project} {
			if client.ValidateSegment(part) != nil {
				return
			}
		}

		got, err := call(t, functions.NewImportID(), []string{identity}, org, project)
		if err != nil {
			t.Fatal(err)
		}
		id, _ := got.(types.String)
		p := prototest.MustStart(t, prototest.Attributes{"base_url": "http://localhost:1", "api_secret_key": "k", "max_retries": 0})
		state, _ := p.Import("analytics_consent", id.ValueString(), nil) // nobody answers the refresh
		if state == nil || state.Attributes["org_id"] != org || state.Attributes["project_id"] != project || state.Attributes["identity_id"] != identity {
			t.Errorf("%q imports %v", id, state)
		}
	})
}
