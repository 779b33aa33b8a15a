package outfile

// Check reports what would stand against Write, before data is asked for that would
// then be lost. It leaves nothing behind.
func Check(path string) error { return check(Target{Path: path, Replace: true}) }

// CheckNew reports what would stand against Create.
func CheckNew(path string) error { return check(Target{Path: path}) }

func check(target Target) error {
	var none PathsInUse
	r, err := none.Reserve(target)
	if err != nil {
		return err
	}
	r.Close()
	return nil
}

// Write writes a file through fill, in the place of a regular file that may be there.
// Until everything is on the disk, what was there before stays as it was; after an
// error or a panic nothing else is left. Errors of fill are passed on; others name no
// path.
func Write(path string, fill func(*Writer) error) (File, error) {
	return write(Target{Path: path, Replace: true}, fill)
}

// Create is Write for a path at which nothing may be: ErrExists otherwise, also where
// it appears while the file is being written.
func Create(path string, fill func(*Writer) error) (File, error) {
	return write(Target{Path: path}, fill)
}

func write(target Target, fill func(*Writer) error) (File, error) {
	var none PathsInUse
	r, err := none.Reserve(target)
	if err != nil {
		return File{}, err
	}
	defer r.Close()

	out, err := r.Writer(0)
	if err != nil {
		return File{}, err
	}
	if err := fill(out); err != nil {
		return File{}, explained(err)
	}
	files, err := r.Commit()
	if err != nil {
		return File{}, err
	}
	return files[0], nil
}
