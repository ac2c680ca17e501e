package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/render"
)

// fitHelp makes help fit the terminal: paragraphs and the descriptions of flags are wrapped anew, lists by lines.
func (a *app) fitHelp(root *cobra.Command) {
	width := a.terminal().Width
	if width <= 0 {
		return
	}
	root.SetOut(a.page(a.out))
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages",
		fmt.Sprintf(".FlagUsagesWrapped %d", width)))
	for _, c := range root.Commands() {
		c.Long = joined(c.Long)
	}
}

// continued is where an item of a list goes on in the next line.
var continued = regexp.MustCompile(`\n {8,}`)

// joined is a text with each paragraph, and each item of a list, in one line.
func joined(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if !strings.HasPrefix(p, " ") && !strings.Contains(p, "\n ") {
			paragraphs[i] = strings.ReplaceAll(p, "\n", " ")
		} else {
			paragraphs[i] = continued.ReplaceAllString(p, " ")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// errorPage is where messages go: on a terminal they fit it.
func (a *app) errorPage() *render.Page {
	return &render.Page{Writer: a.err, Width: render.DetectTerminal(a.stderr, getenv).Width}
}
