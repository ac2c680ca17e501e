package safefile

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// writers are the ways to change files by path that this package replaces.
var writers = regexp.MustCompile(
	`\bos\.(Create|OpenFile|WriteFile|Remove|RemoveAll|Rename|Truncate|Link|Symlink|CreateTemp|MkdirTemp)\(`,
)

// apart are files of the product that change files by path all the same, with the reason.
var apart = map[string]string{
	"internal/program/replay/files.go": "files of the replayed program, in its scratch directory",
}

// readers are the ways to open a file that may be a pipe, which blocks whoever opens it; but not what the kernel has.
var readers = regexp.MustCompile(`\b(os\.(Open|ReadFile)|elf\.Open|unix\.Open|syscall\.Open)` +
	`\((fmt\.Sprintf\()?("/(proc|sys)/)?`)

// readApart are files of the product that open files by path all the same, with the reason.
var readApart = map[string]string{
	"internal/archive/archivetest/tracetest.go": "part of tests",
	"internal/doctor/leftover.go":               "settings of the system",
	"internal/doctor/system.go":                 "what the kernel says of the machine",
	"internal/program/replay/library.go":        "settings of the dynamic linker",
	"internal/record/collect/console.go":        "standard error of the program, which does not block",
}

// One package opens, creates and removes files. The others go through it.
func TestOnlyHere(t *testing.T) {
	found, foundReading := map[string]bool{}, map[string]bool{}
	root := filepath.Join("..", "..")
	for _, top := range []string{"internal", "analysis", "trace", "cmd", "capture", "spec"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			name, _ := filepath.Rel(root, path)
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
				strings.HasPrefix(name, "internal/gen/") || strings.HasPrefix(name, "internal/testkit/") ||
				strings.HasPrefix(name, "internal/safefile/") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if use := writers.Find(text); use != nil {
				found[name] = true
				if apart[name] == "" {
					t.Errorf("%s uses %s...): package safefile is for that", name, use)
				}
			}
			for _, use := range readers.FindAllSubmatch(text, -1) {
				if len(use[4]) > 0 {
					continue
				}
				foundReading[name] = true
				if readApart[name] == "" {
					t.Errorf("%s uses %s...): package safefile is for that", name, use[0])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range apart {
		if !found[name] {
			t.Errorf("%s changes no files by path any more: take it off the list", name)
		}
	}
	for name := range readApart {
		if !foundReading[name] {
			t.Errorf("%s opens no files by path any more: take it off the list", name)
		}
	}
}
