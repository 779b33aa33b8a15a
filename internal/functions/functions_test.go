// SPDX-License-Identifier: MPL-2.0

package functions_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/functions"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// call runs a function with text arguments and, where there are any, variadic ones.
func call(t *testing.T, f function.Function, arguments []string, variadic ...string) (attr.Value, *function.FuncError) {
	t.Helper()
	var definition function.DefinitionResponse
	f.Definition(t.Context(), function.DefinitionRequest{}, &definition)
	if definition.Diagnostics.HasError() {
		t.Fatal(definition.Diagnostics)
	}

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

	result, failed := definition.Definition.Return.NewResultData(t.Context())
	if failed != nil {
		t.Fatal(failed)
	}
	resp := function.RunResponse{Result: result}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData(values)}, &resp)

	return resp.Result.Value(), resp.Error
}

// TestFunctions_results calls the functions that return a text or a list of texts.
func TestFunctions_results(t *testing.T) {
	t.Parallel()
	const longest = "2016-01-01"
	for name, tc := range map[string]struct {
		f         function.Function
		arguments []string
		scope     []string
		want      []string // of a list, its texts
	}{
		"IPv4 is mapped":             {f: functions.NewIPv6Mapped(), arguments: []string{"192.0.2.1"}, want: []string{"::ffff:192.0.2.1"}},
		"a mapped address":           {f: functions.NewIPv6Mapped(), arguments: []string{"::FFFF:C000:0201"}, want: []string{"::ffff:192.0.2.1"}},
		"a mapped one in full":       {f: functions.NewIPv6Mapped(), arguments: []string{"0000:0000:0000:0:0:ffff:c0:21"}, want: []string{"::ffff:0.192.0.33"}},
		"IPv6 in full":               {f: functions.NewIPv6Mapped(), arguments: []string{"2001:0DB8:0:0:0:0:0:1"}, want: []string{"2001:db8::1"}},
		"IPv6":                       {f: functions.NewIPv6Mapped(), arguments: []string{"2001:db8::1"}, want: []string{"2001:db8::1"}},
		"one day":                    {f: functions.NewUTCDates(), arguments: []string{"2026-03-01", "2026-03-01"}, want: []string{"2026-03-01"}},
		"a leap year":                {f: functions.NewUTCDates(), arguments: []string{"2028-02-28", "2028-03-01"}, want: []string{"2028-02-28", "2028-02-29", "2028-03-01"}},
		"a new year":                 {f: functions.NewUTCDates(), arguments: []string{"2025-12-31", "2026-01-01"}, want: []string{"2025-12-31", "2026-01-01"}},
		"the longest range":          {f: functions.NewUTCDates(), arguments: []string{longest, "2026-01-07"}, want: days(t, longest, 3660)},
		"a person in the provider's": {f: functions.NewImportID(), arguments: []string{"jane doe/1+1@example.com"}, want: []string{"jane%20doe%2F1+1@example.com"}},
		"a person in an account":     {f: functions.NewImportID(), arguments: []string{"jane"}, scope: []string{"acct 7"}, want: []string{"acct%207/jane"}},
		"a person in a project":      {f: functions.NewImportID(), arguments: []string{"jane"}, scope: []string{"org/demo", "100%"}, want: []string{"org%2Fdemo/100%25/jane"}},
		"a pseudonym":                {f: functions.NewPseudonym(), arguments: []string{"ada@example.com", "0123456789abcdef"}, want: []string{pseudonymOfAda}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := call(t, tc.f, tc.arguments, tc.scope...)
			if err != nil {
				t.Fatal(err)
			}

			texts := []attr.Value{got}
			if list, ok := got.(types.List); ok {
				texts = list.Elements()
			}
			var want []attr.Value
			for _, text := range tc.want {
				want = append(want, types.StringValue(text))
			}
			if diff := cmp.Diff(want, texts); diff != "" {
				t.Errorf("another result (-want +got):\n%s", diff)
			}
		})
	}
}

