package outfile

// Check returns the error that Write would return for path. It is called before data is
// requested that would otherwise be lost, and leaves nothing behind.
func Check(path string) error { return check(Target{Path: path, Replace: true}) }

// CheckNew returns the error that Create would return for path.
func CheckNew(path string) error { return check(Target{Path: path}) }

func check(target Target) error {
	var paths PathsInUse
	r, err := paths.Reserve(target)
	if err != nil {
		return err
	}
	r.Close()
	return nil
}

// Write creates or replaces the regular file at path with what writeTo writes. The file
// at path stays as it was until everything is on the disk; after an error or a panic
// nothing else is left. Errors of writeTo are passed on; others name no path.
func Write(path string, writeTo func(*Writer) error) (File, error) {
	return write(Target{Path: path, Replace: true}, writeTo)
}

// Create is like Write, but returns ErrExists if something is at path, even if it appears
// while the file is being written.
func Create(path string, writeTo func(*Writer) error) (File, error) {
	return write(Target{Path: path}, writeTo)
}

func write(target Target, writeTo func(*Writer) error) (File, error) {
	var paths PathsInUse
	r, err := paths.Reserve(target)
	if err != nil {
		return File{}, err
	}
	defer r.Close()

	out, err := r.Writer(0)
	if err != nil {
		return File{}, err
	}

	if err := writeTo(out); err != nil {
		return File{}, explained(err)
	}

	files, err := r.Commit()
	if err != nil {
		return File{}, err
	}

	return files[0], nil
}
