// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"os"
	"slices"
	"sync"
)

// limitUnrecorded is the largest number of files that keep their temporary names: each takes two
// file descriptors.
const limitUnrecorded = 200

// unrecorded are the new files of this process that Terraform may not have recorded yet.
var unrecorded registry

// registry holds temporary files whose targets are in place.
type registry struct {
	mu    sync.Mutex
	files []unrecordedFile // the oldest first
}

type unrecordedFile struct {
	path      string // canonical, of the target
	temporary *temporary
}

// add adds a file. It settles the oldest one if there are too many.
func (r *registry) add(path string, t *temporary) {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.files = append(r.files, unrecordedFile{canonical(path), t})
	if len(r.files) > limitUnrecorded {
		r.files[0].settle()
		r.files = slices.Delete(r.files, 0, 1)
	}
}

// settle gives up the temporary name of the file at path, if it is one of this process.
func (r *registry) settle(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()

	key := canonical(path)
	r.files = slices.DeleteFunc(r.files, func(f unrecordedFile) bool {
		if f.path == key {
			f.settle()
		}
		return f.path == key
	})
}

func (f unrecordedFile) settle() {
	f.temporary.close()
	_ = f.temporary.folder.Close()
}

// Settle gives up the temporary names of all files of this process, at its end: what Terraform has not
// recorded by then, it never will.
func Settle() {
	unrecorded.mu.Lock()
	defer unrecorded.mu.Unlock()

	for _, f := range unrecorded.files {
		f.settle()
	}
	unrecorded.files = nil
}

// Confirm gives up the temporary name of the file at path, which Terraform has recorded.
func Confirm(path string) {
	unrecorded.settle(path)

	folder, name, err := openExisting(path)
	if err != nil {
		return
	}
	defer folder.Close()

	if isUnrecorded(folder, name) {
		_ = folder.Remove(temporaryName(name))
	}
}

// IsUnrecorded reports whether a killed process has put the file at path there before anybody could
// record it.
func IsUnrecorded(path string) bool {
	folder, name, err := openExisting(path)
	if err != nil {
		return false
	}
	defer folder.Close()

	return isUnrecorded(folder, name)
}

// isUnrecorded reports whether a target has its temporary name too.
func isUnrecorded(folder *os.Root, target string) bool {
	at, missing := statRegular(folder, target)
	left, err := statRegular(folder, temporaryName(target))
	return missing == nil && err == nil && os.SameFile(at, left)
}