// pseudonymOfAda was made by openssl:
//
//	printf ada@example.com | openssl dgst -sha256 -hmac 0123456789abcdef | cut -c1-32
const pseudonymOfAda = "512383176ce1b4c279ee430548cf07ec"

// days returns n dates from a first one on.
func days(t *testing.T, first string, n int) (dates []string) {
	t.Helper()
	day, err := time.Parse(time.DateOnly, first)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		dates = append(dates, day.AddDate(0, 0, i).Format(time.DateOnly))
	}

	return dates
}

// TestFunctions_refuse holds that an error is about an argument, ends without the full stop
// that Terraform adds, and shows none of the arguments.
func TestFunctions_refuse(t *testing.T) {
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
		argument  int64
		text      string
		secret    string // besides the arguments
	}{
		"no address":           {f: functions.NewIPv6Mapped(), arguments: []string{""}, text: "must be an IPv6 or IPv4 address"},
		"a network":            {f: functions.NewIPv6Mapped(), arguments: []string{"192.0.2.1/32"}, text: "must be an IPv6 or IPv4 address"},
		"a zone":               {f: functions.NewIPv6Mapped(), arguments: []string{"fe80::1%eth0"}, text: "without a zone"},
		"another text":         {f: functions.NewIPv6Mapped(), arguments: []string{"private person"}, text: "must be an IPv6 or IPv4 address"},
		"not a date":           {f: functions.NewUTCDates(), arguments: []string{"2026-02-30", "2026-03-01"}, text: "The first date"},
		"a time":               {f: functions.NewUTCDates(), arguments: []string{"2026-03-01", "2026-03-02T00:00:00Z"}, argument: 1, text: "The last date"},
		"the wrong order":      {f: functions.NewUTCDates(), arguments: []string{"2026-03-02", "2026-03-01"}, argument: 1, text: "before the first"},
		"more than ten years":  {f: functions.NewUTCDates(), arguments: []string{"2016-01-01", "2026-01-09"}, argument: 1, text: "at most 3660"},
		"all years":            {f: functions.NewUTCDates(), arguments: []string{"0001-01-01", "9999-12-31"}, argument: 1, text: "has 3652059 days"},
		"not a person":         {f: functions.NewImportID(), arguments: []string{"jane\x00"}, text: "The identity"},
		"an empty project":     {f: functions.NewImportID(), arguments: []string{"jane"}, scope: []string{"org", ""}, argument: 2, text: "This value of the scope"},
		"three of a scope":     {f: functions.NewImportID(), arguments: []string{"jane"}, scope: []string{"org", "project", "more"}, argument: 3, text: "at most two"},
		"nobody":               {f: functions.NewPseudonym(), arguments: []string{"", "0123456789abcdef"}, text: "The identity"},
		"a short key":          {f: functions.NewPseudonym(), arguments: []string{"ada@example.com", "0123456789abcde"}, argument: 1, text: "at least 16 bytes"},
		"a bad value":          {f: functions.NewConsentRows(), arguments: []string{header + "\nada@example.com,yes!,true,true,true,true"}, text: "line 2", secret: "ada@example.com"},
		"a person twice":       {f: functions.NewConsentRows(), arguments: []string{header + "\nada,true,true,true,true,true\nada,true,true,true,true,true"}, text: "line 3", secret: "ada"},
		"no rows":              {f: functions.NewConsentRows(), arguments: []string{header + "\n"}, text: "there are no rows"},
		"too many rows":        {f: functions.NewConsentRows(), arguments: []string{many.String()}, text: "at most 10000", secret: "person-"},
		"rows of another size": {f: functions.NewConsentRows(), arguments: []string{header + strings.Repeat("\n", 8<<20)}, text: "larger than 8 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := call(t, tc.f, tc.arguments, tc.scope...)
			if err == nil || err.FunctionArgument == nil || *err.FunctionArgument != tc.argument || !strings.Contains(err.Text, tc.text) {
				t.Fatalf("the error is %v; want one about argument %d with %q", err, tc.argument, tc.text)
			}
			if strings.HasSuffix(err.Text, ".") {
				t.Errorf("Terraform shows two full stops: %s", err.Text)
			}
			for _, secret := range append(tc.arguments, tc.secret) {
				if secret != "" && strings.Contains(err.Text, secret) {
					t.Errorf("the error shows a value: %s", err.Text)
				}
			}
		})
	}
}

