package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Meaning is what a row says of a function beyond its parameters. Words are those of
// spec/vocabulary.txt by type, as Go identifiers.
type Meaning struct {
	Words  map[string]string
	Roles  []RoleSlot // in the order of the vocabulary
	Groups uint32     // bits: indices in API.FunctionGroups
}

// RoleSlot says which slot has a role.
type RoleSlot struct {
	Role string // Go identifier
	Slot int
}

// An Explanation is a line of meaning.txt, or the "means" of a function: words by type.
type Explanation struct {
	Op    string
	Words map[string]string
	used  bool
}

// A FunctionGroup is a line of groups.txt.
type FunctionGroup struct {
	Name, Alias, About string
	rules              []rule
}

// rule is one condition of a group: a function's field is one of some values.
type rule struct {
	field  string
	values []string
}

func (r rule) holds(f *Func) bool {
	value := map[string]string{"category": f.Category, "chapter": strings.ReplaceAll(f.Chapter, " ", "_"),
		"name": f.Name}[r.field]
	return slices.ContainsFunc(r.values, func(p string) bool { return matches(p, value) })
}

// matches compares with a pattern, which may end in "*".
func matches(pattern, name string) bool {
	if head, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, head)
	}
	return pattern == name
}

// attributes are the words that a line of meaning.txt may give, by their keys.
var attributes = map[string]string{"mode": "SendMode", "which": "Which", "flow": "Flow", "data": "Data"}

// extraFlags are the flags that meaning.txt may add.
var extraFlags = map[string]string{
	"environment": "Environment", "reads_status": "ReadsStatus", "indefinite": "Indefinite", "unordered": "Unordered",
}

// meanings is what the files of one API say, before it is known of which functions.
type meanings struct {
	vocabulary *Vocabulary
	exact      map[string]*Explanation
	patterns   map[string]*Explanation
	flags      []flagLine
	roles      []roleLine
	groups     []*FunctionGroup
	activities []activityLine
}

type flagLine struct {
	flag     string
	patterns []string
}

type roleLine struct {
	role      string
	out       bool
	names     []string
	only, not []string // operations
}

type activityLine struct {
	activity string // Go identifier
	rules    []rule
}

// loadMeanings reads meaning.txt, roles.txt and groups.txt of an API's folder. An API lacks those of them that have
// nothing to say of its functions.
func loadMeanings(dir string, v *Vocabulary) (*meanings, error) {
	m := &meanings{vocabulary: v, exact: map[string]*Explanation{}, patterns: map[string]*Explanation{}}
	if err := optionalLines(filepath.Join(dir, "meaning.txt"), m.line); err != nil {
		return nil, err
	}
	if err := optionalLines(filepath.Join(dir, "roles.txt"), m.role); err != nil {
		return nil, err
	}
	section := ""
	return m, optionalLines(filepath.Join(dir, "groups.txt"), func(l string) error {
		if l[0] == '[' {
			section = l
			return nil
		}
		switch section {
		case "[groups]":
			return m.group(l)
		case "[activities]":
			return m.activity(l)
		}
		return fmt.Errorf("unknown section %q", section)
	})
}

// line understands a line of meaning.txt.
func (m *meanings) line(l string) error {
	head, names, ok := strings.Cut(l, ":")
	if !ok || strings.TrimSpace(names) == "" {
		return errors.New("want what it means, a colon, and functions")
	}
	if flag, ok := strings.CutPrefix(head, "+"); ok {
		name := extraFlags[strings.TrimSpace(flag)]
		if name == "" {
			return fmt.Errorf("unknown flag %q", flag)
		}
		m.flags = append(m.flags, flagLine{name, strings.Fields(names)})
		return nil
	}
	for _, name := range strings.Fields(names) {
		e, err := m.explain(head)
		if err != nil {
			return err
		}
		to := m.exact
		if strings.HasSuffix(name, "*") {
			to = m.patterns
		}
		if to[name] != nil {
			return fmt.Errorf("%s is explained twice", name)
		}
		to[name] = e
	}
	return nil
}

