// SPDX-License-Identifier: MPL-2.0

package functions_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

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

// wantError holds that an error is about an argument, has a text in it, ends without the full
// stop that Terraform adds, and shows nothing of what must not be shown.
func wantError(t *testing.T, err *function.FuncError, argument int64, text string, secret ...string) {
	t.Helper()
	if err == nil || err.FunctionArgument == nil || *err.FunctionArgument != argument || !strings.Contains(err.Text, text) {
		t.Fatalf("the error is %v; want one about argument %d with %q", err, argument, text)
	}
	if strings.HasSuffix(err.Text, ".") {
		t.Errorf("Terraform shows two full stops: %s", err.Text)
	}
	for _, s := range secret {
		if s != "" && strings.Contains(err.Text, s) {
			t.Errorf("the error shows a value: %s", err.Text)
		}
	}
}

func TestIPv6Mapped_canonical(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.1":                     "::ffff:192.0.2.1",
		"::FFFF:C000:0201":              "::ffff:192.0.2.1",
		"2001:0DB8:0:0:0:0:0:1":         "2001:db8::1",
		"2001:db8::1":                   "2001:db8::1",
		"0000:0000:0000:0:0:ffff:c0:21": "::ffff:0.192.0.33",
	} {
		got, err := call(t, functions.NewIPv6Mapped(), []string{address})
		if err != nil || !got.Equal(types.StringValue(want)) {
			t.Errorf("%s is %v, %v; want %s", address, got, err, want)
		}
	}
}

func TestIPv6Mapped_refuses(t *testing.T) {
	t.Parallel()
	for address, text := range map[string]string{
		"":               "must be an IPv6 or IPv4 address",
		"192.0.2.1/32":   "must be an IPv6 or IPv4 address",
		"fe80::1%eth0":   "without a zone",
		"private person": "must be an IPv6 or IPv4 address",
	} {
		_, err := call(t, functions.NewIPv6Mapped(), []string{address})
		wantError(t, err, 0, text, address)
	}
}

func TestUTCDates_bothEndsIncluded(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		from, to string
		want     []string
	}{
		"one day":   {"2026-03-01", "2026-03-01", []string{"2026-03-01"}},
		"leap year": {"2028-02-28", "2028-03-01", []string{"2028-02-28", "2028-02-29", "2028-03-01"}},
		"new year":  {"2025-12-31", "2026-01-01", []string{"2025-12-31", "2026-01-01"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := call(t, functions.NewUTCDates(), []string{tc.from, tc.to})
			if err != nil {
				t.Fatal(err)
			}
			want, diags := types.ListValueFrom(t.Context(), types.StringType, tc.want)
			if diags.HasError() || !got.Equal(want) {
				t.Errorf("the dates are %v; want %v", got, want)
			}
		})
	}
}

func TestUTCDates_refuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		from, to string
		argument int64
		text     string
	}{
		"not a date":          {"2026-02-30", "2026-03-01", 0, "The first date"},
		"a time":              {"2026-03-01", "2026-03-02T00:00:00Z", 1, "The last date"},
		"the wrong order":     {"2026-03-02", "2026-03-01", 1, "before the first"},
		"more than ten years": {"2016-01-01", "2026-01-09", 1, "at most 3660"},
		"all years":           {"0001-01-01", "9999-12-31", 1, "has 3652059 days"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := call(t, functions.NewUTCDates(), []string{tc.from, tc.to})
			wantError(t, err, tc.argument, tc.text)
		})
	}
}

func TestUTCDates_longestRange(t *testing.T) {
	t.Parallel()
	got, err := call(t, functions.NewUTCDates(), []string{"2016-01-01", "2026-01-07"})
	list, ok := got.(types.List)
	if err != nil || !ok || len(list.Elements()) != 3660 {
		t.Errorf("%d dates, %v; want 3660", len(list.Elements()), err)
	}
}

func TestImportID_parts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		scope []string
		want  string
	}{
		"scope of the provider":    {nil, "jane%20doe%2F1+1@example.com"},
		"account":                  {[]string{"acct 7"}, "acct%207/jane%20doe%2F1+1@example.com"},
		"organization and project": {[]string{"org/demo", "100%"}, "org%2Fdemo/100%25/jane%20doe%2F1+1@example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := call(t, functions.NewImportID(), []string{"jane doe/1+1@example.com"}, tc.scope...)
			if err != nil || !got.Equal(types.StringValue(tc.want)) {
				t.Errorf("the import ID is %v, %v; want %s", got, err, tc.want)
			}
		})
	}
}

func TestImportID_refuses(t *testing.T) {
	t.Parallel()
	_, err := call(t, functions.NewImportID(), []string{".."})
	wantError(t, err, 0, "The identity")
	_, err = call(t, functions.NewImportID(), []string{"jane"}, "org", "")
	wantError(t, err, 2, "This value of the scope")
	_, err = call(t, functions.NewImportID(), []string{"jane"}, "org", "project", "more")
	wantError(t, err, 3, "at most two")
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

// pseudonymOfAda was made by openssl:
//
//	printf ada@example.com | openssl dgst -sha256 -hmac 0123456789abcdef | cut -c1-32
const pseudonymOfAda = "512383176ce1b4c279ee430548cf07ec"

func TestPseudonym_isHMAC(t *testing.T) {
	t.Parallel()
	got, err := call(t, functions.NewPseudonym(), []string{"ada@example.com", "0123456789abcdef"})
	if err != nil || !got.Equal(types.StringValue(pseudonymOfAda)) {
		t.Errorf("the pseudonym is %v, %v; want %s", got, err, pseudonymOfAda)
	}

	other, err := call(t, functions.NewPseudonym(), []string{"ada@example.com", "0123456789abcdeg"})
	if err != nil || other.Equal(got) {
		t.Errorf("another key gives %v, %v", other, err)
	}
}

func TestPseudonym_refuses(t *testing.T) {
	t.Parallel()
	_, err := call(t, functions.NewPseudonym(), []string{"", "0123456789abcdef"})
	wantError(t, err, 0, "The identity", "0123456789abcdef")
	_, err = call(t, functions.NewPseudonym(), []string{"ada@example.com", "0123456789abcde"})
	wantError(t, err, 1, "at least 16 bytes", "0123456789abcde", "ada@example.com")
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

func TestConsentRows_refuses(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	many.WriteString(header)
	for i := range 10_001 {
		fmt.Fprintf(&many, "\nperson-%d,true,true,true,true,true", i)
	}

	for name, tc := range map[string]struct{ text, want, secret string }{
		"a bad value":    {header + "\nada@example.com,yes!,true,true,true,true", "line 2", "ada@example.com"},
		"a person twice": {header + "\nada,true,true,true,true,true\nada,true,true,true,true,true", "line 3", "ada"},
		"no rows":        {header + "\n", "there are no rows", ""},
		"too many rows":  {many.String(), "at most 10000", "person-"},
		"too large":      {header + strings.Repeat("\n", 8<<20), "larger than 8 MiB", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := call(t, functions.NewConsentRows(), []string{tc.text})
			wantError(t, err, 0, tc.want, tc.secret)
		})
	}
}
