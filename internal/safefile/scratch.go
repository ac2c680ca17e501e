package safefile

import "os"

// Scratch makes a directory of its own for files of a command, where temporary files are. remove removes it, with all
// that is in it.
func Scratch(prefix string) (d *Dir, remove func(), err error) {
	path, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, nil, err
	}
	if d, err = OpenPrivate(path); err != nil {
		os.RemoveAll(path)
		return nil, nil, err
	}
	return d, func() {
		d.Close()
		os.RemoveAll(path)
	}, nil
}