// explain understands an operation and its attributes.
func (m *meanings) explain(text string) (*Explanation, error) {
	w := strings.Fields(text)
	if len(w) == 0 {
		return nil, errors.New("no operation")
	}
	e := &Explanation{Op: w[0], Words: map[string]string{}}
	var err error
	if e.Words["Operation"], err = m.vocabulary.constant("Operation", w[0]); err != nil {
		return nil, err
	}
	for _, attribute := range w[1:] {
		key, value, _ := strings.Cut(attribute, "=")
		typ := attributes[key]
		if typ == "" || e.Words[typ] != "" {
			return nil, fmt.Errorf("unknown attribute %q, or given twice", attribute)
		}
		if e.Words[typ], err = m.vocabulary.constant(typ, value); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// role understands a line of roles.txt.
func (m *meanings) role(l string) error {
	w := strings.Fields(l)
	if len(w) < 3 || w[1] != "in" && w[1] != "out" {
		return errors.New("want a role, in or out, and names of parameters")
	}
	if m.vocabulary.word("Role", w[0]) == nil {
		return fmt.Errorf("unknown role %q", w[0])
	}
	r := roleLine{role: w[0], out: w[1] == "out"}
	for _, name := range w[2:] {
		key, ops, condition := strings.Cut(name, "=")
		switch {
		case !condition:
			r.names = append(r.names, name)
			continue
		case key == "only":
			r.only = strings.Split(ops, ",")
		case key == "not":
			r.not = strings.Split(ops, ",")
		default:
			return fmt.Errorf("unknown condition %q", name)
		}
		for _, op := range strings.Split(ops, ",") {
			if m.vocabulary.word("Operation", op) == nil {
				return fmt.Errorf("unknown operation %q", op)
			}
		}
	}
	m.roles = append(m.roles, r)
	return nil
}

func parseRules(text string) ([]rule, error) {
	var rules []rule
	for _, w := range strings.Fields(text) {
		key, values, ok := strings.Cut(w, "=")
		if !ok || key != "category" && key != "chapter" && key != "name" {
			return nil, fmt.Errorf("unknown rule %q", w)
		}
		rules = append(rules, rule{key, strings.Split(values, ",")})
	}
	return rules, nil
}

func (m *meanings) group(l string) error {
	part := strings.SplitN(l, ":", 3)
	w := strings.Fields(part[0])
	if len(part) != 3 || len(w) != 2 {
		return errors.New("want name and alias : rules : what it is")
	}
	rules, err := parseRules(part[1])
	if err != nil {
		return err
	}
	m.groups = append(m.groups, &FunctionGroup{Name: w[0], Alias: strings.TrimPrefix(w[1], "-"),
		About: strings.TrimSpace(part[2]), rules: rules})
	return nil
}

func (m *meanings) activity(l string) error {
	name, text, ok := strings.Cut(l, ":")
	if !ok {
		return errors.New("want activity : rules")
	}
	activity, err := m.vocabulary.constant("Activity", strings.TrimSpace(name))
	if err != nil {
		return err
	}
	rules, err := parseRules(text)
	m.activities = append(m.activities, activityLine{activity, rules})
	return err
}

// base is the name of the function of which f is the large, nonblocking or persistent form, empty
// if f is no such form.
func (f *Func) base() string {
	api, stem, _ := strings.Cut(f.Name, "_")
	lowered := func(prefix string) string {
		rest, ok := strings.CutPrefix(stem, prefix)
		if !ok || rest == "" {
			return ""
		}
		return api + "_" + strings.ToUpper(rest[:1]) + rest[1:]
	}
	switch {
	case f.LargeOf != "":
		return f.LargeOf
	case f.Blocking == "persistent_init" && f.ReplacedBy != "": // an extension that has become standard
		return f.ReplacedBy
	case f.Blocking == "persistent_init":
		return strings.TrimSuffix(f.Name, "_init")
	case f.Category == "rma_op" && f.Blocking == "nonblocking":
		return lowered("R")
	case f.Blocking == "nonblocking" || f.Blocking == "test":
		return lowered("I")
	}
	return ""
}

// explanation finds what a function means.
func (m *meanings) explanation(api *API, f *Func) (*Explanation, error) {
	if f.Means != "" {
		return m.explain(f.Means)
	}
	for g := f; ; {
		if e := m.exact[g.Name]; e != nil {
			e.used = true
			return e, nil
		}
		next := api.byName[g.base()]
		if next == nil || next == g {
			break
		}
		g = next
	}
	best := ""
	for p := range m.patterns {
		if matches(p, f.Name) && len(p) > len(best) {
			best = p
		}
	}
	if best == "" {
		return nil, errors.New("meaning.txt does not say what it means")
	}
	m.patterns[best].used = true
	return m.patterns[best], nil
}

// apply gives the functions of an API their meaning.
func (m *meanings) apply(api *API, funcs []*Func) []error {
	var errs []error
	for _, g := range m.groups {
		api.groupIndex(g) // they keep the order of the file
	}
	fail := func(f *Func, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.Name, err))
		}
	}
	for _, f := range funcs {
		e, err := m.explanation(api, f)
		if err != nil {
			fail(f, err)
			continue
		}
		f.Meaning = Meaning{Words: map[string]string{}}
		for typ, w := range e.Words {
			f.Meaning.Words[typ] = w
		}
		if f.Shape != "" {
			f.Meaning.Words["Shape"], err = m.vocabulary.constant("Shape", f.Shape)
			fail(f, err)
		}
		m.assignRoles(f, e.Op)
		fail(f, m.derive(f, e.Op))
		m.classify(api, f)
	}
	for name, e := range m.exact {
		if !e.used {
			errs = append(errs, fmt.Errorf("meaning.txt: %s is no function, or says itself what it means", name))
		}
	}
	for name, e := range m.patterns {
		if !e.used {
			errs = append(errs, fmt.Errorf("meaning.txt: %s explains nothing that nothing else does", name))
		}
	}
	return append(errs, m.addFlags(funcs)...)
}

