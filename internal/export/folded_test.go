package export

import "testing"

func TestFoldedName(t *testing.T) {
	for name, want := range map[string]string{
		"std::vector<int>::at": "std::vector<int>::at", "größe": "größe", "a;b\nc": "a:b?c",
		"\x1b[31m\u009b31m\u202e": "?[31m?31m?",
	} {
		if got := foldedName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
