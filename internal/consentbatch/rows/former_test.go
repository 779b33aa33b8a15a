package rows_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows/former"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// compare reads a content as the former reader does. What that accepted is read alike; what it
// refused is refused in the same words, except that a sequence of objects ends at the first
// place which is not JSON, and may have line breaks anywhere.
func compare(t *testing.T, content []byte, format rows.Format, shard rows.Shard) {
	t.Helper()
	want, wantErr := former.ReadShard(bytes.NewReader(content), former.Format(format), former.Shard(shard))
	got, err := rows.ReadShard(bytes.NewReader(content), format, shard)

	if wantErr != nil {
		if format != rows.NDJSON && (err == nil || err.Error() != wantErr.Error()) {
			t.Errorf("%q as %s: %v, was %v", content, format, err, wantErr)
		}
		return
	}

	if err != nil || len(got) != want.Len() || rows.Sum(got) != want.Sum() {
		t.Fatalf("%q as %s: %v, %d rows, were %d", content, format, err, len(got), want.Len())
	}
	for i, row := range got {
		was := want.At(i)
		if row.Identity != was.Identity || row.Clauses != was.Clauses || row.Manual != was.Manual || row.Address.Unmap() != was.Address.Unmap() ||
			!row.Agreed.Equal(was.Agreed) || row.String() != want.Place(i) {
			t.Errorf("%q as %s: row %d is %+v, was %+v", content, format, i, row, was)
		}
	}
}

func FuzzFormer(f *testing.F) {
	for i, content := range []string{
		header + person("a") + person("b"), header + person("a") + person("a"), "\uFEFF" + header + "\"", person("a"), header + "a,b\n\n,\n",
		object("a") + "\n" + object("b"), object("a") + "\n{", object("a", `"manual":null`), "{\"a\":1}\n[]\n\n",
		"[" + object("a") + ",\n" + object("b", `"user_ipv6":"192.0.2.1"`, `"agreement_time":"2026-01-31T13:00:00.0059+01:00"`) + "]", "[" + object("a"), "[1,\n2,[[[", "[]]", "\x00", "",
	} {
		f.Add([]byte(content), byte(i), byte(0))
		f.Add([]byte(content), byte(i/5), byte(3))
	}

	f.Fuzz(func(t *testing.T, content []byte, which, shards byte) {
		compare(t, content, []rows.Format{rows.CSV, rows.NDJSON, rows.JSON}[which%3], rows.Shard{Count: uint64(shards) % 5})
	})
}

func TestFormer_randomPeople(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(20, 500) {
		random := rand.New(rand.NewPCG(soak.Seed(i), 1))
		content := randomPeople(random, 1+random.IntN(3_000))
		shard := rows.Shard{Index: 0, Count: random.Uint64N(4)}
		compare(t, []byte(content), rows.NDJSON, shard)
		compare(t, []byte("["+strings.Join(strings.Split(strings.TrimSpace(content), "\n"), ",\n")+"]"), rows.JSON, shard)
	}
}
