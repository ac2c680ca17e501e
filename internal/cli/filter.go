package cli

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"tabard/spec"
)

// functionGroup is a name for several functions in --only and --except.
type functionGroup struct {
	name, about string
	has         func(*spec.Func) bool
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

// functionGroups are the groups that --only and --except know. A function may be in several.
var functionGroups = []functionGroup{
	{"pt2pt", "sends, receives, probes", category("pt2pt", "partitioned")},
	{"partitioned", "partitioned communication", category("partitioned")},
	{"completion", "waits and tests of requests", category("completion", "completion_query")},
	{"start", "starts of persistent requests", category("start")},
	{"request", "completion, start, and all else with requests only",
		either(category("completion", "completion_query", "start"), prefix("MPI_Request_", "MPI_Cancel", "MPI_Grequest_", "MPI_Status_"))},
	{"collective", "collective communication, that of neighbours included", category("collective", "neighbor_collective")},
	{"neighbor", "neighbourhood collectives", category("neighbor_collective")},
	{"rma", "one-sided communication and windows", either(chapter("one-sided"), prefix("MPI_Win_"))},
	{"io", "parallel files", either(chapter("io"), prefix("MPI_File_"))},
	{"comm", "communicators", either(category("comm_mgmt"), prefix("MPI_Comm_", "MPI_Intercomm_"))},
	{"group", "process groups", prefix("MPI_Group_")},
	{"topology", "process topologies", chapter("topologies")},
	{"type", "datatypes and packing", either(chapter("datatypes"), prefix("MPI_Type_"))},
	{"op", "reduction operations", prefix("MPI_Op_", "MPI_Reduce_local")},
	{"info", "info objects", chapter("info")},
	{"process", "initialisation, spawning, sessions", either(chapter("process init/creation/management"), prefix("MPI_Session_"))},
	{"env", "environment, errors, time, memory", either(chapter("environment"), chapter("external interfaces"))},
	{"tool", "the MPI tool interface, MPI_T and MPI_Pcontrol", chapter("tools")},
	{"other", "what is in no other group", nil},
}

// inGroup reports whether a function is in group g.
func inGroup(g *functionGroup, f *spec.Func) bool {
	if g.has != nil {
		return g.has(f)
	}
	return !slices.ContainsFunc(functionGroups, func(o functionGroup) bool { return o.has != nil && o.has(f) })
}

// recordable lists the functions that can be filtered.
func recordable() []*spec.Func {
	return slices.DeleteFunc(slices.Clone(spec.Functions()), func(f *spec.Func) bool { return f.Has(spec.Pseudo) })
}

// selectFunctions gives the functions that a list of names, patterns and groups means.
func selectFunctions(items []string) (map[spec.ID]bool, error) {
	chosen := map[spec.ID]bool{}
	all := recordable()
	for _, item := range items {
		match, err := matcher(strings.TrimSpace(item))
		if err != nil {
			return nil, err
		}
		n := len(chosen)
		hit := false
		for _, f := range all {
			if match(f) {
				chosen[f.ID] = true
				hit = true
			}
		}
		if !hit && n == len(chosen) {
			return nil, unknownFunction(item, all)
		}
	}
	return chosen, nil
}

// matcher understands one item: a group, a function's name with or without
// MPI_ and in any case, or a pattern with * ? [].
func matcher(item string) (func(*spec.Func) bool, error) {
	for i := range functionGroups {
		if g := &functionGroups[i]; strings.EqualFold(g.name, item) {
			return func(f *spec.Func) bool { return inGroup(g, f) }, nil
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
	for _, g := range functionGroups {
		names = append(names, g.name)
	}
	for _, f := range all {
		names = append(names, f.Name)
		if strings.HasPrefix(f.Name, "MPI_") && !strings.HasPrefix(strings.ToUpper(item), "MPI_") {
			names = append(names, f.Name[len("MPI_"):])
		}
	}
	msg := fmt.Sprintf("%q is no function or group", item)
	if best := closest(item, names, 3); len(best) > 0 {
		msg += "; did you mean " + strings.Join(best, " or ") + "?"
	}
	return fmt.Errorf("%s", msg)
}

// functionList is the value of --only and --except.
type functionList struct {
	text     string
	selected map[spec.ID]bool
}

// Set adds the items of a list; the flag may be repeated.
func (l *functionList) Set(s string) error {
	chosen, err := selectFunctions(strings.Split(s, ","))
	if err != nil {
		return err
	}
	if l.selected == nil {
		l.selected = chosen
		l.text = s
		return nil
	}
	for id := range chosen {
		l.selected[id] = true
	}
	l.text += "," + s
	return nil
}

// String returns the list as given.
func (l *functionList) String() string { return l.text }

// Type is what help prints as the flag's argument.
func (l *functionList) Type() string { return "LIST" }

// filteredOut lists, in order, the functions that only and except leave out.
func filteredOut(only, except *functionList) []spec.ID {
	var ids []spec.ID
	for _, f := range recordable() {
		if only.selected != nil && !only.selected[f.ID] || except.selected[f.ID] {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// groupHelp lists the groups for the help text.
func groupHelp() string {
	var b strings.Builder
	for _, g := range functionGroups {
		fmt.Fprintf(&b, "  %-12s %s\n", g.name, g.about)
	}
	return strings.TrimRight(b.String(), "\n")
}
