package planted

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/testkit/browser"
)

// Viewed are the names of the faults of faults.c that are looked for in the viewer.
var Viewed = []string{"tag", "comm", "peer", "circle", "probe", "missing", "other-root", "crash", "abort", "error",
	"type-leak", "comm-leak", "request-leak", "unreceived", "slow", "spikes", "step", "slower", "growth", "order",
	"serial", "root"}

// View is the fault of faults.c with a name.
func View(name string) *Fault {
	i := slices.IndexFunc(Faults, func(f Fault) bool { return f.Source == "faults.c" && f.Name == name })
	return &Faults[i]
}

// FindOnPage looks for the fault on the viewer's page, from its first screen, as somebody does who does not know of it:
// a click on its finding, one on the tab of a panel, one on the first row of it. It is found when the page shows the
// line of the source, the rank and the step that the fault has. It gives what was clicked, and what the finding says.
func (f *Fault) FindOnPage(p *browser.Page) (clicks []string, text string, err error) {
	if err := p.Ready(); err != nil {
		return nil, "", err
	}
	if err := p.Wait(`document.querySelector(".findings button, .findings .empty")`); err != nil {
		return nil, "", err
	}
	all, err := p.Text(`[...document.querySelectorAll(".findings button")]` +
		`.map(e => e.querySelector(".kind").textContent + "\t" + e.title).join("\n")`)
	if err != nil {
		return nil, "", err
	}
	first := ""
	for i, line := range strings.Split(all, "\n") {
		kind, says, _ := strings.Cut(line, "\t")
		if slices.Contains(strings.Split(f.Kind, "|"), kind) && regexp.MustCompile(f.Text).MatchString(says) {
			first, text = fmt.Sprintf(".findings li:nth-child(%d) button", i+1), says
			break
		}
	}
	if first == "" {
		return nil, "", fmt.Errorf("it is none of the findings: %s", all)
	}
	tabs, err := p.Text(`[...document.querySelectorAll('[role="tab"]')].map(e => e.textContent).join("\n")`)
	if err != nil {
		return nil, text, err
	}
	tries := [][]string{nil}
	for _, more := range []string{"", ".panel tbody tr"} {
		for tab := range strings.Lines(tabs) {
			try := []string{`[role="tab"]`, strings.TrimSpace(tab)}
			if more != "" {
				try = append(try, more, "")
			}
			tries = append(tries, try)
		}
	}
	lacks := ""
	for _, try := range tries {
		clicks = nil
		for i := 0; i < len(try)+2; i += 2 {
			selector, label := first, ""
			if i > 0 {
				selector, label = try[i-2], try[i-1]
			}
			if n, err := p.Text(fmt.Sprintf("document.querySelectorAll(%q).length", selector)); err != nil || n == "0" {
				break // a panel without rows
			}
			if err := p.Click(selector, label); err != nil {
				return nil, text, err
			}
			if err := p.Ready(); err != nil {
				return nil, text, err
			}
			clicks = append(clicks, map[string]string{first: "finding", ".panel tbody tr": "first row"}[selector]+label)
		}
		if lacks, err = f.lacking(p, text); err != nil || lacks == "" {
			return clicks, text, err
		}
	}
	return nil, text, fmt.Errorf("not found in three clicks: the page does not show %s", lacks)
}

// lacking is what the panel and the selection do not show of the fault. The step that a run hung in cannot be selected:
// the finding says which it is.
func (f *Fault) lacking(p *browser.Page, text string) (string, error) {
	line, err := f.Line()
	if err != nil {
		return "", err
	}
	panel, err := p.Text(`document.querySelector(".panel").innerText`)
	if err != nil {
		return "", err
	}
	hash, err := p.Text(`decodeURIComponent(location.hash)`)
	if err != nil {
		return "", err
	}
	shows := func(pattern, selected string) bool {
		return regexp.MustCompile(pattern).MatchString(panel) ||
			regexp.MustCompile(`[#&]`+selected+`(&|$)`).MatchString(hash)
	}
	switch {
	case line > 0 && !strings.Contains(panel, f.Source+":"+strconv.Itoa(line)):
		return fmt.Sprintf("line %d", line), nil
	case f.Process >= 0 && !shows(fmt.Sprintf(`(?i)\brank\s+%d\b`, f.Process), fmt.Sprintf("rank=%d", f.Process)):
		return fmt.Sprintf("rank %d", f.Process), nil
	case f.Step >= 0 && !strings.Contains(text, fmt.Sprintf("in time step %d", f.Step)) &&
		!shows(fmt.Sprintf(`(?i)\bstep\s+%d\b`, f.Step), fmt.Sprintf("steps=%d", f.Step)):
		return fmt.Sprintf("step %d", f.Step), nil
	case len(strings.TrimSpace(panel)) < 20:
		return "anything", nil
	}
	return "", nil
}
