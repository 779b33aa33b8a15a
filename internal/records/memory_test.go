// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// TestRead_largeRecordsTakeLittleMemory reads records of nearly 16 MiB, and checks that
// all allocations together, garbage included, stay below 72 MiB, however many they are. With
// the race detector, records and bound are smaller.
func TestRead_largeRecordsTakeLittleMemory(t *testing.T) { //nolint:paralleltest // measures the memory of the process
	record := append(append([]byte(`{"type":"event","pad":"`), bytes.Repeat([]byte("x"), soak.Raced(4, 15)<<20)...), "\"}\n"...)
	list := make([]io.Reader, soak.Size(2, 20))
	for i := range list {
		list[i] = bytes.NewReader(record)
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := Read(io.MultiReader(list...), Options{}, keep)
	runtime.ReadMemStats(&after)
	if err != nil || res.Counts.Of(Event) != int64(len(list)) {
		t.Errorf("%v, %v", res, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > uint64(soak.Raced(24, 72))<<20 {
		t.Errorf("%d MiB were allocated", grown>>20)
	}
}
