// SPDX-License-Identifier: MPL-2.0

// Package outfile writes files that hold personal data: with mode 0600, completely or
// not at all, never through a symbolic link, and never over somebody else's file. It
// knows nothing of Terraform.
//
// While a file is being written, its content is in .analytics-<hash of the name>.tmp beside the
// target. A lock on that file keeps other processes from the target. What a killed process leaves behind, the
// next one removes. A written file has both names until Settle: if the process is killed before anybody has
// recorded the file, the next one recognises by them what it may remove.
package outfile

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// File describes a file that was written or read.
type File struct {
	SHA256 string // hexadecimal
	Bytes  int64
	Stamp  Stamp
}

// Stamp is what the file system reports about a file without reading its content. It
// changes when the file is altered, unless its size and time are restored afterwards.
type Stamp struct {
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime"`           // nanoseconds since 1970
	Inode   uint64 `json:"inode,omitempty"` // 0 if the system has none
}

// Errors about the target of a file. They name no path.
var (
	ErrNoFolder   = errors.New("the folder of the file does not exist")
	ErrFolder     = errors.New("the folder of the file cannot be written to")
	ErrNotRegular = errors.New("what is at that path is not a regular file, but a folder, a symbolic link or a device")
	ErrExists     = errors.New("a file is at that path already")
	ErrNoSpace    = errors.New("the disk has too little free space")
	ErrInUse      = errors.New("another resource of this run uses that path")
	ErrBusy       = errors.New("another process is writing a file at that path: .analytics-*.tmp beside it is in use")
	ErrAltered    = errors.New("it is not what was written there")
	ErrPartial    = errors.New("the files before it are in place already")
)

// Read reads the whole file at path, or until ctx ends: a large one takes a while. It returns the
// file's digest, size and stamp. Its other errors are those of StampAt.
func Read(ctx context.Context, path string) (File, error) {
	stamp, err := StampAt(path)
	if err != nil {
		return File{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return File{}, Pathless(err)
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { _ = f.Close() })()

	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		return File{}, errors.Join(ctx.Err(), Pathless(err))
	}

	return File{SHA256: hex.EncodeToString(sum.Sum(nil)), Bytes: n, Stamp: stamp}, nil
}

// StampAt returns the stamp of the file at path without reading it. It returns fs.ErrNotExist if there is
// none, and ErrNotRegular if there is something else. It does not follow a symbolic link.
func StampAt(path string) (Stamp, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Stamp{}, Pathless(err)
	}
	if !info.Mode().IsRegular() {
		return Stamp{}, ErrNotRegular
	}

	return stampOf(info), nil
}

// Check returns why a file cannot be written to a target because of what is there, as far as that shows
// before anything is created.
func Check(target Target) error {
	info, err := os.Lstat(cmp.Or(target.Path, ".")) // an empty one is this folder
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return Pathless(err)
	case !info.Mode().IsRegular():
		return ErrNotRegular
	case !target.Replace && !IsUnrecorded(target.Path):
		return ErrExists
	}

	return nil
}

// SamePath reports whether two paths lead to the same file. It resolves symbolic links in existing folders, and
// recognises a file under two spellings of its name.
func SamePath(a, b string) bool { return canonical(a) == canonical(b) || isSameFile(a, b) }

// isSameFile reports whether a file has both names.
func isSameFile(a, b string) bool {
	first, missing := os.Lstat(a)
	second, err := os.Lstat(b)
	return missing == nil && err == nil && os.SameFile(first, second)
}

// canonical returns the same path for all spellings of it, if its folder exists.
func canonical(path string) string {
	folder, name := filepath.Split(path)
	if resolved, err := filepath.EvalSymlinks(filepath.Clean(folder)); err == nil {
		folder = resolved
	}
	path = filepath.Join(folder, name)
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}

	// The usual file system of these takes names for one that differ only by case.
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		path = strings.ToLower(path)
	}

	return path
}

// folderError returns an error about the folder of a file, without its path.
func folderError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNoFolder
	}
	if errors.Is(err, ErrBusy) {
		return ErrBusy
	}
	return fmt.Errorf("%w: %w", ErrFolder, Pathless(err))
}

// Pathless removes the path from an error, since it may contain personal data, and returns
// ErrNoSpace if the disk is full.
func Pathless(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return ErrNoSpace
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}

	return err
}
