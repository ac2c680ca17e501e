package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const readmeFile = "../../README.md"

// Every command and flag is in the reference and in its manual page.
func TestEverythingIsDocumented(t *testing.T) {
	reference := Reference()
	for _, c := range visible(newRoot(&app{}))[1:] {
		if !strings.Contains(reference, "## tabard "+c.Name()+"\n") {
			t.Errorf("command %s is not in the reference", c.Name())
		}
		code, page, stderr := run("man", c.Name())
		if code != exitOK || stderr != "" || !strings.Contains(page, ".TH") {
			t.Errorf("tabard man %s: code %d, stderr %q", c.Name(), code, stderr)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !strings.Contains(reference, "--"+f.Name) {
				t.Errorf("flag --%s of %s is not in the reference", f.Name, c.Name())
			}
			if !strings.Contains(page, `\-\-`+f.Name) && !strings.Contains(page, "--"+f.Name) {
				t.Errorf("flag --%s is not in the manual page of %s", f.Name, c.Name())
			}
		})
	}
}

// The flags of tabard that the README, the pages of docs and the examples of the help show exist, and so do the
// environment variables.
func TestShownCommandsExist(t *testing.T) {
	texts := map[string]string{}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 20 {
		t.Fatal(pages, err)
	}
	for _, path := range append(pages, readmeFile) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(path)] = string(text)
	}
	for _, c := range visible(newRoot(&app{})) {
		texts["help "+c.Name()] = c.Example
	}
	n := 0
	for name, text := range texts {
		n += shownCommands(t, name, text)
	}
	if n < 100 {
		t.Errorf("only %d commands found", n)
	}
}

// shownCommands checks the commands in a text, and counts them.
func shownCommands(t *testing.T, name, text string) int {
	n := 0
	for _, m := range regexp.MustCompile("(?m)tabard ([a-z]+)((?: [^`|>\n#)\\]]*)?)").FindAllStringSubmatch(text, -1) {
		cmd := commandNamed(m[1])
		if cmd == nil {
			continue // prose
		}
		n++
		for _, word := range strings.Fields(quoted.ReplaceAllString(m[2], "word")) {
			if flag, ok := strings.CutPrefix(word, "--"); ok && flag != "" {
				flag, _, _ = strings.Cut(flag, "=")
				flag = strings.TrimRight(flag, ".,;:*'\"[]")
				if flag != "" && flag != "help" && cmd.Flags().Lookup(flag) == nil {
					t.Errorf("%s: tabard %s has no flag --%s", name, m[1], flag)
				}
			}
			if !strings.HasPrefix(word, "-") && m[1] == "record" {
				break // the program's own flags follow
			}
		}
	}
	for _, m := range regexp.MustCompile(`\bTABARD_[A-Z_]+`).FindAllString(text, -1) {
		if !environmentVariable(m) && !ownVariables[m] {
			t.Errorf("%s: no environment variable %s", name, m)
		}
	}
	return n
}

// ownVariables are of tests, and of what records.
var ownVariables = map[string]bool{"TABARD_CLOCK_SKEW": true, "TABARD_SEED": true, "TABARD_GPU": true,
	"TABARD_CUPTI": true}

func commandNamed(name string) *cobra.Command {
	for _, c := range visible(newRoot(&app{})) {
		if c.Name() == name && c.Name() != "tabard" {
			return c
		}
	}
	return nil
}

// environmentVariable reports whether record reads a variable, or the program
// may use the name to switch tracing.
func environmentVariable(name string) bool {
	found := name == "TABARD_TRACING"
	commandNamed("record").Flags().VisitAll(func(f *pflag.Flag) { found = found || envName(f.Name) == name })
	return found
}

func TestManPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	if code, _, stderr := run("man", "--dir", dir); code != exitOK {
		t.Fatal(stderr)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) != len(visible(newRoot(&app{}))) {
		t.Errorf("pages %v, error %v", pages, err)
	}
}

func TestCompletions(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		code, stdout, stderr := run("completion", shell)
		if code != exitOK || stderr != "" || !strings.Contains(stdout, "tabard") {
			t.Errorf("%s: code %d, stderr %q, %d bytes", shell, code, stderr, len(stdout))
		}
	}
	for line, want := range map[string]string{
		"re": "record", "record --timing=": "lossless", "record --only pt2pt,MPI_Sen": "pt2pt,MPI_Send",
		"record --callsites ": "stack", "completion ": "fish", "man du": "dump",
	} {
		fields := strings.Split(line, " ")
		code, stdout, _ := run(append([]string{"__complete"}, fields...)...)
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("completing %q: code %d, no %q in\n%s", line, code, want, stdout)
		}
	}
}
