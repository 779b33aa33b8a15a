// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// TestCommit_nothingIsLostInACrash watches what Commit brings to the disk: each file before
// it has its name, and the folder once it holds the names.
func TestCommit_nothingIsLostInACrash(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	put(t, b, "old")

	var paths PathsInUse
	r := reserve(t, &paths, Target{Path: a}, Target{Path: b, Replace: true})
	writeTexts(t, r, "new a", "new b")
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

		return err
	}

	if _, err := r.Commit(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"new a", "new b", "the folder", "the folder"}; !slices.Equal(synced, want) {
		t.Errorf("brought to the disk are %q, want %q", synced, want)
	}
}

func TestCommit_fileThatDoesNotReachTheDiskIsNotPutInPlace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "day")
	put(t, path, "old")

	var paths PathsInUse
	r := reserve(t, &paths, Target{Path: path, Replace: true})
	writeTexts(t, r, "new")
	failure := errors.New("the disk is broken")
	r.sync = func(*os.File) error { return failure }
	if _, err := r.Commit(); !errors.Is(err, failure) {
		t.Errorf("it ended with %v", err)
	}

	r.Close()
	wantText(t, path, "old")
	wantFiles(t, folder, "day")
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

// TestCommit_leftFileIsReplacedUnlessItIsAltered alters a file, before or while the new one is
// written, in ways that keep its size, and its time up to the second.
func TestCommit_leftFileIsReplacedUnlessItIsAltered(t *testing.T) {
	t.Parallel()
	written := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	put := func(path, content string, at time.Time) error {
		return errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chtimes(path, at, at))
	}

	for name, tc := range map[string]struct {
		alter func(path string) error
		want  error
	}{
		"left alone":                 {func(string) error { return nil }, nil},
		"altered in the same second": {func(path string) error { return put(path, "them", written.Add(time.Millisecond)) }, ErrExists},
		"another one of the same time": {func(path string) error {
			return errors.Join(put(path+".new", "them", written), os.Rename(path+".new", path))
		}, ErrExists},
	} {
		for _, meanwhile := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", meanwhile ", meanwhile), func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "day")
				if err := put(path, "ours", written); err != nil {
					t.Fatal(err)
				}

				var paths PathsInUse
				paths.Leave(t.Context(), path, digestOf("ours"))
				var altered error
				if !meanwhile {
					altered = tc.alter(path)
				}
				r, err := paths.Reserve(Target{Path: path})
				if err == nil && meanwhile {
					altered = tc.alter(path)
				}
				if err == nil {
					writeTexts(t, r, "new")
					_, err = r.Commit()
					r.Close()
				}

				if altered != nil || !errors.Is(err, tc.want) {
					t.Errorf("it ended with %v, want %v (%v)", err, tc.want, altered)
				}
				wantText(t, path, map[error]string{nil: "new", ErrExists: "them"}[tc.want])
			})
		}
	}
}

// TestUndo_leavesWhatSomebodyElseHasPutThere takes back a file that is not there any more.
func TestUndo_leavesWhatSomebodyElseHasPutThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "day")
	var paths PathsInUse
	r := reserve(t, &paths, Target{Path: path})
	writeTexts(t, r, "new")
	if _, err := r.Commit(); err != nil {
		t.Fatal(err)
	}

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	put(t, path, "theirs")
	if !undo(r.targets) {
		t.Error("it says that something of the run is left")
	}
	wantText(t, path, "theirs")
}

// TestCommit_folderThatWasMoved has no folder, or another one, at the path of the second of two
// files: what was written to the one that was opened would be found by nobody.
func TestCommit_folderThatWasMoved(t *testing.T) {
	t.Parallel()
	for _, another := range []bool{false, true} {
		root := t.TempDir()
		lake, moved := filepath.Join(root, "lake"), filepath.Join(root, "moved")
		var paths PathsInUse
		r := reserve(t, &paths, Target{Path: filepath.Join(root, "a")}, Target{Path: filepath.Join(lake, "day"), CreateFolders: true})
		writeTexts(t, r, "new a", "new")
		err := os.Rename(lake, moved)
		if another {
			err = errors.Join(err, os.Mkdir(lake, 0o700))
		}
		if err != nil {
			t.Fatal(err)
		}

		if _, err := r.Commit(); !errors.Is(err, errRemoved) {
			t.Errorf("it ended with %v", err)
		}
		r.Close()
		wantFiles(t, moved)
	}
}
