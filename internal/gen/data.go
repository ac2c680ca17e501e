package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// rawFunc and rawParam mirror the tables of functions and what overlay.json may set.
type rawFunc struct {
	Name       string      `json:"name"`
	Ret        string      `json:"ret"`
	RetKind    string      `json:"ret_kind"`
	RetObject  string      `json:"ret_object"`
	RetLife    string      `json:"ret_life"`
	Chapter    string      `json:"chapter"`
	Since      string      `json:"since"`
	Deprecated string      `json:"deprecated"`
	Removed    string      `json:"removed"`
	ReplacedBy string      `json:"replaced_by"`
	Large      string      `json:"large"`
	LargeOf    string      `json:"large_of"`
	Category   string      `json:"category"`
	Blocking   string      `json:"blocking"`
	Collective bool        `json:"collective"`
	PreInit    bool        `json:"preinit"`
	Excluded   bool        `json:"excluded"`
	Shape      string      `json:"shape"`     // of events that are no calls: they have no wrapper
	Siteless   bool        `json:"siteless"`  // recorded without a call site, as all that closes something
	Outermost  bool        `json:"outermost"` // recorded only outside of calls of its kind
	Means      string      `json:"means"`     // as a line of meaning.txt: for functions that stand in no meaning.txt
	Params     []*rawParam `json:"params"`
	libcFields

	excludedWhy string
	api         string // folder of the API
	tag         int    // handles of APIs beside MPI have their own widths; those that are numbers have it in front
}

type rawParam struct {
	Name      string     `json:"name"`
	Kind      string     `json:"kind"`
	Type      string     `json:"type"`
	Accept    []string   `json:"accept"` // other C types that headers may have
	Dir       string     `json:"dir"`
	Object    string     `json:"object"`
	Life      string     `json:"life"`
	Len       *rawLen    `json:"len"`
	RootOnly  bool       `json:"root_only"`
	Sentinels []string   `json:"sentinels"`
	Xfer      *rawXfer   `json:"xfer"`
	When      string     `json:"when"`   // flag parameter that says whether the value was written
	Actual    *rawActual `json:"actual"` // how many elements of an array were written
	Value     string     `json:"value"`  // C expression of what is recorded; without "in" it is no parameter in C
	Variadic  bool       `json:"variadic"`
}

type rawLen struct {
	Rule  string `json:"rule"`
	Arg   string `json:"arg"`
	Array string `json:"array"`
	Cap   string `json:"cap"`
	Max   string `json:"max"`
	Deref bool   `json:"deref"`
}

type rawXfer struct {
	Count  string `json:"count"`
	Type   string `json:"type"`
	Displs string `json:"displs"`
	Times  string `json:"times"`
	None   bool   `json:"none"`
}

type rawActual struct {
	Count string   `json:"count"`
	Args  []string `json:"args"`
}

type overlay struct {
	About   string `json:"about"`
	Entries []struct {
		For []string        `json:"for"`
		Set json.RawMessage `json:"set"`
		Why string          `json:"why"`
	} `json:"entries"`
}

