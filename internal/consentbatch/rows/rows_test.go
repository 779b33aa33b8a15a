// SPDX-License-Identifier: MPL-2.0

package rows_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const header = "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,user_ipv6,agreement_time,manual\n"

// person returns a valid row of CSV.
func person(identity string) string { return identity + ",true,true,false,true,true,,,\n" }

// object returns a valid row of JSON, with further members.
func object(identity string, more ...string) string {
	return fmt.Sprintf(`{"identity_id":%q,"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":false,"clause_4_consent":true,"clause_5_consent":true%s}`,
		identity, strings.Join(append([]string{""}, more...), ","))
}

// read returns the rows of a shard; all of them for the zero one.
func read(t *testing.T, content string, format rows.Format, shard rows.Shard) []rows.Row {
	t.Helper()
	list, err := rows.Read(strings.NewReader(content), rows.Options{Format: format, Shard: shard})
	if err != nil {
		t.Fatal(err)
	}

	return list
}

var compareAddresses = cmp.Comparer(func(a, b netip.Addr) bool { return a == b })

func TestRead_formatsAreEquivalent(t *testing.T) {
	t.Parallel()
	clauses := [5]bool{true, true, false, true, true}
	want := []rows.Row{
		{Identity: "a@example.com", Record: choice.Record{Clauses: clauses, Manual: true}},
		{Identity: "b, \"the\" second", Record: choice.Record{
			Clauses: clauses, UserIPv6: netip.MustParseAddr("192.0.2.1"), AgreementTime: time.Date(2026, 1, 31, 12, 0, 0, 5e6, time.UTC),
		}},
		{Identity: "c", Record: choice.Record{Manual: true, UserIPv6: netip.MustParseAddr("2001:db8::1")}},
	}

	second := object(`b, "the" second`, `"user_ipv6":"192.0.2.1"`, `"agreement_time":"2026-01-31T13:00:00.005+01:00"`, `"manual":false`)
	third := strings.ReplaceAll(object("c", `"user_ipv6":"2001:db8::1"`, `"agreement_time":null`), ":true", ":false")
	for name, tc := range map[string]struct {
		content string
		format  rows.Format
		lines   []int32
	}{
		"CSV": {
			header + person("a@example.com") + `"b, ""the"" second",TRUE,True,FALSE,true,tRUE,192.0.2.1,2026-01-31T13:00:00.005+01:00,FALSE` + "\n" + "c,false,false,false,false,false,2001:db8::1,,", rows.CSV,
			[]int32{2, 3, 4},
		},
		"CSV in another order": {
			"manual,agreement_time,user_ipv6,clause_3_consent,clause_1_consent,clause_2_consent,clause_5_consent,clause_4_consent,identity_id\n" +
				"\n,,,false,true,true,true,true,\"a@example.com\"\n" +
				`"false",2026-01-31T13:00:00.005+01:00,192.0.2.1,false,true,true,true,true,"b, ""the"" second"` + "\n" + ",,2001:db8::1,false,false,false,false,false,c\n", rows.CSV,
			[]int32{3, 4, 5},
		},
		"NDJSON": {object("a@example.com") + "\n\n" + second + "\n" + third, rows.NDJSON, []int32{1, 3, 4}},
		"JSON":   {"[\n" + object("a@example.com") + ",\n\n" + second + "\n,\n" + third + "]\n", rows.JSON, []int32{2, 4, 6}},
	} {
		for ending, content := range map[string]string{
			"": tc.content, "CRLF": strings.ReplaceAll(tc.content, "\n", "\r\n"), "BOM": "\uFEFF" + tc.content,
		} {
			got := read(t, content, tc.format, rows.Shard{})
			for i := range got {
				want[i].Position = got[i].Position // whose Element differs
				want[i].Line = tc.lines[i]
			}

			if diff := cmp.Diff(want, got, compareAddresses); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", name, ending, diff)
			}
			if got := read(t, content, "", rows.Shard{}); len(got) != len(want) { // the first character tells the format
				t.Errorf("%s %s has %d rows without a format", name, ending, len(got))
			}
		}
	}
}

