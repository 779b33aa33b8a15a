package outfile

import (
	"fmt"
	"os"
	"slices"
)

// Commit puts all files that were written in place, and describes them by target;
// targets without a writer have the zero File. Until everything is on the disk, every
// target stays as it was. If a file cannot be put in place, those before it are rolled
// back; ErrPartial says that the file system did not allow that.
func (r *Reservation) Commit() ([]File, error) {
	files := make([]File, len(r.targets))
	written := r.written()
	for _, t := range written {
		file, err := t.out.complete()
		if err != nil {
			return nil, &TargetError{t.index, err}
		}
		files[t.index] = file
	}

	if err := publish(written); err != nil {
		return nil, err
	}

	for _, t := range written {
		t.release = nil // the path stays in use until the run ends
		syncFolder(t.folder)
	}

	return files, nil
}

// written returns the targets that have a writer.
func (r *Reservation) written() (written []*reservedTarget) {
	for _, t := range r.targets {
		if t.out != nil {
			written = append(written, t)
		}
	}
	return written
}

// publish gives all files their names, or none of them.
func publish(targets []*reservedTarget) error {
	reversible := len(targets) > 1

	var done []*published
	for _, t := range targets {
		file, err := t.publish(reversible)
		if err != nil {
			if !rollBack(done) {
				err = fmt.Errorf("%w; %w", err, ErrPartial)
			}
			return &TargetError{t.index, err}
		}
		done = append(done, file)
	}

	for _, file := range done {
		file.dropOld()
	}

	return nil
}

// rollBack rolls files back, the latest first, and reports whether all of them were.
func rollBack(files []*published) bool {
	for _, file := range slices.Backward(files) {
		if !file.rollBack() {
			return false
		}
	}
	return true
}

// published is a file in place that can still be rolled back.
type published struct {
	target   *reservedTarget
	old      string // second name of the file that was replaced; empty if it has none
	replaced bool
}

// publish gives the file its name. If reversible is set, a file that it replaces keeps a
// second name, on file systems with hard links.
func (t *reservedTarget) publish(reversible bool) (*published, error) {
	file := &published{target: t}
	if !t.Replace {
		return file, t.out.temporary.publishNew(t.name)
	}

	_, err := t.folder.Lstat(t.name)
	file.replaced = err == nil
	if file.replaced && reversible {
		file.old = t.linkOld()
	}

	if err := t.out.temporary.publish(t.name); err != nil {
		file.dropOld()
		return nil, err
	}

	return file, nil
}

// linkOld gives the file at the target a second name, and returns it; it returns the
// empty string if that is not possible.
func (t *reservedTarget) linkOld() string {
	old := t.lock.oldName()
	if !t.lock.held() || t.folder.Link(t.name, old) != nil {
		return ""
	}
	return old
}

// rollBack restores what was in the file's place, and reports whether it could.
func (p *published) rollBack() bool {
	if !p.replaced {
		return p.target.folder.Remove(p.target.name) == nil
	}
	return p.old != "" && p.target.folder.Rename(p.old, p.target.name) == nil
}

// dropOld removes the file that was replaced.
func (p *published) dropOld() {
	if p.old != "" {
		_ = p.target.folder.Remove(p.old)
	}
}

// syncFolder makes the new name survive a crash, if the system supports that; the file
// itself is complete either way.
func syncFolder(folder *os.Root) {
	if f, err := folder.Open("."); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
