package tabard_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	fileName = regexp.MustCompile(`^[\w./-]+\.(go|c|h|json|txt|md)$`)
	funcName = regexp.MustCompile(`^([A-Za-z_]\w*\.)?([A-Za-z_]\w*)\(\)$`)
)

// TestOneCall checks docs/one-call.md: each file that it names exists, and holds the functions,
// written as name(), that are named behind it.
func TestOneCall(t *testing.T) {
	page, err := os.ReadFile("docs/one-call.md")
	if err != nil {
		t.Fatal(err)
	}
	files, functions := 0, 0
	path, text := "", ""
	for _, m := range codeSpan.FindAllStringSubmatch(string(page), -1) {
		span := m[1]
		switch name := funcName.FindStringSubmatch(span); {
		case fileName.MatchString(span) && strings.Contains(span, "/"):
			files++
			path = span
			b, err := os.ReadFile(path)
			if err != nil {
				t.Errorf("docs/one-call.md: %v", err)
			}
			text = string(b)
		case name != nil:
			functions++
			if !regexp.MustCompile(`\b` + name[2] + `\(`).MatchString(text) {
				t.Errorf("docs/one-call.md says that %s has %s", path, span)
			}
		}
	}
	if files < 10 || functions < 20 {
		t.Errorf("docs/one-call.md names %d files and %d functions: is it still the way of one call?", files, functions)
	}
}