// addFlags adds the flags that meaning.txt gives by name.
func (m *meanings) addFlags(funcs []*Func) (errs []error) {
	for _, l := range m.flags {
		for _, p := range l.patterns {
			any := false
			for _, f := range funcs {
				if matches(p, f.Name) && !slices.Contains(f.Flags, l.flag) {
					f.Flags = append(f.Flags, l.flag)
					any = true
				}
			}
			if !any {
				errs = append(errs, fmt.Errorf("meaning.txt: no function gets flag %s from %s", l.flag, p))
			}
		}
	}
	return errs
}

// assignRoles finds the parameters that have roles.
func (m *meanings) assignRoles(f *Func, op string) {
	for _, w := range m.vocabulary.byType["Role"].Words {
		slot := f.byRule(w.Name)
		for _, r := range m.roles {
			if slot >= 0 || r.role != w.Name || r.only != nil && !slices.Contains(r.only, op) ||
				slices.Contains(r.not, op) {
				continue
			}
			slot = f.slotNamed(r.out, r.names)
		}
		if slot >= 0 {
			id, _ := m.vocabulary.constant("Role", w.Name)
			f.Meaning.Roles = append(f.Meaning.Roles, RoleSlot{id, slot})
		}
	}
}

// byRule finds the slots of roles that follow from the kind of slot; -1 for none.
func (f *Func) byRule(role string) int {
	found := -1
	for i, s := range f.Slots {
		switch {
		case role == "after" && s.OnError:
			found = i
		case role == "new" && s.Out && s.Param >= 0 && s.Codec == "Handle" && !s.Array && s.Life != "Update" &&
			!s.OnError && s.Class != "Request" && s.Class != "Message":
			if found >= 0 {
				return -1 // it returns several
			}
			found = i
		}
	}
	return found
}

