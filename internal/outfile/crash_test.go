// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// TestCommit_nothingIsLostInACrash watches what Commit brings to the disk: each file before
// it has its name, and the folder once it holds the names. What does not reach the disk is not put
// in place.
func TestCommit_nothingIsLostInACrash(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	put(t, b, "old")

	var paths PathsInUse
	r := reserve(t, &paths, Target{Path: a}, Target{Path: b, Replace: true})
	writeTexts(t, r, "new a", "new b")
	failure := errors.New("the disk is broken")
	r.sync = func(*os.File) error { return failure }
	if _, err := r.Commit(); !errors.Is(err, failure) {
		t.Errorf("it ended with %v", err)
	}

	var synced []string
	r.sync = func(f *os.File) error {
		info, err := f.Stat()
		if err != nil {
			return err
		}

		if info.IsDir() {
			synced = append(synced, "the folder")
			wantText(t, a, "new a")
			wantText(t, b, "new b")
			return nil
		}

		content := make([]byte, info.Size())
		_, err = f.ReadAt(content, 0)
		synced = append(synced, string(content))
		wantText(t, b, "old")
		if _, err := os.Lstat(a); err == nil {
			t.Error("a has its name before all files are on the disk")
		}

		return err
	}

	if _, err := r.Commit(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"new a", "new b", "the folder", "the folder"}; !slices.Equal(synced, want) {
		t.Errorf("brought to the disk are %q, want %q", synced, want)
	}
}

// TestReserve_oneHolderAtATime reserves a path from goroutines that know nothing of each
// other, as those of several processes do. Nobody else may take away the holder's temporary file.
func TestReserve_oneHolderAtATime(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var holders, reserved atomic.Int32
	enough := int32(soak.Raced(500, 4000))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for reserved.Load() < enough {
				var paths PathsInUse
				r, err := paths.Reserve(Target{Path: filepath.Join(folder, "day")})
				if errors.Is(err, ErrBusy) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}

				if reserved.Add(1); holders.Add(1) > 1 {
					t.Error("another one holds it too")
				}
				for range 3 {
					if held, err := filepath.Glob(filepath.Join(folder, ".analytics-*.tmp")); err != nil || len(held) != 1 {
						t.Errorf("the temporary files are %v, %v", held, err)
					}
				}
				holders.Add(-1)
				r.Close()
			}
		})
	}

	group.Wait()
}
