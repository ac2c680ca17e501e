package selection

import (
	"fmt"
	"maps"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/suggest"
	"github.com/tabard-hpc/tabard/spec"
)

// Group is a name for several functions. A function may be in several groups.
type Group struct {
	spec.FunctionGroup
	bit uint32
}

// Groups lists the groups of functions, but for those of the runtime's own records.
func Groups() []Group {
	var groups []Group
	all := Recordable()
	for i, g := range spec.FunctionGroups {
		group := Group{g, 1 << i}
		if slices.ContainsFunc(all, group.Has) {
			groups = append(groups, group)
		}
	}
	return groups
}

// Has tells whether a function is in the group.
func (g *Group) Has(f *spec.Func) bool { return f.Groups&g.bit != 0 }

// GroupOf is the name of the group that a report puts a function in: the first that has it.
func GroupOf(f *spec.Func) string { return spec.FunctionGroups[bits.TrailingZeros32(f.Groups)].Name }

// Functions is a set of functions. Nil is all.
type Functions struct {
	text string
	has  map[spec.ID]bool
}

// ParseFunctions understands a list of functions, separated by commas: names in any
// case, with or without the prefix of the API; patterns with * ? and []; names of groups.
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
	return slices.DeleteFunc(slices.Clone(spec.Functions()), func(f *spec.Func) bool { return f.Own() })
}

// matcher understands one item.
func matcher(item string) (func(*spec.Func) bool, error) {
	for _, g := range Groups() {
		if strings.EqualFold(g.Name, item) || g.Alias != "" && strings.EqualFold(g.Alias, item) {
			return g.Has, nil
		}
	}
	if _, err := path.Match(item, ""); err != nil || item == "" {
		return nil, fmt.Errorf("%q is no function, group or pattern", item)
	}
	lower := strings.ToLower(item)
	return func(f *spec.Func) bool {
		full, _ := path.Match(lower, strings.ToLower(f.Name))
		short, _ := path.Match(lower, strings.ToLower(f.ShortName()))
		return full || short
	}, nil
}

func unknownFunction(item string, all []*spec.Func) error {
	if strings.ContainsAny(item, "*?[") {
		return fmt.Errorf("pattern %q matches no function", item)
	}
	var names []string
	for _, g := range Groups() {
		names = append(names, g.Name)
	}
	for _, f := range all {
		names = append(names, f.Name)
		short := f.ShortName()
		if prefix := strings.TrimSuffix(f.Name, short); prefix != "" &&
			!strings.HasPrefix(strings.ToUpper(item), strings.ToUpper(prefix)) {
			names = append(names, short)
		}
	}
	msg := fmt.Sprintf("%q is no function or group", item)
	if best := suggest.Closest(item, names, 3); len(best) > 0 {
		msg += "; did you mean " + strings.Join(best, " or ") + "?"
	}
	return fmt.Errorf("%s", msg)
}