// slotNamed is the slot of the first of some parameters that the function has, -1 if it has none of
// them.
func (f *Func) slotNamed(out bool, names []string) int {
	for _, name := range names {
		for i, s := range f.Slots {
			if s.Out == out && s.Param >= 0 && !s.OnError && f.Params[s.Param].Name == name {
				return i
			}
		}
	}
	return -1
}

// role is the slot with a role, -1 if there is none.
func (f *Func) role(name string) int {
	for _, r := range f.Meaning.Roles {
		if r.Role == "Role"+camel(name) {
			return r.Slot
		}
	}
	return -1
}

// derive works out the words that follow from others and from parameters, and checks that the roles
// are there.
func (m *meanings) derive(f *Func, op string) error {
	for _, need := range m.vocabulary.word("Operation", op).Needs {
		if f.role(need) < 0 {
			return fmt.Errorf("a function that does %q needs a parameter for %q: see roles.txt", op, need)
		}
	}
	w := f.Meaning.Words
	array := func(role string) bool { i := f.role(role); return i >= 0 && f.Slots[i].Array }
	if w["Data"] != "" && w["Flow"] == "" {
		return errors.New("data without a flow")
	}
	if (w["Flow"] == "FlowFromRoot" || w["Flow"] == "FlowToRoot") && f.role("root") < 0 {
		return errors.New("flow with a root, and no parameter for it")
	}
	switch {
	case w["Data"] == "":
	case array("send_type") || array("recv_type"):
		w["Vector"] = "VectorTypes"
	case array("send_count") || array("recv_count"):
		w["Vector"] = "VectorCounts"
	}
	poll := slices.Contains(f.Flags, "Poll")
	switch {
	case w["Which"] == "WhichAny":
		w["Outcome"] = "OutcomeOneOf"
	case w["Which"] == "WhichSome":
		w["Outcome"] = "OutcomeSomeOf"
	case poll && (op == "probe" || op == "matched_probe"):
		w["Outcome"] = "OutcomeProbePoll"
	case poll:
		w["Outcome"] = "OutcomeOnePoll"
	case f.allows("MPI_ANY_SOURCE") && f.allows("MPI_ANY_TAG"):
		w["Outcome"] = "OutcomeFromAny"
	}
	return nil
}

// allows tells whether a number that is passed may be a wildcard.
func (f *Func) allows(wildcard string) bool {
	return slices.ContainsFunc(f.Params, func(p *Param) bool {
		return p.In && !p.Array && p.Codec == "Int" && slices.Contains(p.Sentinels, wildcard)
	})
}

// classify puts a function into groups and gives it an activity.
func (m *meanings) classify(api *API, f *Func) {
	holds := func(rules []rule) bool {
		return slices.ContainsFunc(rules, func(r rule) bool { return r.holds(f) })
	}
	for _, g := range m.groups {
		if holds(g.rules) {
			f.Meaning.Groups |= 1 << api.groupIndex(g)
		}
	}
	for _, g := range m.groups {
		if len(g.rules) == 0 && f.Meaning.Groups == 0 {
			f.Meaning.Groups |= 1 << api.groupIndex(g)
		}
	}
	for _, a := range m.activities {
		if len(a.rules) == 0 || holds(a.rules) {
			f.Meaning.Words["Activity"] = a.activity
			return
		}
	}
}

// groupIndex is the place of a group among those of all APIs; groups of one name are one.
func (api *API) groupIndex(g *FunctionGroup) int {
	i := slices.IndexFunc(api.FunctionGroups, func(o *FunctionGroup) bool { return o.Name == g.Name })
	if i < 0 {
		i = len(api.FunctionGroups)
		api.FunctionGroups = append(api.FunctionGroups, g)
	}
	return i
}

// wordOrder is the order in which a row has its words.
var wordOrder = []struct{ typ, field string }{
	{"Shape", "Shape"}, {"Operation", "Op"}, {"SendMode", "Mode"}, {"Which", "Which"}, {"Flow", "Flow"},
	{"Data", "Data"},
	{"Vector", "Vector"},
	{"Outcome", "Outcome"}, {"Activity", "Activity"},
}
