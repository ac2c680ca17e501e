package tabard_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/docpage"
)

// documentation reads the pages for people, by their paths.
func documentation(t *testing.T) map[string]*docpage.Page {
	pages := map[string]*docpage.Page{}
	for _, pattern := range []string{"*.md", "docs/*.md", "python/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			if pages[path], err = docpage.Read(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	return pages
}

// Links lead to files and headings that are there.
func TestLinks(t *testing.T) {
	pages := documentation(t)
	for path, page := range pages {
		for _, l := range page.Links {
			if strings.Contains(l.Target, "://") || strings.HasPrefix(l.Target, "mailto:") {
				continue
			}
			name, anchor, _ := strings.Cut(l.Target, "#")
			target := path
			if name != "" {
				target = filepath.Join(filepath.Dir(path), name)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s:%d: %s leads nowhere", path, l.Line, l.Target)
			} else if p := pages[target]; anchor != "" && (p == nil || !p.Anchors[anchor]) {
				t.Errorf("%s:%d: %s has no heading #%s", path, l.Line, target, anchor)
			}
		}
	}
}

// Every page of docs can be found from the first one, which is also the menu of the site.
func TestIndex(t *testing.T) {
	pages := documentation(t)
	linked := map[string]bool{"docs/index.md": true}
	for _, l := range pages["docs/index.md"].Links {
		linked["docs/"+l.Target] = true
	}
	for path := range pages {
		if strings.HasPrefix(path, "docs/") && !linked[path] {
			t.Errorf("docs/index.md has no link to %s", path)
		}
	}
}

// command is a line that someone could type.
var command = regexp.MustCompile(`^\s*(\$ )?((mpirun|mpiexec|srun|torchrun) .*tabard|tabard) +[a-z-]+ `)

// generated are pages whose commands are tested where they come from.
var generated = map[string]bool{"docs/commands.md": true}

// Commands on pages are in blocks that TestDocs of e2e runs, or the page says why not.
func TestCommandsAreRun(t *testing.T) {
	for path, page := range documentation(t) {
		for _, b := range page.Code {
			if generated[path] || b.NotRun != "" || b.Language == "console" {
				continue
			}
			for i, line := range b.Lines {
				if command.MatchString(line) {
					t.Errorf("%s:%d: %q is not run by TestDocs: go doc ./internal/testkit/docpage", path, b.Line+i,
						strings.TrimSpace(line))
				}
			}
		}
	}
}
