package cli

import (
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/internal/suggest"
	"github.com/tabard-hpc/tabard/spec"
)

// eventList is the value of --events: kinds of events.
type eventList struct {
	kinds uint32 // a bit for each spec.EventKind
	given bool
}

// defaultEvents are the kinds that are recorded unless the user says otherwise.
func defaultEvents() (kinds uint32) {
	for i, k := range spec.EventKinds {
		if k.Default {
			kinds |= 1 << i
		}
	}
	return kinds
}

// Set takes a list, separated by commas; the flag may be repeated.
func (l *eventList) Set(s string) error {
	kinds := uint32(0)
	for _, name := range strings.Split(s, ",") {
		k, err := eventKind(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		kinds |= 1 << k
	}
	if l.given {
		kinds |= l.kinds
	}
	l.kinds, l.given = kinds, true
	return nil
}

func eventKind(name string) (spec.EventKind, error) {
	if k, ok := spec.EventsNamed(name); ok {
		if !spec.EventKinds[k].Built {
			return 0, fmt.Errorf("this tabard cannot record %s events (%s); it can %s", name, spec.EventKinds[k].About,
				strings.Join(eventNames(), ", "))
		}
		return k, nil
	}
	msg := fmt.Sprintf("%q is no kind of events", name)
	if best := suggest.Closest(name, eventNames(), 1); len(best) > 0 {
		return 0, fmt.Errorf("%s; did you mean %s?", msg, best[0])
	}
	return 0, fmt.Errorf("%s; there are %s", msg, strings.Join(eventNames(), ", "))
}

// eventNames lists the kinds that this build records.
func eventNames() (names []string) {
	for _, k := range spec.EventKinds {
		if k.Built {
			names = append(names, k.Name)
		}
	}
	return names
}

// String lists the kinds.
func (l *eventList) String() string {
	var names []string
	for i, k := range spec.EventKinds {
		if l.kinds>>i&1 != 0 && k.Built {
			names = append(names, k.Name)
		}
	}
	return strings.Join(names, ",")
}

// Type is what help prints as the flag's argument.
func (l *eventList) Type() string { return "LIST" }

// off are the kinds that are not recorded, for the control page. MPI's are never: without its calls nobody would know
// ranks and objects, so that they are hidden instead (see hidden).
func (l *eventList) off() uint32 { return ^l.kinds &^ 1 & (1<<len(spec.EventKinds) - 1) }

// hidden are the functions that are filtered out because their events are not asked for.
func (l *eventList) hidden(id spec.ID) bool { return l.kinds&1 == 0 && spec.ByID(id).Kind == 0 }

// eventHelp lists the kinds for the help text.
func eventHelp() string {
	var b strings.Builder
	for _, k := range spec.EventKinds {
		if k.Built {
			fmt.Fprintf(&b, "  %-12s %s\n", k.Name, k.About)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