// FuzzImportID_decodesToTheSamePerson holds that an import splits and decodes every ID
// into exactly the parts that it was made from.
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
		text, ok := got.(types.String)
		if !ok {
			t.Fatalf("the result is %T", got)
		}
		parts := strings.Split(text.ValueString(), "/")
		for i, part := range parts {
			decoded, err := url.PathUnescape(part)
			if err != nil {
				t.Fatal(err)
			}
			parts[i] = decoded
		}
		if diff := cmp.Diff([]string{org, project, identity}, parts); diff != "" {
			t.Errorf("another person is imported (-want +got):\n%s", diff)
		}
	})
}

const header = "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent"

func TestConsentRows_formats(t *testing.T) {
	t.Parallel()
	for format, text := range map[string]string{
		"csv": header + ",user_ipv6,agreement_time,manual\n" +
			"ada,true,false,true,false,true,::ffff:192.0.2.1,2026-02-01T09:00:00+01:00,false\n" +
			"jane,false,false,false,false,false,,,\n",
		"ndjson": `{"identity_id":"ada","clause_1_consent":true,"clause_2_consent":false,"clause_3_consent":true,"clause_4_consent":false,"clause_5_consent":true,"user_ipv6":"192.0.2.1","agreement_time":"2026-02-01T08:00:00Z","manual":false}` + "\n" +
			`{"identity_id":"jane","clause_1_consent":false,"clause_2_consent":false,"clause_3_consent":false,"clause_4_consent":false,"clause_5_consent":false}` + "\n",
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			got, err := call(t, functions.NewConsentRows(), []string{text})
			if err != nil {
				t.Fatal(err)
			}
			list, ok := got.(types.List)
			if !ok || len(list.Elements()) != 2 {
				t.Fatalf("the rows are %v", got)
			}

			first := map[string]int{"csv": 2, "ndjson": 1}[format]
			for i, want := range []map[string]attr.Value{
				row(first, "ada", [5]bool{true, false, true, false, true}, types.StringValue("192.0.2.1"), types.StringValue("2026-02-01T08:00:00Z"), false),
				row(first+1, "jane", [5]bool{}, types.StringNull(), types.StringNull(), true),
			} {
				object, ok := list.Elements()[i].(types.Object)
				if !ok {
					t.Fatalf("row %d is %T", i, list.Elements()[i])
				}
				for name, value := range want {
					if !object.Attributes()[name].Equal(value) {
						t.Errorf("%s of row %d is %v; want %v", name, i, object.Attributes()[name], value)
					}
				}
				if len(object.Attributes()) != len(want) {
					t.Errorf("row %d has %d attributes; want %d", i, len(object.Attributes()), len(want))
				}
			}
		})
	}
}

func row(line int, identity string, clauses [5]bool, address, agreed types.String, manual bool) map[string]attr.Value {
	return map[string]attr.Value{
		"line":             types.Int64Value(int64(line)),
		"identity_id":      types.StringValue(identity),
		"clause_1_consent": types.BoolValue(clauses[0]),
		"clause_2_consent": types.BoolValue(clauses[1]),
		"clause_3_consent": types.BoolValue(clauses[2]),
		"clause_4_consent": types.BoolValue(clauses[3]),
		"clause_5_consent": types.BoolValue(clauses[4]),
		"user_ipv6":        address,
		"agreement_time":   agreed,
		"manual":           types.BoolValue(manual),
	}
}
