// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// writesFiles matches what writes files, in a configuration.
var writesFiles = regexp.MustCompile(`(?m)^(resource|action) "(analytics_export_\w+|analytics_\w*data_access\w*)"`)

// TestCLIExamples_killedBeforeItIsRecorded applies each example that writes files, and takes the disk
// back to what it is if the run is killed in the commit: nothing is in state, the first half of the
// files is in place, and of the others there is only what is beside them. The same command then writes
// all files, and nothing else is left.
func TestCLIExamples_killedBeforeItIsRecorded(t *testing.T) {
	t.Parallel()
	folders := slices.DeleteFunc(foldersWith(t, ".tf"), func(folder string) bool {
		files, _ := filepath.Glob(root + "/examples/" + folder + "/*.tf")
		return !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && writesFiles.Match(text)
		})
	})
	if len(folders) < 12 {
		t.Errorf("files are written by %q only", folders)
	}

	each(t, folders, func(t *testing.T, e *example) {
		e.remove(importFile, identityFile)
		e.skipUnknown()
		// The service answers the second request with the data that it has prepared.
		e.Setenv("ANALYTICS_WIRE", `{"lag":"0s","all_data":{"at":"/identity"}}`)
		command := []string{"apply", "-auto-approve"}
		if action := actions.FindStringSubmatch(e.text()); action != nil {
			command = append(command, "-invoke=action."+action[1]+"."+action[2])
		}

		before := e.files()
		e.MustRun(command...)
		written := e.files()
		written = slices.DeleteFunc(written, func(path string) bool { return slices.Contains(before, path) })
		if len(written) == 0 {
			t.Fatal("it writes no file")
		}

		e.remove("terraform.tfstate")
		for i, path := range written {
			folder, name := filepath.Split(filepath.Join(e.Dir, path))
			sum := sha256.Sum256([]byte(name))
			beside := filepath.Join(folder, fmt.Sprintf(".analytics-%x.tmp", sum[:8]))
			e.must(os.Link(filepath.Join(folder, name), beside))
			if i >= (len(written)+1)/2 {
				e.must(os.Remove(filepath.Join(folder, name)))
			}
		}

		e.MustRun(command...)
		if after := e.files(); !slices.Equal(after, slices.Sorted(slices.Values(slices.Concat(before, written)))) {
			t.Errorf("after another run there are %q; before there were %q, and written were %q", after, before, written)
		}
	})
}

// files returns the paths of the files in the folder, but those of Terraform.
func (e *example) files() (paths []string) {
	e.t.Helper()
	e.must(fs.WalkDir(os.DirFS(e.Dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.HasPrefix(path, "terraform.tfstate") && !strings.HasPrefix(path, ".terraform") {
			paths = append(paths, path)
		}
		return err
	}))
	slices.Sort(paths)

	return paths
}
