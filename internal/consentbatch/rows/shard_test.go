// SPDX-License-Identifier: MPL-2.0

package rows_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
)

// TestShard_ruleIsFixed compares shards with numbers that another program has computed.
func TestShard_ruleIsFixed(t *testing.T) {
	t.Parallel()
	for identity, want := range map[string]map[uint64]uint64{
		"user-1001":            {1: 0, 7: 2, 16: 0, 4096: 496},
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

// shardOf returns the rows of one shard.
func shardOf(t *testing.T, content string, format rows.Format, shard rows.Shard) []rows.Row {
	t.Helper()
	read, err := rows.ReadShard(strings.NewReader(content), format, shard)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestReadShard_allRowsAreChecked(t *testing.T) {
	t.Parallel()
	const count = 5
	content := header + person("a") + person("b") + person("c") + person("a") + "d,x,true,true,true,true,,,\n" + person("b")
	_, whole := rows.Read(strings.NewReader(content), rows.CSV)

	for index := range uint64(count) {
		_, err := rows.ReadShard(strings.NewReader(content), rows.CSV, rows.Shard{Index: index, Count: count})
		if err == nil || err.Error() != whole.Error() || strings.Count(err.Error(), "line ") != 5 {
			t.Errorf("shard %d says %v, without shards it is %v", index, err, whole)
		}
	}

	// A shard without rows is none of a file without rows.
	if read := shardOf(t, header+person("user-1001"), rows.CSV, rows.Shard{Index: 1, Count: 16}); len(read) != 0 {
		t.Errorf("it has %d rows", len(read))
	}
}

func TestRows_sumIsOfTheirValues(t *testing.T) {
	t.Parallel()
	shard := rows.Shard{Index: 0, Count: 16} // has user-1001 and Zoë
	sum := func(lines ...string) [32]byte {
		return rows.Sum(shardOf(t, strings.Join(lines, "\n"), rows.NDJSON, shard))
	}
	person, other := object("user-1001", `"agreement_time":"2026-01-31T12:00:00Z"`), object("jane.doe@example.com")
	want := sum(person, object("Zoë"))
	if got := hex.EncodeToString(want[:]); got != "ee41ebfdeef4f107870be007fa783ac95701834506e4126413c3d69bf0a02a7e" { // states hold digests of it
		t.Errorf("the sum is %s", got)
	}

	for name, lines := range map[string][]string{
		"people of other shards": {other, person, object("a/b c"), object("Zoë")},
		"another spelling":       {object("user-1001", `"agreement_time":"2026-01-31T13:00:00.000+01:00"`, `"manual":true`, `"user_ipv6":null`), "", object("Zoë")},
	} {
		if sum(lines...) != want {
			t.Errorf("%s: the sum differs", name)
		}
	}
	for name, lines := range map[string][]string{
		"a row fewer":    {person},
		"another order":  {object("Zoë"), person},
		"another clause": {strings.Replace(person, "false", "true", 1), object("Zoë")},
		"another time":   {strings.Replace(person, "31T", "30T", 1), object("Zoë")},
		"an address":     {person, object("Zoë", `"user_ipv6":"::"`)},
		"another manual": {person, object("Zoë", `"manual":false`)},
		"nobody":         {other},
	} {
		if sum(lines...) == want {
			t.Errorf("%s: the sum is the same", name)
		}
	}
}
