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

// unrecorded are the new files of this process that Terraform may not have recorded yet, the oldest
// first.
var unrecorded struct {
	sync.Mutex

	files []*temporary
}

// holdUnrecorded keeps the temporary name of the file at a canonical path, and gives up the oldest one
// if there are too many.
func holdUnrecorded(path string, t *temporary) {
	unrecorded.Lock()
	defer unrecorded.Unlock()

	t.inPlace = path
	unrecorded.files = append(unrecorded.files, t)
	if len(unrecorded.files) > limitUnrecorded {
		unrecorded.files[0].close()
		unrecorded.files = unrecorded.files[1:]
	}
}

// settle gives up the temporary name of the file at a canonical path; empty for those of all files.
func settle(path string) {
	unrecorded.Lock()
	defer unrecorded.Unlock()

	unrecorded.files = slices.DeleteFunc(unrecorded.files, func(t *temporary) bool {
		isSettled := path == "" || t.inPlace == path
		if isSettled {
			t.close()
		}
		return isSettled
	})
}

// Settle gives up the temporary names of all files of this process, at its end: what Terraform has not
// recorded by then, it never will.
func Settle() { settle("") }

// Confirm gives up the temporary name of the file at path, which Terraform has recorded.
func Confirm(path string) {
	settle(canonical(path))

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
	other, err := statRegular(folder, temporaryName(target))
	return missing == nil && err == nil && os.SameFile(at, other)
}
