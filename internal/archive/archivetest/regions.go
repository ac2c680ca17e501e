package archivetest

import "strings"

// WithRegions is a description with begins and ends of a region r between its calls, not always in pairs.
func WithRegions(desc string) string {
	var b strings.Builder
	calls := 0
	for line := range strings.Lines(desc) {
		b.WriteString(line)
		if !strings.Contains(line, "(") || strings.Contains(line, "tabard_") {
			continue
		}
		switch calls++; calls % 5 {
		case 1:
			b.WriteString("region_begin(name=\"r\")\n")
		case 3:
			b.WriteString("region_end()\n")
		}
	}
	return b.String()
}
