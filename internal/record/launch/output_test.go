package launch

import (
	"path/filepath"
	"strings"
	"testing"
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
