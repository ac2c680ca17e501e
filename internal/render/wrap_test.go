package render

import (
	"strings"
	"testing"
)

// Prose is wrapped between words, with a hanging indent; commands, charts and what is wide on purpose are not.
func TestPageWraps(t *testing.T) {
	long := "  one two three four five six seven eight nine ten"
	for _, c := range []struct {
		page Page
		text string
		want string
	}{
		{Page{Width: 30}, long + "\n", "  one two three four five six\n    seven eight nine ten\n"},
		{Page{Width: 30, Wide: true}, long + "\n", long + "\n"},
		{Page{}, long + "\n", long + "\n"},
		{Page{Width: 30}, "     tabard report a-recording-with-a-long-name.tabard\n",
			"     tabard report a-recording-with-a-long-name.tabard\n"},
		{Page{Width: 30}, "  " + strings.Repeat("x", 40) + " y\n", "  " + strings.Repeat("x", 40) + "\n    y\n"},
		{Page{Width: 30}, Paint("1", strings.Repeat("#", 20)) + "\n", Paint("1", strings.Repeat("#", 20)) + "\n"},
		{Page{Width: 30}, "  --item  what it is and why it is there\n",
			"  --item  what it is and why\n          it is there\n"},
		{Page{Width: 30}, "Sentences have no indent, what is not one has\n",
			"Sentences have no indent, what\nis not one has\n"},
		{Page{Width: 30}, strings.Repeat("é ", 20) + "\n", strings.TrimRight(strings.Repeat("é ", 15), " ") + "\n  " +
			strings.TrimRight(strings.Repeat("é ", 5), " ") + "\n"},
	} {
		var b strings.Builder
		c.page.Writer = &b
		if n, err := c.page.Write([]byte(c.text)); n != len(c.text) || err != nil || b.String() != c.want {
			t.Errorf("%d columns: %q, want %q", c.page.Width, b.String(), c.want)
		}
	}
}

// A table that has too many columns gives up space between them, and more of its text.
func TestNarrowTable(t *testing.T) {
	for _, width := range []int{40, 60, 80} {
		x := NewTable("recording", "date", ">ranks", ">elapsed", ">a step")
		x.Row("a-recording-with-a-long-name.tabard", "2026-11-24 04:06", "4", "1.03 s", "33.2 ms")
		var b strings.Builder
		if err := x.WriteText(&Page{Writer: &b, Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("%d columns instead of %d: %s", n, width, line)
			}
		}
	}
}
