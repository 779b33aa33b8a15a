package records

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// TestSplit_largeRecordsTakeLittleMemory reads records of nearly 16 MiB, and checks that
// all allocations together, garbage included, stay below 64 MiB.
func TestSplit_largeRecordsTakeLittleMemory(t *testing.T) { //nolint:paralleltest // measures the memory of the process
	record := append(append([]byte(`{"type":"event","pad":"`), bytes.Repeat([]byte("x"), 15<<20)...), "\"}\n"...)
	list := make([]io.Reader, soak.Size(2, 20))
	for i := range list {
		list[i] = bytes.NewReader(record)
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := Split(io.MultiReader(list...), Options{Lines: true, Workers: 4}, keep)
	runtime.ReadMemStats(&after)
	if err != nil || res.Counts.Of(Event) != int64(len(list)) {
		t.Errorf("%v, %v", res, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
		t.Errorf("%d MiB were allocated", grown>>20)
	}

	t.Logf("%d MiB were allocated", (after.TotalAlloc-before.TotalAlloc)>>20)
}
