// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// TestCommit_severalFilesAppearTogether writes a file whose first try was longer, one that replaces
// another, and an empty one in a folder that is created. As long as one of them does not reach the disk,
// none is put in place.
func TestCommit_severalFilesAppearTogether(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a, b, c := filepath.Join(folder, "a"), filepath.Join(folder, "b"), filepath.Join(folder, "lake", "dt", "c")
	put(t, b, "old")
	targets := []Target{{Path: a}, {Path: b, Replace: true}, {Path: c, CreateFolders: true}}
	var paths PathsInUse
	outputs := reserve(t, &paths, targets...)
	writeTexts(t, outputs, "a", "b", "c")
	_ = outputs[2].f.Close() // which cannot be brought to the disk any more
	if _, err := Commit(outputs...); !errors.Is(err, os.ErrClosed) {
		t.Errorf("it ended with %v", err)
	}
	closeAll(outputs)
	wantFiles(t, folder, "b", "lake")
	wantText(t, b, "old")

	outputs = reserve(t, &paths, targets...)
	writeTexts(t, outputs, "a first try that is longer")
	writeTexts(t, outputs, "new a", "new b", "")
	files := commit(t, outputs)
	wantFiles(t, folder, "a", "b", "lake")
	wantFiles(t, filepath.Dir(c), "c")
	if info, err := os.Stat(filepath.Dir(c)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is created as %v, %v", info, err)
	}
	for i, want := range []string{"new a", "new b", ""} {
		path := []string{a, b, c}[i]
		wantText(t, path, want)
		if written := (File{digestOf(want), int64(len(want)), files[i].Stamp}); files[i] != written {
			t.Errorf("%s was written as %v", path, files[i])
		}
		if read, err := Read(t.Context(), path); err != nil || read != files[i] {
			t.Errorf("%s is %v, %v; written was %v", path, read, err, files[i])
		}
		if stamp, err := StampAt(path); err != nil || stamp != files[i].Stamp {
			t.Errorf("%s looks like %v, %v; written was %v", path, stamp, err, files[i].Stamp)
		}
	}
}

// TestWrite_digestIsThatOfTheFile writes blocks one behind the other from one buffer, as the next one is written while the
// digest of the last is still made.
func TestWrite_digestIsThatOfTheFile(t *testing.T) {
	t.Parallel()
	path, block := filepath.Join(t.TempDir(), "day"), make([]byte, 3<<20)
	outputs := reserve(t, new(PathsInUse), Target{Path: path})
	writeTexts(t, outputs, "a first try")
	writeTexts(t, outputs, "")
	outputs[0].sum = slow{outputs[0].sum}
	for i := range 8 {
		block[i] = 1
		if _, err := outputs[0].Write(block[:len(block)-32+i+1]); err != nil {
			t.Fatal(err)
		}
	}

	files := commit(t, outputs)
	if read, err := Read(t.Context(), path); err != nil || read != files[0] {
		t.Errorf("it was written as %v, and is %v, %v", files[0], read, err)
	}
}

// slow is a digest that is made more slowly than the file is written.
type slow struct{ hash.Hash }

func (s slow) Write(p []byte) (int, error) {
	for range 5 {
		sha256.Sum256(p)
	}
	return s.Hash.Write(p)
}

// tree describes everything below a folder.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		name := strings.TrimPrefix(path, root+string(filepath.Separator))
		found[name] = entry.Type().String()
		if entry.Type().IsRegular() {
			var content []byte
			content, err = os.ReadFile(path)
			found[name] = string(content)
		} else if entry.Type() == fs.ModeSymlink {
			found[name], err = os.Readlink(path)
		}

		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return found
}

// happens runs commands of a shell in a folder.
func happens(t *testing.T, root, commands string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh", "-ec", commands)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s, %v", commands, out, err)
	}
}

