// Package files writes generated files, or compares them with what is there.
package files

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// File is one generated file; Path is relative to the root of the repository.
type File struct {
	Path string
	Text []byte
}

// Write writes files below root. With diff it writes nothing, and fails if a file is not what it
// should be.
func Write(root string, files []File, diff bool) error {
	for _, f := range files {
		path := filepath.Join(root, f.Path)
		if diff {
			if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, f.Text) {
				return fmt.Errorf("%s is out of date: run make gen", f.Path)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
