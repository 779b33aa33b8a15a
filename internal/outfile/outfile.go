// SPDX-License-Identifier: MPL-2.0

// Package outfile writes files that hold personal data: with mode 0600, completely or
// not at all, never through a symbolic link, and never over somebody else's file. It
// knows nothing of Terraform.
//
// While a file is being written, its content is in .analytics-<hash of the name>.tmp beside the
// target. A lock on that file keeps other processes from the target. Only a killed process, or a
// commit that failed halfway, leaves it behind; the next one that writes or removes the target removes
// it. A new file has both names until Settle: if the process is killed before anybody has recorded the
// file, the next one recognises by them what it may remove.
package outfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	ErrNoName     = errors.New("the path names no file")
	ErrExists     = errors.New("a file is at that path already")
	ErrNoSpace    = errors.New("the disk has too little free space")
	ErrInUse      = errors.New("another resource of this run uses that path")
	ErrBusy       = errors.New("another process is writing a file at that path: .analytics-*.tmp beside it is in use")
	ErrPartial    = errors.New("the files before it are in place already")
)

// Read reads the whole file at path and returns its digest, size and stamp. It returns
// fs.ErrNotExist if there is none, and ErrNotRegular if there is something else. It does
// not follow a symbolic link.
func Read(ctx context.Context, path string) (File, error) {
	folder, name, err := openExisting(path)
	if err != nil {
		return File{}, err
	}
	defer folder.Close()

	file, _, err := read(ctx, folder, name)

	return file, err
}

// StampAt returns the stamp of the file at path without reading it. Its errors are those
// of Read.
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

// Check returns why a file cannot be written to a target, as far as that shows before anything is
// created. A folder that does not exist may be made until then.
func Check(target Target) error {
	_, err := StampAt(target.Path)
	if err == nil && !target.Replace && !IsUnrecorded(target.Path) {
		return ErrExists
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	return err
}

// openExisting is openFolder for a file that is to be read: a missing folder is fs.ErrNotExist.
func openExisting(path string) (folder *os.Root, name string, err error) {
	folder, name, err = openFolder(path)
	if errors.Is(err, ErrNoFolder) {
		err = fs.ErrNotExist
	}
	return folder, name, err
}

// read reads a regular file to its end, or until ctx ends: a large one takes a while. Its other
// errors are those of statRegular.
func read(ctx context.Context, folder *os.Root, name string) (File, fs.FileInfo, error) {
	if _, err := statRegular(folder, name); err != nil {
		return File{}, nil, err
	}
	f, err := folder.Open(name)
	if err != nil {
		return File{}, nil, Pathless(err)
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { _ = f.Close() })()

	info, err := f.Stat()
	if err != nil {
		return File{}, nil, Pathless(err)
	}

	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		return File{}, nil, errors.Join(ctx.Err(), Pathless(err))
	}

	return File{SHA256: hex.EncodeToString(sum.Sum(nil)), Bytes: n, Stamp: stampOf(info)}, info, nil
}

// statRegular describes a regular file without following a symbolic link. It returns
// fs.ErrNotExist if nothing has the name, and ErrNotRegular if something else has it.
func statRegular(folder *os.Root, name string) (fs.FileInfo, error) {
	info, err := folder.Lstat(name)
	if err != nil {
		return nil, Pathless(err)
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	return info, nil
}

// openFolder opens the folder of a path, and returns it with the name of the file. What
// is checked and what is written is then in the same folder, even if the path leads
// elsewhere in the meantime. It returns ErrNoName if the path cannot name a file.
func openFolder(path string) (folder *os.Root, name string, err error) {
	name = filepath.Base(path)
	if path == "" || os.IsPathSeparator(path[len(path)-1]) || name == "." || name == ".." {
		return nil, "", ErrNoName
	}

	folder, err = os.OpenRoot(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", ErrNoFolder
	}
	if err != nil {
		return nil, "", folderError(err)
	}

	return folder, name, nil
}

// folderError returns an error about a folder, without its path.
func folderError(err error) error { return fmt.Errorf("%w: %w", ErrFolder, Pathless(err)) }

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