// TestRead_problemsNameLinesAndNoValues reads wrong files, of which each shard has all problems.
func TestRead_problemsNameLinesAndNoValues(t *testing.T) {
	t.Parallel()
	const noRows = "line 1: there are no rows; to manage nobody any more, take the resource out of the configuration"
	unknown := func(places ...int) (text string) {
		for _, place := range places {
			text += fmt.Sprintf("line 1: name %d is not known; it is not shown, because it may be personal data\n", place)
		}
		return text
	}
	const noClauses = "line 1: clause_1_consent is missing\nline 1: clause_2_consent is missing\nline 1: clause_3_consent is missing\nline 1: clause_4_consent is missing\nline 1: clause_5_consent is missing"

	for name, tc := range map[string]struct {
		format  rows.Format
		content string
		want    string
	}{
		"nothing at all":   {rows.CSV, "", noRows},
		"no header":        {rows.CSV, person("jane"), unknown(1, 2, 3, 4, 5, 6, 7, 8, 9) + "line 1: identity_id is missing\n" + noClauses},
		"a bad header":     {rows.CSV, "identity_id,manual,manual,clause_6_consent,jane@example.com,2001:db8::1,491511234567,\x1b[1m\n", "line 1: manual is there twice\n" + unknown(4, 5, 6, 7, 8) + noClauses},
		"all of a row":     {rows.CSV, header + person("a") + ",yes,,1,true,true,jane,today,no\n", "line 3: clause_1_consent has to be true or false\nline 3: clause_3_consent has to be true or false\nline 3: user_ipv6 must be an IPv6 or IPv4 address without a zone, such as 2001:db8::1 or 192.0.2.1\nline 3: agreement_time must be an RFC 3339 time with a zone, such as 2026-01-31T12:00:00Z, in or after the year 2000\nline 3: manual has to be true or false\nline 3: identity_id is missing\nline 3: clause_2_consent is missing"},
		"repeated":         {rows.CSV, header + person("a") + person("b") + person("a"), "line 4: identity_id is the same as in line 2; a person can have one row only"},
		"an open quote":    {rows.CSV, header + "\n\"d", `line 3: extraneous or missing " in quoted-field; what follows was not read`},
		"a bare quote":     {rows.CSV, header + person("a") + "a\"b,true\n", `line 3: bare " in non-quoted-field; what follows was not read`},
		"lines in a cell":  {rows.CSV, header + "\"a\nb\",true,true,true,true,true,,,\n" + person("c") + "d,x,true,true,true,true,,,\n", "line 2: identity_id contains a character that cannot be seen, U+000A at byte 1\nline 5: clause_1_consent has to be true or false"},
		"unusable":         {rows.CSV, header + person("..") + person("  ") + person("\xff"), "line 2: identity_id is empty, \".\" or \"..\", which would change the path of the request\nline 3: identity_id begins or ends with a space\nline 4: identity_id contains a character that cannot be seen, U+FFFD at byte 0"},
		"types":            {rows.NDJSON, `{"identity_id":1001,"clause_1_consent":"yes","clause_2_consent":null,"clause_3_consent":0,"clause_4_consent":true,"clause_5_consent":"TRUE","user_ipv6":{},"manual":[]}`, "line 1: identity_id has to be a string\nline 1: clause_1_consent has to be true or false\nline 1: clause_3_consent has to be true or false\nline 1: user_ipv6 has to be a string\nline 1: manual has to be true or false\nline 1: clause_2_consent is missing"},
		"lines":            {rows.NDJSON, object("a") + "\n[]\n" + object("c") + object("d") + "\n" + object("a"), "line 2: a row has to be an object\nline 4: identity_id is the same as in line 1; a person can have one row only"},
		"a cut line":       {rows.NDJSON, object("a") + "\n{\"identity_id\":\n" + object("b"), "line 2: this is not valid JSON, or a name is there twice; what follows was not read"},
		"a member twice":   {rows.NDJSON, object("a") + "\n" + object("b", `"manual":true,"manual":false`) + "\n[]", "line 2: this is not valid JSON, or a name is there twice; what follows was not read"},
		"a stray bracket":  {rows.NDJSON, object("a") + "\n]\n" + object("b"), "line 2: this is not valid JSON, or a name is there twice; what follows was not read"},
		"people as names":  {rows.NDJSON, `{"jane":{"clause_1_consent":true}}`, unknown(1) + "line 1: identity_id is missing\n" + noClauses},
		"an object":        {rows.JSON, "\n" + object("a"), "line 2 (element 1): the JSON has to be one array of objects; what follows was not read"},
		"elements":         {rows.JSON, "[" + object("a") + "," + object("a") + ",\n1]", "line 1 (element 2): identity_id is the same as in line 1 (element 1); a person can have one row only\nline 2 (element 3): a row has to be an object"},
		"a broken element": {rows.JSON, "[" + object("a") + ",\n{\n\"manual\":1,\n\"manual\":2}]", "line 2 (element 2): this is not valid JSON, or a name is there twice; what follows was not read"},
		"more behind":      {rows.JSON, "[" + object("a") + "]\n[]", "line 2 (element 2): the JSON has to be one array of objects; what follows was not read"},
		"no JSON behind":   {rows.JSON, "[" + object("a") + "]\n}", "line 2 (element 2): this is not valid JSON, or a name is there twice; what follows was not read"},
		"no JSON":          {rows.JSON, "", "line 1 (element 1): the JSON has to be one array of objects; what follows was not read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, shard := range []rows.Shard{{}, {Index: 0, Count: 2}, {Index: 1, Count: 2}} {
				_, err := rows.Read(strings.NewReader(tc.content), rows.Options{Format: tc.format, Shard: shard})
				problems, ok := errors.AsType[*rows.Error](err)
				if !ok {
					t.Fatalf("read with %v", err)
				}
				if diff := cmp.Diff(tc.want, problems.Error()); diff != "" {
					t.Errorf("problems (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestRead_rowWithoutEnd reads a row whose quote or bracket is not closed.
func TestRead_rowWithoutEnd(t *testing.T) {
	t.Parallel()
	for begin, format := range map[string]rows.Format{
		header + person("a") + "\"":   rows.CSV,
		header + person("a") + ",":    rows.CSV,
		object("a") + "\n\n{\"":       rows.NDJSON,
		"[" + object("a") + ",\n\n{":  rows.JSON,
		"[" + object("a") + ",\n\n[[": rows.JSON,
	} {
		rest := strings.NewReader(strings.Repeat(" ", 4<<20))
		_, err := rows.Read(io.MultiReader(strings.NewReader(begin), rest), rows.Options{Format: format})
		if err == nil || !strings.HasPrefix(err.Error(), "line 3") || !strings.HasSuffix(err.Error(), "is longer than 1 MiB; a quote or a bracket may not be closed; what follows was not read") {
			t.Errorf("%s: %v", begin, err)
		}
		if rest.Len() < 2<<20 {
			t.Errorf("%s: only %d bytes were not read", begin, rest.Len())
		}
	}

	long := header + "\"" + strings.Repeat("\n", 1000<<10) + "\",true,true,true,true,true,,,\n"
	_, err := rows.Read(strings.NewReader(long+long), rows.Options{})
	if err == nil || strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("rows that are short enough: %v", err)
	}
}

func TestRead_futureTimesAreRefusedByTheClock(t *testing.T) {
	t.Parallel()
	const content = header + "Jane,true,true,true,true,true,,2062-01-01T00:00:00Z,true\n"
	_, err := rows.Read(strings.NewReader(content), rows.Options{})
	if err == nil || !strings.Contains(err.Error(), "agreement_time lies in the future") {
		t.Error(err)
	}
	if _, err := rows.Read(strings.NewReader(content), rows.Options{AnyTime: true}); err != nil {
		t.Errorf("without the clock: %v", err)
	}
}

func TestRead_failingReader(t *testing.T) {
	t.Parallel()
	failure := errors.New("the disk is gone")
	for format, content := range map[rows.Format]string{rows.CSV: header + person("a"), rows.NDJSON: object("a") + "\n", rows.JSON: "[" + object("a") + ","} {
		_, err := rows.Read(io.MultiReader(strings.NewReader(content), iotest.ErrReader(failure)), rows.Options{Format: format})
		if !errors.Is(err, failure) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func TestRead_errorIsBounded(t *testing.T) {
	t.Parallel()
	for n, more := range map[int]string{50: "identity_id is missing", 74: "\nand 48 more problems."} { // two of each row
		_, err := rows.Read(strings.NewReader(header+strings.Repeat(",x,true,true,true,true,,,\n", n)), rows.Options{})
		if err == nil || strings.Count(err.Error(), "\n") > 100 || !strings.HasSuffix(err.Error(), more) {
			t.Errorf("of %d rows it says %v", n, err)
		}
	}
}

// TestShard_ruleIsFixed compares shards with numbers that another program has computed.
func TestShard_ruleIsFixed(t *testing.T) {
	t.Parallel()
	for identity, want := range map[string]map[uint64]uint64{
		"jane.doe@example.com": {1: 0, 7: 6, 16: 13, 4096: 3149},
		"Zoë":                  {1: 0, 7: 3, 16: 0, 4096: 272},
		"a/b c":                {1: 0, 7: 2, 16: 5, 4096: 901},
	} {
		for count, shard := range want {
			for index := range count {
				if got := (rows.Shard{Index: index, Count: count}).Has(identity); got != (index == shard) {
					t.Errorf("%s is in shard %d of %d: %v", identity, index, count, got)
				}
			}
		}
	}
}

// TestRows_sumIsOfTheirValues has the sum of a shard, which states hold digests of.
func TestRows_sumIsOfTheirValues(t *testing.T) {
	t.Parallel()
	person := object("user-1001", `"agreement_time":"2026-01-31T12:00:00Z"`)
	const want = "ee41ebfdeef4f107870be007fa783ac95701834506e4126413c3d69bf0a02a7e"

	for name, tc := range map[string]struct {
		lines  []string
		isSame bool
	}{
		"the rows":               {[]string{person, object("Zoë")}, true},
		"people of other shards": {[]string{object("jane.doe@example.com"), person, object("a/b c"), object("Zoë")}, true},
		"another spelling":       {[]string{object("user-1001", `"agreement_time":"2026-01-31T13:00:00.000+01:00"`, `"manual":true`, `"user_ipv6":null`), "", object("Zoë")}, true},
		"a row fewer":            {[]string{person}, false},
		"another order":          {[]string{object("Zoë"), person}, false},
	} {
		list := read(t, strings.Join(tc.lines, "\n"), rows.NDJSON, rows.Shard{Index: 0, Count: 16}) // has user-1001 and Zoë
		if got := fmt.Sprintf("%x", rows.Sum(list)); (got == want) != tc.isSame {
			t.Errorf("%s: the sum is %s", name, got)
		}
	}
}

// FuzzRead reads any bytes as any format: nothing panics, what is said is bounded,
// and what is accepted can be sent.
func FuzzRead(f *testing.F) {
	for i, content := range []string{
		header + person("a") + person("b"), header + person("a") + person("a"), "\uFEFF" + header + "\"", person("a"), header + "a,b\n\n,\n",
		object("a") + "\n" + object("b"), object("a") + "\n{", object("a", `"manual":null`), "{\"a\":1}\n[]\n\n",
		"[" + object("a") + ",\n" + object("b") + "]", "[" + object("a"), "[1,\n2,[[[", "[]]", "\x00", "",
	} {
		f.Add([]byte(content), byte(i))
		f.Add([]byte(content), byte(i/5))
	}

	f.Fuzz(func(t *testing.T, content []byte, which byte) {
		format := []rows.Format{rows.CSV, rows.NDJSON, rows.JSON}[which%3]

		read, err := rows.Read(bytes.NewReader(content), rows.Options{Format: format})
		if problems, isBad := errors.AsType[*rows.Error](err); isBad {
			if text := problems.Error(); len(text) > 1<<20 || !strings.HasPrefix(text, "line ") {
				t.Errorf("%d bytes about problems", len(text))
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}

		seen := map[string]bool{}
		line := int32(1)
		for i, row := range read {
			if seen[row.Identity] || client.ValidateSegment(row.Identity) != nil || row.Line < line {
				t.Errorf("row %d is %+v", i, row)
			}
			seen[row.Identity], line = true, row.Line
		}
	})
}
