package spec

// EventKind is a kind of events that can be recorded: an index in EventKinds. Each traced API has one (spec/apis.txt).
type EventKind uint8

// EventInfo is a kind of events (spec/events.txt).
type EventInfo struct {
	Name, About string
	Default     bool // recorded unless the user says otherwise
	Built       bool // there is an API of the kind
}

// String is the name that `tabard record --events` takes.
func (k EventKind) String() string { return EventKinds[k].Name }

// EventsNamed is the kind with a name; false if there is none.
func EventsNamed(name string) (EventKind, bool) {
	for i := range EventKinds {
		if EventKinds[i].Name == name {
			return EventKind(i), true
		}
	}
	return 0, false
}
