package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Where the recording and what belongs to it cannot go is known before the program starts.
func TestCheckOutput(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ output, raw, want string }{
		"good":                    {filepath.Join(dir, "a.tabard"), filepath.Join(dir, "new", "raw"), ""},
		"no place for it":         {"/proc/a.tabard", "", "choose another place with -o"},
		"none for what is beside": {filepath.Join(dir, "a.tabard"), "/proc/raw", "choose another --keep-raw"},
	} {
		err := (&launcher{o: &Options{Output: c.output, KeepRaw: c.raw}, env: rankEnv{rank: -1}}).checkOutput()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Where there is no place for the state, the output is not left claimed.
func TestClaimWithoutState(t *testing.T) {
	dir := t.TempDir()
	output := filepath.Join(dir, "app.tabard")
	l := &launcher{o: &Options{Output: output, Command: []string{"app"}}, env: rankEnv{rank: -1}}
	roots, err := l.roots(output)
	if err != nil {
		t.Fatal(err)
	}
	key := fmt.Sprintf("not-a-state-%d", os.Getpid())
	for _, r := range roots {
		d, err := safefile.MakePrivate(r)
		if err != nil {
			continue
		}
		err = d.WriteNew(key, nil)
		d.Close()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(filepath.Join(r, key)) })
	}
	if made, err := l.findOrMake(output, key); err == nil {
		t.Fatal("there is a state: ", made)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tabard")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
