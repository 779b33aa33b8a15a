package outfile

import (
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkWriter writes a file of 448 MiB, and reports how long the final fsync takes:
// with early writeback, which Linux supports, and without it.
func BenchmarkWriter(b *testing.B) {
	block := make([]byte, 512<<10)
	for i := range block {
		block[i] = byte(i * 7)
	}

	for name, never := range map[string]bool{"writeback": false, "fsync-alone": true} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(896 * int64(len(block)))

			var last time.Duration
			for b.Loop() {
				last += writeLarge(b, block, never)
			}
			b.ReportMetric(float64(last.Milliseconds())/float64(b.N), "sync-ms/op")
		})
	}
}

func writeLarge(b *testing.B, block []byte, never bool) time.Duration {
	b.Helper()
	var paths PathsInUse
	r, err := paths.Reserve(Target{Path: filepath.Join(b.TempDir(), "day")})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()

	w, err := r.Writer(0)
	if err != nil {
		b.Fatal(err)
	}

	for range 896 {
		if never {
			w.begun = w.n + spaceStep // there is nothing to begin with
		}
		if _, err := w.Write(block); err != nil {
			b.Fatal(err)
		}
	}

	began := time.Now()
	if _, err := w.complete(); err != nil {
		b.Fatal(err)
	}

	return time.Since(began)
}