// strictJSON decodes b into v and refuses fields that v does not have.
func strictJSON(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := strictJSON(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// lines calls f with the fields of each line that is neither empty nor a comment.
func lines(path string, f func(line string) error) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for i, l := range strings.Split(string(b), "\n") {
		l = strings.TrimSpace(l)
		if l == "" || l[0] == '#' {
			continue
		}
		if err := f(l); err != nil {
			return fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
	}
	return nil
}

// optionalLines is lines for a file that an API may lack: it then has nothing to say there.
func optionalLines(path string, f func(line string) error) error {
	if err := lines(path, f); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Folder is a line of apis.txt: an API, and which ids its functions have.
type Folder struct {
	Name        string
	First, Last int
	Kind        int    // of its events, an index in API.Events
	Twin        string // before the name of a function, that of its profiling twin; empty if there are no twins
}

// Event is a line of events.txt: a kind of events.
type Event struct {
	Name, About    string
	Default, Built bool
}

func loadEvents(dir string) ([]Event, error) {
	var list []Event
	err := lines(filepath.Join(dir, "events.txt"), func(l string) error {
		head, about, ok := strings.Cut(l, ":")
		w := strings.Fields(head)
		if !ok || len(w) == 0 || len(w) > 2 || len(w) == 2 && w[1] != "default" || len(list) == maxEvents {
			return fmt.Errorf("want a name, perhaps the word default, a colon and what it is, of at most %d kinds",
				maxEvents)
		}
		list = append(list, Event{Name: w[0], About: strings.TrimSpace(about), Default: len(w) == 2})
		return nil
	})
	return list, err
}

// maxEvents is how many kinds the flags of a function tell apart (tb_fn_flags).
const maxEvents = 16

func loadAPIs(dir string, events []Event) ([]Folder, error) {
	var list []Folder
	last := firstFunction - 1
	err := lines(filepath.Join(dir, "apis.txt"), func(l string) error {
		var f Folder
		kind := ""
		if n, err := fmt.Sscan(l, &f.Name, &f.First, &f.Last, &kind, &f.Twin); n != 4 && (n != 5 || err != nil) {
			return errors.New("want a folder, the first and the last id, the kind of events, and perhaps the prefix of " +
				"profiling twins")
		}
		if f.Kind = slices.IndexFunc(events, func(e Event) bool { return e.Name == kind }); f.Kind < 0 {
			return fmt.Errorf("unknown kind of events %q: see events.txt", kind)
		}
		events[f.Kind].Built = true
		if f.First <= last || f.Last < f.First || f.Last >= maxIDs {
			return fmt.Errorf("ids %d to %d are used by others, or exceed the control file's bit set", f.First, f.Last)
		}
		last = f.Last
		list = append(list, f)
		return nil
	})
	return list, err
}

// loadFuncs reads the tables of functions in a folder, all files *.json in it, and applies
// overlay.json.
func loadFuncs(dir string) ([]*rawFunc, error) {
	var all []*rawFunc
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if filepath.Base(path) == "overlay.json" {
			continue
		}
		var table struct {
			About     string     `json:"about"`
			Functions []*rawFunc `json:"functions"`
		}
		if err := readJSON(path, &table); err != nil {
			return nil, err
		}
		all = append(all, table.Functions...)
	}
	byName := map[string]*rawFunc{}
	for _, f := range all {
		if byName[f.Name] != nil {
			return nil, fmt.Errorf("%s is in the table twice", f.Name)
		}
		byName[f.Name] = f
	}
	var o overlay
	if err := readJSON(filepath.Join(dir, "overlay.json"), &o); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range o.Entries {
		if e.Why == "" {
			return nil, fmt.Errorf("overlay.json: entry for %v gives no reason", e.For)
		}
		for _, target := range e.For {
			if err := apply(byName, target, e.Set, e.Why); err != nil {
				return nil, fmt.Errorf("overlay.json: %s: %w", target, err)
			}
		}
	}
	return all, nil
}

// apply sets fields of a function or of a function's parameter. A correction
// that changes nothing is stale and refused.
func apply(byName map[string]*rawFunc, target string, set []byte, why string) error {
	name, param, _ := strings.Cut(target, ".")
	f := byName[name]
	if f == nil {
		return errors.New("no such function")
	}
	if param == "" {
		before := *f
		if err := strictJSON(set, f); err != nil {
			return err
		}
		if f.Excluded {
			f.excludedWhy = why
		}
		return changed(&before, f)
	}
	for _, p := range f.Params {
		if p.Name != param {
			continue
		}
		before := *p
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(set, &fields); err != nil {
			return err
		}
		if fields["len"] != nil {
			p.Len = nil // replaced as a whole
		}
		if fields["xfer"] != nil {
			p.Xfer = nil
		}
		if err := strictJSON(set, p); err != nil {
			return err
		}
		return changed(&before, p)
	}
	return errors.New("no such parameter")
}

func changed(before, after any) error {
	a, err := json.Marshal(before)
	if err != nil {
		return err
	}
	b, err := json.Marshal(after)
	if err != nil {
		return err
	}
	if bytes.Equal(a, b) {
		return errors.New("the entry changes nothing")
	}
	return nil
}

// kindRule says how parameters of a kind are recorded.
type kindRule struct{ scalar, array string }

// loadKinds adds the kinds of an API: a kind means the same in all of them, so that one may do with those of others.
func loadKinds(dir string, kinds map[string]kindRule) error {
	return optionalLines(filepath.Join(dir, "kinds.txt"), func(l string) error {
		w := strings.Fields(l)
		if len(w) < 2 || len(w) > 3 {
			return errors.New("want kind, codec and perhaps the codec of arrays")
		}
		if _, dup := kinds[w[0]]; dup {
			return fmt.Errorf("%s occurs twice", w[0])
		}
		r := kindRule{w[1], w[len(w)-1]}
		for _, c := range w[1:] {
			if !codecs[c] && c != "excluded" {
				return fmt.Errorf("unknown codec %s", c)
			}
		}
		kinds[w[0]] = r
		return nil
	})
}

// loadIDs reads ids.txt; the order of the file is the order of the ids, of functions and of the runtime's own records
// each for themselves.
func loadIDs(dir string) (map[string]int, error) {
	ids := map[string]int{}
	last := map[bool]int{} // of own records, of functions
	err := lines(filepath.Join(dir, "ids.txt"), func(l string) error {
		num, name, ok := strings.Cut(l, " ")
		id, err := strconv.Atoi(num)
		if !ok || err != nil {
			return errors.New("want an id and a name")
		}
		own := id < firstFunction
		if id <= last[own] || id >= maxIDs {
			return fmt.Errorf("id %d does not follow %d, or exceeds the control file's bit set", id, last[own])
		}
		if _, dup := ids[name]; dup {
			return fmt.Errorf("%s has two ids", name)
		}
		ids[name], last[own] = id, id
		return nil
	})
	return ids, err
}

// Predefined is a line of predefined.txt.
type Predefined struct {
	Name, Class string
	Null        bool
	Size        int    // of a datatype in bytes, -1 if it has none or is not known
	Value       uint64 // its handle, if that is a number of an enumeration; else 0
}

func loadPredefineds(dir string, v *Vocabulary) ([]Predefined, error) {
	var ps []Predefined
	seen := map[string]bool{}
	err := lines(filepath.Join(dir, "predefined.txt"), func(l string) error {
		w := strings.Fields(l)
		if len(w) < 2 || len(w) > 3 || len(w) == 3 && w[2] != "null" {
			return errors.New("want name, class and perhaps null")
		}
		if !slices.Contains(v.classes(), w[1]) {
			return fmt.Errorf("unknown class %s", w[1])
		}
		if seen[w[0]] {
			return fmt.Errorf("%s occurs twice", w[0])
		}
		seen[w[0]] = true
		ps = append(ps, Predefined{w[0], w[1], len(w) == 3, -1, 0})
		return nil
	})
	return ps, err
}

// loadTypeSizes reads typesizes.txt, which an API without datatypes lacks.
func loadTypeSizes(dir string, ps []Predefined) error {
	return optionalLines(filepath.Join(dir, "typesizes.txt"), func(l string) error {
		w := strings.Fields(l)
		size, err := strconv.Atoi(w[0])
		if err != nil || size < 0 {
			return errors.New("want a size and names of datatypes")
		}
		for _, name := range w[1:] {
			i := slices.IndexFunc(ps, func(p Predefined) bool {
				return p.Name == name && p.Class == "Type" && p.Size < 0
			})
			if i < 0 {
				return fmt.Errorf("%s is no predefined datatype, or has a size already", name)
			}
			ps[i].Size = size
		}
		return nil
	})
}

// tagShift is where the tag is in a handle that is a number.
const tagShift = 48

// loadValues reads values.txt, which an API lacks whose predefined objects are no numbers.
func loadValues(dir string, ps []Predefined, tag int) error {
	return optionalLines(filepath.Join(dir, "values.txt"), func(l string) error {
		w := strings.Fields(l)
		value, err := strconv.ParseUint(w[0], 10, 31)
		i := slices.IndexFunc(ps, func(p Predefined) bool { return p.Name == w[len(w)-1] && p.Value == 0 })
		if err != nil || len(w) != 2 || i < 0 {
			return errors.New("want a number and the name of a predefined object")
		}
		ps[i].Value = uint64(tag)<<tagShift | value
		return nil
	})
}

// Group is a group of named constants.
type Group struct {
	Name  string
	Mask  bool
	Kinds []string
	Names []string
}

func loadConstants(dir string) ([]*Group, error) {
	var gs []*Group
	kinds := map[string]bool{}
	err := optionalLines(filepath.Join(dir, "constants.txt"), func(l string) error {
		if l[0] != '[' {
			if len(gs) == 0 {
				return errors.New("constant outside a group")
			}
			g := gs[len(gs)-1]
			g.Names = append(g.Names, l)
			return nil
		}
		head, ks, ok := strings.Cut(l, ":")
		name, mask := strings.CutSuffix(head, " mask")
		if !ok || name[len(name)-1] != ']' {
			return errors.New("want [group]: kinds")
		}
		g := &Group{Name: name[1 : len(name)-1], Mask: mask, Kinds: strings.Fields(ks)}
		for _, k := range g.Kinds {
			if kinds[k] {
				return fmt.Errorf("kind %s is in two groups", k)
			}
			kinds[k] = true
		}
		gs = append(gs, g)
		return nil
	})
	return gs, err
}

// ABI is a file of spec/mpi/abi.
type ABI struct {
	ABI string `json:"abi"`
	// Sizes are sizeof a C type, or "handle"; Offsets are of the fields of MPI_Status.
	Sizes   map[string]int `json:"sizes"`
	Offsets map[string]int `json:"offsets"`
	// Constants are integers, and pointers as integers. Variables are constants
	// whose value is that of a variable which the library exports.
	Constants map[string]int64  `json:"constants"`
	Variables map[string]string `json:"variables,omitempty"`
	// Handles are numbers, Symbols are handles that are the address of a symbol.
	Handles map[string]uint64 `json:"handles"`
	Symbols map[string]string `json:"symbols,omitempty"`
}

var abiNames = []string{"openmpi", "mpich", "mpi5"} // spec.ABI 1, 2, 3

// loadABIs reads the folder abi of an API, which one without such data lacks.
func loadABIs(dir string) ([]*ABI, error) {
	var as []*ABI
	if _, err := os.Stat(filepath.Join(dir, "abi")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, n := range abiNames {
		a := &ABI{}
		if err := readJSON(filepath.Join(dir, "abi", n+".json"), a); err != nil {
			return nil, err
		}
		as = append(as, a)
	}
	return as, nil
}
