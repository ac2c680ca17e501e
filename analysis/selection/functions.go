package selection

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"tabard/internal/suggest"
	"tabard/spec"
)

// Group is a name for several functions. A function may be in several groups.
type Group struct {
	Name, About string
	// Alias is another name of the group, empty if there is none.
	Alias string

	has func(*spec.Func) bool // nil: what is in no other group
}

func category(names ...string) func(*spec.Func) bool {
	return func(f *spec.Func) bool { return slices.Contains(names, f.Category) }
}

func chapter(name string) func(*spec.Func) bool {
	return func(f *spec.Func) bool { return f.Chapter == name }
}

func prefix(names ...string) func(*spec.Func) bool {
	return func(f *spec.Func) bool {
		return slices.ContainsFunc(names, func(p string) bool { return strings.HasPrefix(f.Name, p) })
	}
}

func either(a, b func(*spec.Func) bool) func(*spec.Func) bool {
	return func(f *spec.Func) bool { return a(f) || b(f) }
}

var groups = []Group{
	{Name: "pt2pt", Alias: "p2p", About: "sends, receives, probes", has: category("pt2pt", "partitioned")},
	{Name: "partitioned", About: "partitioned communication", has: category("partitioned")},
	{Name: "completion", Alias: "wait", About: "waits and tests of requests", has: category("completion", "completion_query")},
	{Name: "start", About: "starts of persistent requests", has: category("start")},
	{Name: "request", About: "completion, start, and all else with requests only",
		has: either(category("completion", "completion_query", "start"), prefix("MPI_Request_", "MPI_Cancel", "MPI_Grequest_", "MPI_Status_"))},
	{Name: "collective", Alias: "coll", About: "collective communication, that of neighbours included", has: category("collective", "neighbor_collective")},
	{Name: "neighbor", About: "neighbourhood collectives", has: category("neighbor_collective")},
	{Name: "rma", About: "one-sided communication and windows", has: either(chapter("one-sided"), prefix("MPI_Win_"))},
	{Name: "io", About: "parallel files", has: either(chapter("io"), prefix("MPI_File_"))},
	{Name: "comm", About: "communicators", has: either(category("comm_mgmt"), prefix("MPI_Comm_", "MPI_Intercomm_"))},
	{Name: "group", About: "process groups", has: prefix("MPI_Group_")},
	{Name: "topology", About: "process topologies", has: chapter("topologies")},
	{Name: "type", About: "datatypes and packing", has: either(chapter("datatypes"), prefix("MPI_Type_"))},
	{Name: "op", About: "reduction operations", has: prefix("MPI_Op_", "MPI_Reduce_local")},
	{Name: "info", About: "info objects", has: chapter("info")},
	{Name: "process", About: "initialisation, spawning, sessions", has: either(chapter("process init/creation/management"), prefix("MPI_Session_"))},
	{Name: "env", About: "environment, errors, time, memory", has: either(chapter("environment"), chapter("external interfaces"))},
	{Name: "tool", About: "the MPI tool interface, MPI_T and MPI_Pcontrol", has: chapter("tools")},
	{Name: "other", About: "what is in no other group"},
}

// Groups lists the groups of functions.
func Groups() []Group { return slices.Clone(groups) }

// Has tells whether a function is in the group.
func (g *Group) Has(f *spec.Func) bool {
	if g.has != nil {
		return g.has(f)
	}
	return !slices.ContainsFunc(groups, func(o Group) bool { return o.has != nil && o.has(f) })
}

// GroupOf is the name of the group that a report puts a function in: the first that has it.
func GroupOf(f *spec.Func) string {
	for i := range groups {
		if groups[i].Has(f) {
			return groups[i].Name
		}
	}
	return "other"
}

// Functions is a set of functions. Nil is all.
type Functions struct {
	text string
	has  map[spec.ID]bool
}

// ParseFunctions understands a list of functions, separated by commas: names in any
// case, with or without MPI_; patterns with * ? and []; names of groups.
func ParseFunctions(s string) (*Functions, error) {
	f := &Functions{text: s, has: map[spec.ID]bool{}}
	all := Recordable()
	for _, item := range strings.Split(s, ",") {
		item = strings.TrimSpace(item)
		match, err := matcher(item)
		if err != nil {
			return nil, err
		}
		hit := false
		for _, fn := range all {
			if match(fn) {
				f.has[fn.ID] = true
				hit = true
			}
		}
		if !hit {
			return nil, unknownFunction(item, all)
		}
	}
	return f, nil
}

// String is the list as given.
func (f *Functions) String() string { return f.text }

// Contains tells whether a function is in the set.
func (f *Functions) Contains(id spec.ID) bool { return f == nil || f.has[id] }

// Add adds the functions of o.
func (f *Functions) Add(o *Functions) {
	for id := range o.has {
		f.has[id] = true
	}
	f.text += "," + o.text
}

// IDs lists the functions, ascending.
func (f *Functions) IDs() []spec.ID { return slices.Sorted(maps.Keys(f.has)) }

// Recordable lists the functions that programs call.
func Recordable() []*spec.Func {
	return slices.DeleteFunc(slices.Clone(spec.Functions()), func(f *spec.Func) bool { return f.Has(spec.Pseudo) })
}

// matcher understands one item.
func matcher(item string) (func(*spec.Func) bool, error) {
	for i := range groups {
		if g := &groups[i]; strings.EqualFold(g.Name, item) || g.Alias != "" && strings.EqualFold(g.Alias, item) {
			return g.Has, nil
		}
	}
	if _, err := path.Match(item, ""); err != nil || item == "" {
		return nil, fmt.Errorf("%q is no function, group or pattern", item)
	}
	lower := strings.ToLower(item)
	return func(f *spec.Func) bool {
		name := strings.ToLower(f.Name)
		full, _ := path.Match(lower, name)
		short, _ := path.Match(lower, strings.TrimPrefix(name, "mpi_"))
		return full || short
	}, nil
}

func unknownFunction(item string, all []*spec.Func) error {
	if strings.ContainsAny(item, "*?[") {
		return fmt.Errorf("pattern %q matches no function", item)
	}
	var names []string
	for _, g := range groups {
		names = append(names, g.Name)
	}
	for _, f := range all {
		names = append(names, f.Name)
		if strings.HasPrefix(f.Name, "MPI_") && !strings.HasPrefix(strings.ToUpper(item), "MPI_") {
			names = append(names, f.Name[len("MPI_"):])
		}
	}
	msg := fmt.Sprintf("%q is no function or group", item)
	if best := suggest.Closest(item, names, 3); len(best) > 0 {
		msg += "; did you mean " + strings.Join(best, " or ") + "?"
	}
	return fmt.Errorf("%s", msg)
}
