// Package outfile writes files with data of people: mode 0600, as a whole or not at
// all, and never through a symbolic link or over a file of somebody else. It knows
// nothing of Terraform.
package outfile

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
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
}

// Errors about the target of an output file. They name no path.
var (
	ErrNoFolder   = errors.New("the folder of the file does not exist")
	ErrFolder     = errors.New("the folder of the file cannot be written to")
	ErrNotRegular = errors.New("there is something at that path that is no regular file, such as a folder, a symbolic link or a device")
	ErrNoName     = errors.New("the path names no file")
	ErrExists     = errors.New("there is a file at that path already")
	ErrNoSpace    = errors.New("the disk has too little free space")
)

// Check reports what would stand against Write, before data is asked for
// that would then be lost. It leaves nothing behind.
func Check(path string) error {
	folder, name, err := openFolder(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := checkTarget(folder, name); err != nil {
		return err
	}
	temporary, f, err := createTemporary(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), folder.Remove(temporary))
}

// CheckNew reports what would stand against Create.
func CheckNew(path string) error {
	if err := Check(path); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return ErrExists
	}
	return nil
}

// Write writes a file through fill, in the place of a regular file that may be
// there. Until everything is on the disk, what was there before stays as it was; after
// an error or a panic nothing else is left. Errors of fill are passed on; others name
// no path.
func Write(path string, fill func(*Writer) error) (File, error) {
	return write(path, (*os.Root).Rename, fill)
}

// Create is Write for a path at which nothing may be: ErrExists otherwise,
// also where it appears while the file is being written.
func Create(path string, fill func(*Writer) error) (File, error) {
	return write(path, moveUnlessThere, fill)
}

func write(path string, move func(folder *os.Root, from, to string) error, fill func(*Writer) error) (written File, err error) {
	folder, name, err := openFolder(path)
	if err != nil {
		return File{}, err
	}
	defer folder.Close()
	if err := checkTarget(folder, name); err != nil {
		return File{}, err
	}
	temporary, f, err := createTemporary(folder)
	if err != nil {
		return File{}, err
	}
	kept := false
	defer func() {
		if !kept {
			_ = f.Close()
			_ = folder.Remove(temporary)
		}
	}()
	out := &Writer{f: f, sum: sha256.New(), free: freeSpace}
	if err := fill(out); err != nil {
		return File{}, explained(err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return File{}, explained(err)
	}
	if err := move(folder, temporary, name); err != nil {
		return File{}, explained(err)
	}
	kept = true
	syncFolder(folder)
	return out.file(), nil
}

// moveUnlessThere gives the file its name in a way that fails where the name is taken,
// or, on a file system without hard links, looks right before.
func moveUnlessThere(folder *os.Root, from, to string) error {
	err := folder.Link(from, to)
	switch {
	case err == nil:
		return folder.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return ErrExists
	}
	if _, err := folder.Lstat(to); err == nil {
		return ErrExists
	}
	return folder.Rename(from, to)
}

// Remove removes a file if it is still the one that was written, and reports
// whether it is gone. Errors name no path.
func Remove(ctx context.Context, path, sha256 string) (gone bool, err error) {
	found, err := Read(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case errors.Is(err, ErrNotRegular):
		return false, nil
	case err != nil:
		return false, err
	case found.SHA256 != sha256:
		return false, nil
	}
	folder, name, err := openFolder(path)
	if err != nil {
		return false, err
	}
	defer folder.Close()
	return true, pathless(folder.Remove(name))
}

// Read describes the file that is there; fs.ErrNotExist where there is none,
// ErrNotRegular where there is something else. A link is not followed.
func Read(ctx context.Context, path string) (File, error) {
	folder, name, err := openFolder(path)
	if errors.Is(err, ErrNoFolder) {
		return File{}, fs.ErrNotExist
	}
	if err != nil {
		return File{}, err
	}
	defer folder.Close()
	if _, err := folder.Lstat(name); err != nil {
		return File{}, pathless(err)
	}
	if err := checkTarget(folder, name); err != nil {
		return File{}, err
	}
	f, err := folder.Open(name)
	if err != nil {
		return File{}, pathless(err)
	}
	defer f.Close()
	out := &Writer{sum: sha256.New()}
	out.n, err = io.Copy(out.sum, interruptible{ctx, f})
	return out.file(), pathless(err)
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
	name = filepath.Base(path)
	if path == "" || os.IsPathSeparator(path[len(path)-1]) || name == "." || name == ".." {
		return nil, "", ErrNoName
	}
	folder, err = os.OpenRoot(filepath.Dir(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", ErrNoFolder
	case err != nil:
		return nil, "", fmt.Errorf("%w: %w", ErrFolder, pathless(err))
	}
	return folder, name, nil
}

func checkTarget(folder *os.Root, name string) error {
	info, err := folder.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return pathless(err)
	case !info.Mode().IsRegular():
		return ErrNotRegular
	}
	return nil
}

func createTemporary(folder *os.Root) (string, *os.File, error) {
	name := ".analytics-" + rand.Text() + ".tmp"
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", ErrFolder, pathless(err))
	}
	return name, f, nil
}

// syncFolder makes the new name last through a crash, where the system can do that;
// the file itself is complete either way.
func syncFolder(folder *os.Root) {
	if f, err := folder.Open("."); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// pathless drops the path from an error: it may name a person.
func pathless(err error) error {
	var (
		at   *fs.PathError
		link *os.LinkError
	)
	switch {
	case errors.As(err, &at):
		return at.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