// TestCommit_touchesNothingOfSomebodyElse writes two files among things that somebody else has put
// there, before the reservation or between it and the commit. After an error, everything is as
// they have left it, but for folders that were created.
func TestCommit_touchesNothingOfSomebodyElse(t *testing.T) {
	t.Parallel()

	temporary, tooLong := filepath.Base(temporaryOf("day")), strings.Repeat("x", 300)
	for name, tc := range map[string]struct {
		target            string // of the second file
		before, meanwhile string
		may               Target // what the second file may do
		want              error  // about it
	}{
		"nothing":            {target: "day"},
		"a folder":           {target: "folder", may: Target{Replace: true}, want: ErrNotRegular},
		"a link":             {target: "link", may: Target{Replace: true}, want: ErrNotRegular},
		"a socket":           {target: "socket", may: Target{Replace: true}, want: ErrNotRegular},
		"no folder":          {target: "missing/day", want: ErrNoFolder},
		"a file as folder":   {target: "theirs/day", want: ErrFolder},
		"a path of a folder": {target: "folder/", want: ErrNotRegular},
		"the folder itself":  {target: ".", want: ErrNotRegular},
		"the folder above":   {target: "..", want: ErrNotRegular},
		"above a link":       {target: "out/../day", before: "mkdir folder/in; ln -s folder/in out; printf theirs >folder/day", want: ErrExists},
		"too long a name":    {target: tooLong, want: syscall.ENAMETOOLONG},

		// A folder whose disk is not mounted, and one that cannot be created below another one.
		"a loose link as folder": {target: "loose/dt/day", may: Target{CreateFolders: true}, want: ErrFolder},
		"too long a folder":      {target: "made/" + tooLong + "/day", may: Target{CreateFolders: true}, want: ErrFolder},

		// In the place of the temporary file.
		"half a file":        {target: "day", before: "printf Jane >" + temporary},
		"a link for it":      {target: "day", before: "ln -s theirs " + temporary, want: ErrBusy},
		"a loose link":       {target: "day", before: "ln -s nowhere " + temporary, want: ErrBusy},
		"a link out of here": {target: "day", before: "ln -s /etc/hostname " + temporary, want: ErrBusy},
		"a second name":      {target: "day", before: "ln theirs " + temporary},

		"a file meanwhile":               {target: "day", meanwhile: "printf theirs >day", want: ErrExists},
		"a file meanwhile, and replaced": {target: "day", before: "printf old >first", meanwhile: "printf theirs >day", want: ErrExists},
		// In which nobody would find what is written to the one that was opened.
		"another folder":              {target: "lake/day", meanwhile: "rm -r lake; mkdir lake", want: errRemoved},
		"a link for a created folder": {target: "made/dt/day", may: Target{CreateFolders: true}, meanwhile: "rm -r made; ln -s elsewhere made", want: errRemoved},
		"a file in a created folder":  {target: "made/dt/day", may: Target{CreateFolders: true}, meanwhile: "rm -r made/dt; printf theirs >made/theirs", want: errRemoved},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			at := func(name string) string { return filepath.Join(root, name) }
			socket, err := new(net.ListenConfig).Listen(t.Context(), "unix", at("socket"))
			if err != nil {
				t.Fatal(err)
			}
			defer socket.Close()

			happens(t, root, "mkdir folder lake; ln -s theirs link; ln -s nowhere loose; printf theirs >theirs")
			happens(t, root, tc.before)
			want := tree(t, root)
			_, replaces := want["first"]
			tc.may.Path = root + "/" + tc.target

			var paths PathsInUse
			outputs, err := reserveAll(&paths, Target{Path: at("first"), Replace: replaces}, tc.may)
			if len(outputs) == 0 {
				t.Fatal(err)
			}
			if err == nil {
				writeTexts(t, outputs, "new first", "new")
				happens(t, root, tc.meanwhile)
				want = tree(t, root)
				maps.DeleteFunc(want, func(_, text string) bool { return strings.HasPrefix(text, "new") }) // unfinished
				if _, err = Commit(outputs...); err == nil {
					want["first"], want[tc.target] = "new first", "new"
				}
			}
			closeAll(outputs)
			Confirm(at("first"))
			Confirm(tc.may.Path)

			if !errors.Is(err, tc.want) || errors.Is(err, ErrPartial) {
				t.Errorf("it ended with %v, want %v", err, tc.want)
			}
			left := tree(t, root)
			for name, text := range left {
				if strings.HasPrefix(name, "made") && text == fs.ModeDir.String() {
					want[name] = text
				}
			}
			if diff := cmp.Diff(want, left); diff != "" {
				t.Errorf("left is (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReserve_oneObjectAtATime(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	happens(t, root, "mkdir real; ln -s real link")
	path, spelled := root+"/real/day", []string{root + "/real/day", root + "/real/../real/./day", root + "/link/day"}
	var paths, otherRun PathsInUse
	r := reserve(t, &paths, Target{Path: path})
	if _, err := otherRun.Reserve(Target{Path: path, Replace: true}); !errors.Is(err, ErrBusy) {
		t.Errorf("another run: %v", err)
	}
	wantInUse := func(spelled ...string) {
		for _, path := range spelled {
			if _, err := paths.Reserve(Target{Path: path, Replace: true}); !errors.Is(err, ErrInUse) {
				t.Errorf("another object of the run, at %s: %v", path, err)
			}
		}
	}

	wantInUse(spelled...)
	writeTexts(t, r, "first")
	commit(t, r)
	wantInUse(spelled...)
	if err := paths.Remove(t.Context(), path, digestOf("first")); err != nil { // it is another object's
		t.Error(err)
	}

	closeAll(reserve(t, &otherRun, Target{Path: path, Replace: true}))
	wantText(t, path, "first")

	// The path stays that of its object even without the file.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wantInUse(spelled...)
}

// TestReserve_whatAKilledProcessHasNotRecordedIsNobodys leaves a new file as a process does that
// is killed, and looks at who may write there.
func TestReserve_whatAKilledProcessHasNotRecordedIsNobodys(t *testing.T) {
	t.Parallel()

	temporary := filepath.Base(temporaryOf("day"))
	for name, c := range map[string]struct {
		then     string
		taken    bool
		replaces bool
		left     []string
	}{
		"nothing else":             {then: ":"},
		"it may be replaced":       {then: ":", replaces: true, left: []string{"day"}},
		"another one is put there": {then: "rm day; printf theirs >day", taken: true},
		"another one is beside it": {then: "rm " + temporary + "; printf theirs >" + temporary, taken: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "day")
			happens(t, folder, "printf ours >day; ln day "+temporary+"; "+c.then)
			if IsUnrecorded(path) == c.taken {
				t.Errorf("unrecorded: %t", !c.taken)
			}

			target := Target{Path: path, Replace: c.replaces}
			planned := Check(target)
			o, err := new(PathsInUse).Reserve(target)
			if errors.Is(err, ErrExists) != c.taken || errors.Is(planned, ErrExists) != c.taken {
				t.Errorf("it is reserved with %v, planned with %v", err, planned)
			}
			if err == nil {
				o.Close()
				wantFiles(t, folder, c.left...)
			}
		})
	}
}

// TestReserve_oneHolderAtATime reserves a path from goroutines that know nothing of each
// other, as those of several processes do. Nobody else may take away the holder's temporary file.
func TestReserve_oneHolderAtATime(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "day")
	var holders, reserved atomic.Int32
	enough := int32(soak.Raced(500, 4000))
	reserveOften := func() {
		for reserved.Load() < enough {
			r, err := new(PathsInUse).Reserve(Target{Path: path})
			if errors.Is(err, ErrBusy) {
				continue
			}
			if err != nil {
				t.Error(err)
				return
			}

			reserved.Add(1)
			isAlone := holders.Add(1) == 1
			if _, err := os.Lstat(temporaryOf(path)); err != nil || !isAlone {
				t.Errorf("it is not the only holder, or its file is not there: %v", err)
			}
			holders.Add(-1)
			r.Close()
		}
	}

	var group sync.WaitGroup
	for range 8 {
		group.Go(reserveOften)
	}
	group.Wait()
}
