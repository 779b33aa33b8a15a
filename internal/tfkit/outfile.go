package tfkit

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// OutputFile is a file with data of people that the provider writes: mode 0600, as a
// whole or not at all, and never through a symbolic link.
type OutputFile struct {
	SHA256 string // hexadecimal
	Bytes  int64
}

// Errors about the target of an output file. They name no path.
var (
	ErrNoFolder   = errors.New("the folder of the file does not exist")
	ErrFolder     = errors.New("the folder of the file cannot be written to")
	ErrNotRegular = errors.New("there is something at that path that is no regular file, such as a folder, a symbolic link or a device")
	ErrNoName     = errors.New("the path names no file")
)

// CheckOutput reports what would stand against writing a file, before data is asked
// for that would then be lost. It leaves nothing behind.
func CheckOutput(path string) error {
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

// WriteOutput writes a file through fill. Until everything is on the disk, what was
// there before stays as it was; after an error or a panic nothing else is left.
// Errors of fill are passed on; others name no path.
func WriteOutput(path string, fill func(io.Writer) error) (written OutputFile, err error) {
	folder, name, err := openFolder(path)
	if err != nil {
		return OutputFile{}, err
	}
	defer folder.Close()
	if err := checkTarget(folder, name); err != nil {
		return OutputFile{}, err
	}
	temporary, f, err := createTemporary(folder)
	if err != nil {
		return OutputFile{}, err
	}
	kept := false
	defer func() {
		if !kept {
			_ = f.Close()
			_ = folder.Remove(temporary)
		}
	}()
	sum := sha256.New()
	counted := &counter{w: io.MultiWriter(f, sum)}
	if err := fill(counted); err != nil {
		return OutputFile{}, pathless(err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return OutputFile{}, pathless(err)
	}
	if err := folder.Rename(temporary, name); err != nil {
		return OutputFile{}, pathless(err)
	}
	kept = true
	syncFolder(folder)
	return counted.output(sum), nil
}

// ReadOutput describes the file that is there; fs.ErrNotExist where there is none,
// ErrNotRegular where there is something else. A link is not followed.
func ReadOutput(path string) (OutputFile, error) {
	folder, name, err := openFolder(path)
	if errors.Is(err, ErrNoFolder) {
		return OutputFile{}, fs.ErrNotExist
	}
	if err != nil {
		return OutputFile{}, err
	}
	defer folder.Close()
	if _, err := folder.Lstat(name); err != nil {
		return OutputFile{}, pathless(err)
	}
	if err := checkTarget(folder, name); err != nil {
		return OutputFile{}, err
	}
	f, err := folder.Open(name)
	if err != nil {
		return OutputFile{}, pathless(err)
	}
	defer f.Close()
	sum := sha256.New()
	counted := &counter{w: sum}
	_, err = io.Copy(counted, f)
	return counted.output(sum), pathless(err)
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

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) output(sum hash.Hash) OutputFile {
	return OutputFile{SHA256: hex.EncodeToString(sum.Sum(nil)), Bytes: c.n}
}
