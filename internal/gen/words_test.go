package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// vocabulary is the words of spec/.
func vocabulary(t *testing.T) *Vocabulary {
	t.Helper()
	v, err := loadVocabulary(filepath.Join(root, "spec"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestVocabularyRefuses: what vocabulary.txt must not say. Loading sets the order of classes, which the real words set
// again at the end.
func TestVocabularyRefuses(t *testing.T) {
	defer vocabulary(t)
	whole, err := os.ReadFile(filepath.Join(root, "spec", "vocabulary.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"word before an enumeration", "buffered : b\n" + string(whole), "word outside of an enumeration"},
		{"unknown type", "[Speed Speed] s\nfast : f\n" + string(whole), "want [type prefix]"},
		{"type twice", string(whole) + "\n[Class] again\n", "each type once"},
		{"no bracket", "[Class about\n" + string(whole), "want [type prefix]"},
		{"nothing in brackets", "[] about\n" + string(whole), "want [type prefix]"},
		{"three words in brackets", "[Class A B] about\n" + string(whole), "want [type prefix]"},
		{"word without meaning", string(whole) + "\nodd :\n", "want a word and what it means"},
		{"meaning without word", string(whole) + "\n: odd\n", "want a word and what it means"},
		{"two words", string(whole) + "\nodd even : x\n", "want a word and what it means"},
		{"no colon after words", string(whole) + "\nodd\n", "want a word and what it means"},
		{"a type is missing", "[Class] c\nComm : a communicator\n", "has no words"},
		{"a type is empty", strings.Replace(string(whole), "[SendMode", "[SendMode Send] s\n[SendMode", 1),
			"each type once"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "vocabulary.txt"), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := loadVocabulary(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	if _, err := loadVocabulary(t.TempDir()); !os.IsNotExist(err) {
		t.Errorf("without the file: %v", err)
	}
}

// TestConstants: words become Go identifiers with the prefix of their type.
func TestConstants(t *testing.T) {
	for name, want := range map[string]string{"send": "Send", "rank_size": "RankSize", "a__b_": "AB", "": ""} {
		if got := camel(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
	v := vocabulary(t)
	for _, c := range []struct{ typ, word, want string }{
		{"Operation", "send", "OpSend"}, {"Operation", "matched_probe", "OpMatchedProbe"},
		{"Flow", "to_all", "FlowToAll"},
		{"Role", "send_peer", "RoleSendPeer"}, {"Which", "any", "WhichAny"},
	} {
		if got, err := v.constant(c.typ, c.word); err != nil || got != c.want {
			t.Errorf("%s %s is %q, error %v, want %s", c.typ, c.word, got, err, c.want)
		}
	}
	if _, err := v.constant("Flow", "send"); err == nil || !strings.Contains(err.Error(), `unknown flow "send"`) {
		t.Errorf("a word of another type: %v", err)
	}
}

// TestMeaningRefuses: lines of meaning.txt, roles.txt and groups.txt that nobody can understand.
func TestMeaningRefuses(t *testing.T) {
	v := vocabulary(t)
	m := func() *meanings {
		return &meanings{vocabulary: v, exact: map[string]*Explanation{}, patterns: map[string]*Explanation{}}
	}
	for _, c := range []struct {
		name, line string
		parse      func(*meanings, string) error
		want       string
	}{
		{"meaning of nothing", "send", (*meanings).line, "a colon, and functions"},
		{"meaning without functions", "send : ", (*meanings).line, "a colon, and functions"},
		{"no operation", " : MPI_Send", (*meanings).line, "no operation"},
		{"attribute twice", "send mode=ready mode=ready : MPI_Rsend", (*meanings).line, "or given twice"},
		{"attribute without value", "send mode : MPI_Send", (*meanings).line, "unknown sendmode"},
		{"function twice in a line", "send : MPI_Send MPI_Send", (*meanings).line, "MPI_Send is explained twice"},
		{"pattern twice", "send : MPI_S* MPI_S*", (*meanings).line, "MPI_S* is explained twice"},
		{"role without names", "root in", (*meanings).role, "want a role, in or out"},
		{"role on no side", "root both root", (*meanings).role, "want a role, in or out"},
		{"role on condition", "root in root when=send", (*meanings).role, `unknown condition "when=send"`},
		{"role of no operation", "root in root only=send,fly", (*meanings).role, `unknown operation "fly"`},
		{"group without text", "all - : category=coll", (*meanings).group, "want name and alias : rules : what it is"},
		{"group without alias", "all : category=coll : all of them", (*meanings).group, "want name and alias"},
		{"group of something else", "all - : arity=3 : three", (*meanings).group, `unknown rule "arity=3"`},
		{"rule without value", "all - : name : three", (*meanings).group, `unknown rule "name"`},
		{"activity without rules", "io", (*meanings).activity, "want activity : rules"},
		{"unknown activity", "sleep : name=MPI_*", (*meanings).activity, `unknown activity "sleep"`},
		{"activity of something else", "io : arity=3", (*meanings).activity, `unknown rule "arity=3"`},
	} {
		if err := c.parse(m(), c.line); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

// function is a function of which only the name is known.
func function(name string) *Func { return &Func{rawFunc: &rawFunc{Name: name}} }

// TestExplanations: a function means what its own line says, else that of the function that it is a form of, else that
// of the longest pattern.
func TestExplanations(t *testing.T) {
	m := &meanings{vocabulary: vocabulary(t), exact: map[string]*Explanation{}, patterns: map[string]*Explanation{}}
	for _, l := range []string{"send : toy_Give", "recv : toy_Igive_gently", "none : toy_*", "probe : toy_Look*",
		"cancel : toy_Looking_away"} {
		if err := m.line(l); err != nil {
			t.Fatal(err)
		}
	}
	api := &API{byName: map[string]*Func{}}
	add := func(name, blocking, largeOf string) {
		f := function(name)
		f.Blocking, f.LargeOf = blocking, largeOf
		api.byName[name] = f
	}
	add("toy_Give", "blocking", "")
	add("toy_Igive", "nonblocking", "")
	add("toy_Igive_c", "nonblocking", "toy_Igive")
	add("toy_Give_init", "persistent_init", "")
	add("toy_Igive_gently", "nonblocking", "")
	add("toy_Itake", "nonblocking", "")
	add("toy_Look_up", "blocking", "")
	add("toy_Looking_away", "blocking", "")
	for name, want := range map[string]string{
		"toy_Give": "send", "toy_Igive": "send", "toy_Igive_c": "send", "toy_Give_init": "send",
		"toy_Igive_gently": "recv", "toy_Itake": "none", "toy_Look_up": "probe", "toy_Looking_away": "cancel",
	} {
		e, err := m.explanation(api, api.byName[name])
		if err != nil || e.Op != want {
			t.Errorf("%s: %+v, error %v, want %s", name, e, err, want)
		}
	}
	other := function("game_Give")
	if _, err := m.explanation(api, other); err == nil || !strings.Contains(err.Error(), "does not say") {
		t.Errorf("a function of no line: %v", err)
	}
	other.Means = "send mode=ready"
	if e, err := m.explanation(api, other); err != nil || e.Op != "send" || e.Words["SendMode"] != "SendReady" {
		t.Errorf("a function that says itself what it means: %+v, error %v", e, err)
	}
}

// TestBases: which function another one is a form of, by how the standard builds names.
func TestBases(t *testing.T) {
	api := load(t)
	for name, want := range map[string]string{
		"MPI_Send": "", "MPI_Send_c": "MPI_Send", "MPI_Isend": "MPI_Send", "MPI_Isend_c": "MPI_Isend",
		"MPI_Send_init": "MPI_Send", "MPI_Rput": "MPI_Put", "MPI_Put": "", "MPI_Iallreduce": "MPI_Allreduce",
		"MPI_Iprobe": "MPI_Probe", "MPI_Allreduce_init": "MPI_Allreduce",
	} {
		f := api.byName[name]
		if f == nil {
			t.Fatalf("there is no %s", name)
		}
		if got := f.base(); got != want {
			t.Errorf("%s is a form of %q, want %q", name, got, want)
		}
	}
}

// TestGroupsOfFunctions: a rule holds for a field's values, of which one may be the beginning of a name; a group
// without rules is for those that are in no other.
func TestGroupsOfFunctions(t *testing.T) {
	v := vocabulary(t)
	m := &meanings{vocabulary: v}
	for _, l := range []string{"first f : name=toy_A*,toy_Z category=io_data : some",
		"third - : chapter=two_words : more",
		"rest - : : all others"} {
		if err := m.group(l); err != nil {
			t.Fatal(err)
		}
	}
	if m.groups[0].Alias != "f" || m.groups[1].Alias != "" {
		t.Errorf("aliases %q and %q", m.groups[0].Alias, m.groups[1].Alias)
	}
	for _, l := range []string{"io : category=io_data", "other :"} { // the first one that holds counts
		if err := m.activity(l); err != nil {
			t.Fatal(err)
		}
	}
	api := &API{}
	for _, g := range m.groups {
		api.groupIndex(g)
	}
	for _, c := range []struct {
		name, category, chapter string
		want                    uint32
	}{
		{"toy_Any", "", "", 1}, {"toy_Z", "", "", 1}, {"toy_Zoo", "", "", 4}, {"toy_b", "io_data", "", 1},
		{"toy_b", "", "two words", 2}, {"toy_Any", "", "two words", 3},
	} {
		f := function(c.name)
		f.Category, f.Chapter = c.category, c.chapter
		f.Meaning.Words = map[string]string{}
		m.classify(api, f)
		if f.Meaning.Groups != c.want {
			t.Errorf("%+v is in groups %b", c, f.Meaning.Groups)
		}
		activity := map[bool]string{true: "ActivityIo", false: "ActivityOther"}[c.category == "io_data"]
		if got := f.Meaning.Words["Activity"]; got != activity {
			t.Errorf("%+v is %s, want %s", c, got, activity)
		}
	}
}

// TestBaseTypes takes C types apart.
func TestBaseTypes(t *testing.T) {
	for text, want := range map[string]struct {
		base  string
		stars int
		array bool
	}{
		"int": {"int", 0, false}, "int*": {"int", 1, false}, "const void*": {"void", 1, false},
		"char***": {"char", 3, false}, "const int[]": {"int", 0, true}, "int[][3]": {"int", 0, true},
		"MPI_Comm *": {"MPI_Comm", 1, false},
	} {
		base, stars, array := baseType(text)
		if base != want.base || stars != want.stars || array != want.array {
			t.Errorf("%s: %s, %d stars, array %t", text, base, stars, array)
		}
	}
}

// TestParametersRefused: parameters that the wrappers could not record.
func TestParametersRefused(t *testing.T) {
	api := load(t)
	param := func(kind, typ, dir string) *Param {
		return &Param{rawParam: &rawParam{Kind: kind, Type: typ, Dir: dir}}
	}
	object := func(p *Param, object, life string) *Param {
		p.Object, p.rawParam.Life = object, life
		return p
	}
	for _, c := range []struct {
		name string
		p    *Param
		want string // "" if it is fine
	}{
		{"a tag", param("TAG", "int", "in"), ""},
		{"a tag by pointer", param("TAG", "int*", "out"), ""},
		{"a tag that is written by value", param("TAG", "int", "out"), "passed by value, but written"},
		{"a tag of a type without a size", param("TAG", "long double", "in"), "of an integer"},
		{"a tag by pointer to a pointer", param("TAG", "int**", "out"), "of an integer"},
		{"a status of another type", param("STATUS", "int*", "out"), "of a status"},
		{"a communicator that is used", object(param("COMMUNICATOR", "MPI_Comm", "in"), "comm", "use"), ""},
		{"a communicator that is new, but read", object(param("COMMUNICATOR", "MPI_Comm", "in"), "comm", "new"),
			"not written only"},
		{"a request that completes, but is only read", object(param("REQUEST", "MPI_Request", "in"), "request",
			"complete"),
			"not both read and written"},
		{"an unknown life", object(param("COMMUNICATOR", "MPI_Comm", "in"), "comm", "eternal"), "no life rule"},
	} {
		err := api.param(c.p)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestCorrections: a correction that cannot be made, or makes no difference, is refused.
func TestCorrections(t *testing.T) {
	functions := func() map[string]*rawFunc {
		p := &rawParam{Name: "buf", Kind: "BUFFER", Dir: "in"}
		return map[string]*rawFunc{"toy_f": {Name: "toy_f", Category: "io_data", Params: []*rawParam{p}}}
	}
	for _, c := range []struct{ target, set, want string }{
		{"toy_f", `{"category": "io_mgmt"}`, ""},
		{"toy_f.buf", `{"dir": "out"}`, ""},
		{"toy_f", `{"category": "io_data"}`, "changes nothing"},
		{"toy_f.buf", `{"dir": "in"}`, "changes nothing"},
		{"toy_g", `{}`, "no such function"},
		{"toy_f.tag", `{}`, "no such parameter"},
		{"toy_f", `{"colour": "red"}`, "unknown field"},
		{"toy_f.buf", `{"colour": "red"}`, "unknown field"},
		{"toy_f.buf", `[]`, "cannot unmarshal"},
	} {
		err := apply(functions(), c.target, []byte(c.set), "because")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %s: error %v, want %q", c.target, c.set, err, c.want)
		}
	}
	fs := functions()
	if err := apply(fs, "toy_f", []byte(`{"excluded": true}`), "it is odd"); err != nil ||
		fs["toy_f"].excludedWhy != "it is odd" {
		t.Errorf("%+v, error %v", fs["toy_f"], err)
	}
}

// TestKindsAndIDs: each kind has one codec in all APIs; ids ascend, and end where the bit set of the control file does.
func TestKindsAndIDs(t *testing.T) {
	write := func(name, text string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	kinds := map[string]kindRule{}
	if err := loadKinds(write("kinds.txt", "# tags\nTAG Int\nNAME String StringArray\n"), kinds); err != nil {
		t.Fatal(err)
	}
	if kinds["TAG"] != (kindRule{"Int", "Int"}) || kinds["NAME"] != (kindRule{"String", "StringArray"}) {
		t.Errorf("%+v", kinds)
	}
	for text, want := range map[string]string{"TAG Int": "occurs twice", "X": "want kind, codec",
		"X Int Int Int": "want kind, codec",
		"X Colour":      "unknown codec Colour", "X Int Colour": "unknown codec Colour"} {
		if err := loadKinds(write("kinds.txt", text), kinds); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{"64": "want an id and a name", "x y": "want an id and a name",
		"65 a\n65 b": "does not follow 65", "65 a\n64 b": "does not follow 65", "65 a\n66 a": "a has two ids",
		"100000 a": "exceeds the control file's bit set"} {
		if _, err := loadIDs(write("ids.txt", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	ids, err := loadIDs(write("ids.txt", "64 a\n\n# gone\n70 b\n"))
	if err != nil || len(ids) != 2 || ids["b"] != 70 {
		t.Errorf("%v, error %v", ids, err)
	}
	v := vocabulary(t)
	for text, want := range map[string]string{"MPI_X": "want name, class", "MPI_X Comm nil": "want name, class",
		"MPI_X Comm\nMPI_X Comm": "occurs twice", "MPI_X Colour": "unknown class Colour"} {
		if _, err := loadPredefineds(write("predefined.txt", text), v); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	list, err := loadPredefineds(write("predefined.txt", "MPI_A Comm\nMPI_B Comm null\n"), v)
	if want := []Predefined{{"MPI_A", "Comm", false, -1, 0}, {"MPI_B", "Comm", true, -1, 0}}; err != nil ||
		!slices.Equal(list, want) {
		t.Errorf("%v, error %v", list, err)
	}
}
