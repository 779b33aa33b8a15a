// Package outfile writes files with data of people: mode 0600, as a whole or not at
// all, and never through a symbolic link or over a file of somebody else. It knows
// nothing of Terraform.
//
// While a file is being written, an empty lock file stands beside its target, so that
// no two processes write one path. The content has no name until it is complete where
// the system can do that (O_TMPFILE), and a name derived from the target elsewhere.
// After a SIGKILL at most the lock file and, elsewhere, the unfinished content remain;
// the next reservation of the target removes both.
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
)

// File describes a file as it was written or read.
type File struct {
	SHA256 string // hexadecimal
	Bytes  int64
	Stamp  Stamp
}

// Stamp is what the file system says of a file without reading its content. A file
// that was altered since has another one, unless its size and time were put back.
type Stamp struct {
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime"`           // nanoseconds since 1970
	Inode   uint64 `json:"inode,omitempty"` // 0 where the system has none
}

// Errors about the target of a file. They name no path.
var (
	ErrNoFolder   = errors.New("the folder of the file does not exist")
	ErrFolder     = errors.New("the folder of the file cannot be written to")
	ErrNotRegular = errors.New("there is something at that path that is no regular file, such as a folder, a symbolic link or a device")
	ErrNoName     = errors.New("the path names no file")
	ErrExists     = errors.New("there is a file at that path already")
	ErrNoSpace    = errors.New("the disk has too little free space")
	ErrInUse      = errors.New("another object of this run uses that path")
	ErrBusy       = errors.New("another process is writing a file at that path, or another provider configuration of this run has written it")
	ErrLeftover   = errors.New("the name of the temporary file beside the path, .analytics-*.tmp, is taken by something that this user did not write")
	ErrPartial    = errors.New("some of the files are new already, and the others are as they were")
)

// Read returns the digest, size and stamp of the file at path, which it reads as a
// whole. It fails with fs.ErrNotExist where there is none and with ErrNotRegular where
// there is something else. A symbolic link is not followed.
func Read(ctx context.Context, path string) (File, error) {
	folder, name, err := openExisting(path)
	if err != nil {
		return File{}, err
	}
	defer folder.Close()

	f, err := folder.Open(name)
	if err != nil {
		return File{}, pathless(err)
	}
	defer f.Close()

	info, err := f.Stat()
	if err != nil {
		return File{}, pathless(err)
	}

	sum := sha256.New()
	n, err := io.Copy(sum, interruptible{ctx, f})
	if err != nil {
		return File{}, pathless(err)
	}
	return File{SHA256: hex.EncodeToString(sum.Sum(nil)), Bytes: n, Stamp: stampOf(info)}, nil
}

// Look returns the stamp of the file at path without reading it. Its errors are those
// of Read.
func Look(path string) (Stamp, error) {
	folder, name, err := openExisting(path)
	if err != nil {
		return Stamp{}, err
	}
	defer folder.Close()

	info, err := folder.Lstat(name)
	if err != nil {
		return Stamp{}, pathless(err)
	}
	return stampOf(info), nil
}

// openExisting opens the folder of a regular file.
func openExisting(path string) (folder *os.Root, name string, err error) {
	folder, name, err = openFolder(path)
	if errors.Is(err, ErrNoFolder) {
		return nil, "", fs.ErrNotExist
	}
	if err != nil {
		return nil, "", err
	}

	info, err := folder.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		folder.Close()
		return nil, "", pathless(err)
	}
	return folder, name, nil
}

func stampOf(info fs.FileInfo) Stamp {
	return Stamp{Size: info.Size(), ModTime: info.ModTime().UnixNano(), Inode: inodeOf(info)}
}

// interruptible ends reading with its context: a large file takes its time.
type interruptible struct {
	ctx context.Context //nolint:containedctx // lives for one read of a file, whose context this is
	io.Reader
}

func (r interruptible) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// openFolder holds on to the folder, so that what is checked and what is written is
// in the same one, wherever its path leads meanwhile.
func openFolder(path string) (folder *os.Root, name string, err error) {
	name, err = nameOf(path)
	if err != nil {
		return nil, "", err
	}

	folder, err = os.OpenRoot(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", ErrNoFolder
	}
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrFolder, pathless(err))
	}
	return folder, name, nil
}

func nameOf(path string) (string, error) {
	name := filepath.Base(path)
	if path == "" || os.IsPathSeparator(path[len(path)-1]) || name == "." || name == ".." {
		return "", ErrNoName
	}
	return name, nil
}

// pathless drops the path from an error: it may name a person.
func pathless(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
