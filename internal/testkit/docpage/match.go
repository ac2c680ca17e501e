package docpage

import (
	"regexp"
	"strings"
)

// Match compares what a command printed with the lines that a page shows. A line `...` stands for
// any lines, `...` in a line for anything. What is measured may differ: numbers with a fraction or
// a unit, dates, bars of `#`, and how wide columns are. Everything else has to be the same, counts
// and ranks among it. The result is the number of the first line that does not fit, or -1.
func Match(want []string, printed string) int {
	var whole strings.Builder
	whole.WriteString(`\A`)
	got := trimLines(printed)
	for i, line := range want {
		if strings.TrimSpace(line) == "..." {
			whole.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		whole.WriteString(loose(line))
		whole.WriteString(` *\n`)
		if !regexp.MustCompile(whole.String()).MatchString(got) {
			return i
		}
	}
	if !regexp.MustCompile(whole.String() + `\z`).MatchString(got) {
		return len(want)
	}
	return -1
}

// trimLines ends each line with one newline, and has no empty lines at both ends.
func trimLines(s string) string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

const unit = `(?:ns|us|ms|s|min|h|B|kB|KiB|MiB|GiB|bytes|%)`

// measured are the parts of a line that may differ, each with what it may be instead. The first
// that fits a place counts.
var measured = []struct{ shown, may string }{
	{`\.\.\.`, `.*`},
	{`\d{4}-\d\d-\d\d \d\d:\d\d UTC`, `\d{4}-\d\d-\d\d \d\d:\d\d UTC`},
	{`[~<]?[\d,]*\d(?:\.\d+)? ?` + unit + `\b`, `[~<]?[\d,]*\d(?:\.\d+)? ?` + unit},
	{`[~<]?[\d,]*\d(?:\.\d+)?%`, `[~<]?[\d,]*\d(?:\.\d+)? ?` + unit},
	{`[~<]?[\d,]*\d\.\d+`, `[~<]?[\d,]*\d(?:\.\d+)?(?:e[+-]\d+)?`},
	{`##+`, `#*`},
	{` +`, ` *`},
}

var parts = func() *regexp.Regexp {
	var all []string
	for _, m := range measured {
		all = append(all, "("+m.shown+")")
	}
	return regexp.MustCompile(strings.Join(all, "|"))
}()

// loose is an expression for a line, as Match compares it.
func loose(line string) string {
	var b strings.Builder
	at := 0
	for _, m := range parts.FindAllStringSubmatchIndex(line, -1) {
		b.WriteString(regexp.QuoteMeta(line[at:m[0]]))
		for i := range measured {
			if m[2*i+2] >= 0 {
				b.WriteString(measured[i].may)
			}
		}
		at = m[1]
	}
	b.WriteString(regexp.QuoteMeta(strings.TrimRight(line[at:], " ")))
	return b.String()
}
