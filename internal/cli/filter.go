package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// functionList is the value of --only, --except and --function.
type functionList struct {
	text     string
	selected *selection.Functions // nil: none given
}

// Set adds the items of a list; the flag may be repeated.
func (l *functionList) Set(s string) error {
	chosen, err := selection.ParseFunctions(s)
	if err != nil {
		return err
	}
	if l.selected == nil {
		l.selected = chosen
	} else {
		l.selected.Add(chosen)
	}
	l.text = l.selected.String()
	return nil
}

// String returns the list as given.
func (l *functionList) String() string { return l.text }

// Type is what help prints as the flag's argument.
func (l *functionList) Type() string { return "LIST" }

// regionList is the value of record's --in: regions, or paths of them.
type regionList struct{ text string }

// Set adds the items of a list; the flag may be repeated.
func (l *regionList) Set(s string) error {
	items := strings.Split(s, ",")
	if l.text != "" {
		items = append(strings.Split(l.text, ","), items...)
	}
	for i, item := range items {
		items[i] = strings.TrimSpace(item)
		if slices.Contains(strings.Split(items[i], "/"), "") {
			return fmt.Errorf("the name of a region is empty in %q", s)
		}
	}
	slices.Sort(items)
	text := strings.Join(slices.Compact(items), ",")
	if err := ring.CheckIn(text); err != nil {
		return err
	}
	l.text = text
	return nil
}

// String returns the list.
func (l *regionList) String() string { return l.text }

// Type is what help prints as the flag's argument.
func (l *regionList) Type() string { return "REGION,..." }

// filteredOut lists, in order, the functions that only, except and events leave out.
func filteredOut(only, except *functionList, events *eventList) []spec.ID {
	var ids []spec.ID
	for _, f := range selection.Recordable() {
		if events.hidden(f.ID) || !only.selected.Contains(f.ID) ||
			except.selected != nil && except.selected.Contains(f.ID) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// groupHelp lists the groups for the help text.
func groupHelp() string {
	var b strings.Builder
	for _, g := range selection.Groups() {
		fmt.Fprintf(&b, "  %-12s %s\n", g.Name, g.About)
	}
	return strings.TrimRight(b.String(), "\n")
}
