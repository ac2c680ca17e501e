package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// maxIDs is TB_IDS of capture/core/ring.h: the first word of a record has 16 bits for the id of the
// function.
const maxIDs = 1 << 16

// firstFunction is spec.FirstFunction.
const firstFunction = 64

var codecs = set("None", "Int", "Float", "Handle", "Address", "Displacement", "String", "StringArray", "StringArray2",
	"Status")

// lifeOf maps the table's lives to spec.Life.
var lifeOf = map[string]string{
	"use": "Use", "new": "New", "free": "Free", "complete": "Complete", "activate": "Activate", "alias": "Alias",
	"new_if_derived": "NewIfDerived", "new_ref": "NewRef", "update": "Update",
}

// lenOf maps the table's length rules to spec.LenRule.
var lenOf = map[string]string{
	"param": "LenParam", "param3": "LenParam3", "string": "LenString", "null_terminated": "LenNullTerm",
	"out": "LenOut",
	"sum": "LenSum", "last": "LenLast", "local_size": "LenLocalSize", "peer_size": "LenPeerSize",
	"indegree": "LenIndegree", "outdegree": "LenOutdegree", "cart_dims": "LenCartDims",
}

// sentinels are the special values that wrappers and readers know.
var sentinels = set("MPI_BOTTOM", "MPI_IN_PLACE", "MPI_PROC_NULL", "MPI_ROOT", "MPI_ANY_SOURCE", "MPI_ANY_TAG", "NULL",
	"MPI_STATUS_IGNORE", "MPI_STATUSES_IGNORE", "MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY", "MPI_ERRCODES_IGNORE",
	"MPI_ARGV_NULL", "MPI_ARGVS_NULL", "MPI_UNDEFINED")

var categories = set("collective", "comm_mgmt", "completion", "completion_query", "cuda",
	"cuda_copy", "cuda_kernel", "function", "io_data", "io_local",
	"io_mgmt", "lifecycle", "local", "neighbor_collective", "omp_parallel", "omp_sync", "omp_task", "omp_work",
	"partitioned", "payload", "process_mgmt", "pt2pt", "python", "region", "rma_mgmt", "rma_op", "rma_sync",
	"start", "threads", "tool")

var blockings = set("local", "blocking", "nonblocking", "persistent_init", "split_begin", "split_end", "start",
	"generalized_request", "test")

// storedPointer kinds, where they are written, are places that receive a pointer.
var storedPointer = set("C_BUFFER", "C_BUFFER2", "ATTRIBUTE_VAL", "ATTRIBUTE_VAL_10")

// ctypes gives the C type of values in a wrapper and their width in bits.
var ctypes = map[string]struct {
	c    string
	bits int
}{
	"int": {"int", 32}, "long": {"long", 64}, "size_t": {"size_t", 64}, "MPI_Aint": {"long", 64},
	"MPI_Count": {"long", 64}, "MPI_Offset": {"long", 64},
	"MPI_T_cb_safety": {"int", 32}, "MPI_T_source_order": {"int", 32},
	"MPIX_Grequest_class": {"int", 32},
	"off_t":               {"off_t", 64}, "uint64_t": {"uint64_t", 64}, "mode_t": {"mode_t", 32},
	"unsigned":       {"unsigned", 32},
	"ncclDataType_t": {"int", 32}, "ncclRedOp_t": {"int", 32}, "ncclUniqueId": {"struct tb_nccl_id", 64},
}

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

// API is everything that the generator knows.
type API struct {
	Funcs       []*Func // in the order of ids
	Excluded    []*rawFunc
	Predefineds []Predefined
	Groups      []*Group
	ABIs        []*ABI
	Vocabulary  *Vocabulary
	Folders     []Folder
	Events      []Event // kinds of them
	// FunctionGroups are the groups of all APIs.
	FunctionGroups []*FunctionGroup

	byName map[string]*Func
	kinds  map[string]kindRule
}

// classOf maps an object of the tables, such as "comm", to its class; it is empty for unknown ones.
func (api *API) classOf(object string) string {
	class, err := api.Vocabulary.constant("Class", object)
	if err != nil {
		return ""
	}
	return class
}

// classes are the classes of objects, in the order of their numbers.
func (v *Vocabulary) classes() []string {
	var list []string
	for _, w := range v.byType["Class"].Words[1:] {
		list = append(list, camel(w.Name))
	}
	return list
}

// Func is a recorded function.
type Func struct {
	*rawFunc
	ID     int
	Flags  []string // of spec.Flag
	Params []*Param
	Slots  []Slot
	NumIn  int
	API    string // folder of the API
	Kind   int    // of its events, an index in API.Events
	Twin   string // name of its profiling twin, empty if there is none

	Meaning            Meaning
	retCodec, retClass string // of a value and of a handle that is returned
}

// Param is a parameter of a recorded function.
type Param struct {
	*rawParam
	Index          int
	Codec          string
	Class          string
	Life           string
	In, Out        bool
	Pointer, Array bool
	Bits           int
	LenRule        string
	LenArg, LenArr int
	LenCap         int
	LenDeref       bool
	BufCount       int
	BufType        int
	BufDispls      int
	When           int
	ActualArgs     []int
	tag            int // as in rawFunc
	InPlaceOf      int // choice buffer whose MPI_IN_PLACE makes this array insignificant, -1
}

// Slot is as spec.Slot.
type Slot struct {
	Param                       int
	Codec, Class, Life          string
	Out, Array, OnError, Column bool
	Bits                        int
}

// variable says that the slot's length is not fixed.
func (s *Slot) variable() bool {
	return s.Array || s.Codec == "String" || s.Codec == "StringArray" || s.Codec == "StringArray2"
}

// words is the length of the fixed part.
func (s *Slot) words() int {
	switch {
	case s.variable():
		return 0
	case s.Codec == "Status":
		return 3
	}
	return 1
}

// pseudo functions have no wrapper; the runtime records them itself.
var pseudos = []struct {
	name   string
	params []string
}{
	{"tabard_tracing", []string{"on"}},
	{"tabard_segment", []string{"segment", "kind", "bytes"}},
	{"tabard_segment_end", []string{"segment"}},
	{"tabard_thread_create", []string{"thread"}},
	{"tabard_thread_begin", []string{"creations"}},
	{"tabard_thread_join", []string{"thread"}},
}

// Load reads and validates the data files.
func Load(dir string) (*API, error) {
	api := &API{byName: map[string]*Func{}, kinds: map[string]kindRule{}}
	var err error
	if api.Vocabulary, err = loadVocabulary(dir); err != nil {
		return nil, err
	}
	if api.Predefineds, err = loadPredefineds(dir, api.Vocabulary); err != nil {
		return nil, err
	}
	if api.Events, err = loadEvents(dir); err != nil {
		return nil, err
	}
	if api.Folders, err = loadAPIs(dir, api.Events); err != nil {
		return nil, err
	}
	ids, err := loadIDs(dir)
	if err != nil {
		return nil, err
	}
	if err := api.addPseudos(ids); err != nil {
		return nil, err
	}
	var errs []error
	for _, folder := range api.Folders {
		more, err := api.load(filepath.Join(dir, folder.Name), folder, ids)
		if err != nil {
			return nil, err
		}
		errs = append(errs, more...)
	}
	api.groupRest()
	for name := range ids {
		if api.byName[name] == nil && len(errs) == 0 {
			errs = append(errs, fmt.Errorf("ids.txt: no function %s in the table", name))
		}
	}
	slices.SortFunc(api.Funcs, func(a, b *Func) int { return a.ID - b.ID })
	if len(api.FunctionGroups) > 32 {
		errs = append(errs, errors.New("more groups than Func.Groups has bits"))
	}
	errs = append(errs, api.checkLarge()...)
	errs = append(errs, api.checkData()...)
	return api, errors.Join(errs...)
}

// load adds the functions of one API. The second result is an error that hides others.
func (api *API) load(dir string, folder Folder, ids map[string]int) (errs []error, err error) {
	raws, err := loadFuncs(dir)
	if err != nil {
		return nil, err
	}
	if err := loadKinds(dir, api.kinds); err != nil {
		return nil, err
	}
	groups, err := loadConstants(dir)
	if err != nil {
		return nil, err
	}
	api.Groups = append(api.Groups, groups...)
	abis, err := loadABIs(dir)
	if err != nil {
		return nil, err
	}
	api.ABIs = append(api.ABIs, abis...)
	if err := loadTypeSizes(dir, api.Predefineds); err != nil {
		return nil, err
	}
	m, err := loadMeanings(dir, api.Vocabulary)
	if err != nil {
		return nil, err
	}
	from := len(api.Funcs)
	if err := loadValues(dir, api.Predefineds, folder.First); err != nil {
		return nil, err
	}
	for _, r := range raws {
		r.api = folder.Name
		if folder.Name != "mpi" && folder.Name != libcAPI {
			r.tag = folder.First
		}
		if err := api.add(r, ids); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.Name, err))
		} else if id, has := ids[r.Name]; has && (id < folder.First || id > folder.Last) {
			errs = append(errs, fmt.Errorf("%s: id %d is not one of %s (apis.txt)", r.Name, id, folder.Name))
		}
	}
	for _, f := range api.Funcs[from:] {
		f.API, f.Kind = folder.Name, folder.Kind
		if folder.Twin != "" {
			f.Twin = folder.Twin + f.Name
		}
	}
	if len(errs) > 0 {
		return errs, nil
	}
	return m.apply(api, api.Funcs[from:]), nil
}

// groupRest puts the runtime's own records, and functions of an API without groups, where the functions are that are
// in no other group.
func (api *API) groupRest() {
	for i, g := range api.FunctionGroups {
		for _, f := range api.Funcs {
			if len(g.rules) == 0 && f.Meaning.Groups == 0 {
				f.Meaning.Groups = 1 << i
			}
		}
	}
}

func (api *API) addPseudos(ids map[string]int) error {
	for _, ps := range pseudos {
		id := ids[ps.name]
		if id == 0 || id >= firstFunction {
			return fmt.Errorf("ids.txt: %s wants an id below %d", ps.name, firstFunction)
		}
		f := &Func{rawFunc: &rawFunc{Name: ps.name, Category: "runtime"}, ID: id, Flags: []string{"Pseudo"}}
		for i, n := range ps.params {
			p := newParam(&rawParam{Name: n, Kind: "INTEGER", Type: "long"}, i)
			p.Codec, p.Bits, p.In = "Int", 64, true
			f.Params = append(f.Params, p)
		}
		f.slots()
		api.Funcs = append(api.Funcs, f)
		api.byName[f.Name] = f
	}
	return nil
}

func newParam(r *rawParam, i int) *Param {
	return &Param{rawParam: r, Index: i, LenRule: "LenNone", LenArg: -1, LenArr: -1, LenCap: -1,
		BufCount: -1, BufType: -1, BufDispls: -1, When: -1, InPlaceOf: -1}
}

// add derives everything about one function of the table.
func (api *API) add(r *rawFunc, ids map[string]int) error {
	id, has := ids[r.Name]
	if r.Excluded {
		api.Excluded = append(api.Excluded, r)
		if has {
			return errors.New("excluded, but has an id")
		}
		return nil
	}
	if id < firstFunction {
		return errors.New("has no id: run make gen")
	}
	if !categories[r.Category] || !blockings[r.Blocking] {
		return fmt.Errorf("unknown category %q or completion %q", r.Category, r.Blocking)
	}
	f := &Func{rawFunc: r, ID: id}
	for i, rp := range r.Params {
		p := newParam(rp, i)
		p.tag = r.tag
		if err := api.param(p); err != nil {
			return fmt.Errorf("%s: %w", rp.Name, err)
		}
		f.Params = append(f.Params, p)
	}
	if len(f.Params) > 32 {
		return errors.New("more parameters than the absent mask has bits")
	}
	for _, p := range f.Params {
		if err := f.resolve(p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	if err := f.result(api); err != nil {
		return err
	}
	f.slots()
	f.flags()
	if err := f.checkOutOnError(); err != nil {
		return err
	}
	api.Funcs = append(api.Funcs, f)
	api.byName[f.Name] = f
	return nil
}

// baseType splits a C type into what it is made of.
func baseType(t string) (base string, stars int, array bool) {
	t = strings.ReplaceAll(strings.TrimPrefix(t, "const "), " ", "")
	if i := strings.IndexByte(t, '['); i >= 0 {
		t, array = t[:i], true
	}
	base = strings.TrimRight(t, "*")
	return base, len(t) - len(base), array
}

// param derives what depends on the parameter alone.
func (api *API) param(p *Param) error {
	rule, ok := api.kinds[p.Kind]
	if !ok {
		return fmt.Errorf("unknown kind %s: add it to kinds.txt", p.Kind)
	}
	base, stars, array := baseType(p.Type)
	p.Codec = rule.scalar
	if array {
		p.Codec = rule.array
	}
	switch p.Codec {
	case "excluded":
		return fmt.Errorf("kind %s occurs in a recorded function", p.Kind)
	case "None":
		return nil
	}
	switch p.Dir {
	case "in":
		p.In = true
	case "out":
		p.Out = true
	case "inout":
		p.In, p.Out = true, true
	default:
		return fmt.Errorf("unknown direction %q", p.Dir)
	}
	for _, s := range p.Sentinels {
		if !sentinels[s] {
			return fmt.Errorf("unknown sentinel %s", s)
		}
	}
	p.Array, p.Pointer = array, stars > 0
	switch p.Codec {
	case "Int", "Displacement":
		ct, ok := ctypes[base]
		if !ok || stars > 1 || array && stars > 0 {
			return fmt.Errorf("C type %s of an integer", p.Type)
		}
		p.Bits = ct.bits
		if p.Codec == "Displacement" && p.Bits != 64 {
			return errors.New("displacement of less than 64 bits")
		}
		if p.Out && !p.Pointer && !array && p.Value == "" {
			return errors.New("passed by value, but written")
		}
	case "Handle":
		p.Class = api.classOf(p.Object)
		return p.handle()
	case "Address":
		return p.address()
	case "String", "StringArray", "StringArray2":
		p.Array = false
	case "Status":
		if base != "MPI_Status" {
			return fmt.Errorf("C type %s of a status", p.Type)
		}
	}
	return nil
}

// handle decides on which side of the call a handle is known.
func (p *Param) handle() error {
	p.Life = lifeOf[p.rawParam.Life]
	if p.Class == "" {
		return fmt.Errorf("unknown object %q", p.Object)
	}
	if p.Array && p.tag == 0 && (wide(p.Class) || p.Class == "Keyval") {
		return errors.New("array of handles whose size is not that of the MPI's handles")
	}
	switch p.Life {
	case "Use":
		if p.Out {
			return errors.New("no life rule for a handle that is written")
		}
	case "Free", "Activate":
		p.In, p.Out = true, false
	case "Complete", "Update":
		if !p.In || !p.Out {
			return fmt.Errorf("life %s of a handle that is not both read and written", p.Life)
		}
	case "New", "Alias", "NewRef", "NewIfDerived":
		if !p.Out || p.In {
			return fmt.Errorf("life %s of a handle that is not written only", p.Life)
		}
	default:
		return errors.New("no life rule")
	}
	return nil
}

// address decides whether a pointer is the value or the place of the value.
func (p *Param) address() error {
	if storedPointer[p.Kind] && p.Dir == "out" {
		p.Pointer = true
		return nil
	}
	p.In, p.Out, p.Pointer = true, false, false
	if p.Kind != "BUFFER" && p.Xfer != nil {
		return errors.New("transfer rule of something that is no buffer")
	}
	if p.Kind == "BUFFER" && p.Xfer == nil {
		return errors.New("buffer without transfer rule")
	}
	return nil
}

// wide classes are pointers in every ABI; the others have the size of the ABI's handles.
func wide(class string) bool {
	return class == "File" || strings.HasPrefix(class, "T") && class != "Type" ||
		class == "Fd" || class == "Stream" || class == "Directory" || class == "Mapping"
}

// index finds a parameter by name; the empty name gives -1.
func (f *Func) index(name string) (int, error) {
	if name == "" {
		return -1, nil
	}
	for i, p := range f.Params {
		if p.Name == name {
			return i, nil
		}
	}
	return -1, fmt.Errorf("no parameter %q", name)
}

// resolve turns the names of other parameters into indices.
func (f *Func) resolve(p *Param) (err error) {
	get := func(name string) int {
		i, e := f.index(name)
		if e != nil {
			err = e
		}
		return i
	}
	if needsLen := p.Array || strings.HasPrefix(p.Codec, "String"); needsLen != (p.Len != nil) {
		return errors.New("length rule missing, or of something that has no length")
	}
	if l := p.Len; l != nil {
		p.LenRule = lenOf[l.Rule]
		if p.LenRule == "" {
			return fmt.Errorf("unknown length rule %q", l.Rule)
		}
		p.LenArg, p.LenArr, p.LenCap, p.LenDeref = get(l.Arg), get(l.Array), get(l.Cap), l.Deref
		if err != nil {
			return err
		}
		if err := f.checkLen(p, l); err != nil {
			return err
		}
	}
	if x := p.Xfer; x != nil {
		if x.None != (x.Count == "" && x.Type == "") {
			return errors.New("transfer rule says both something and nothing")
		}
		p.BufCount, p.BufType, p.BufDispls = get(x.Count), get(x.Type), get(x.Displs)
		if slices.Contains(p.Sentinels, "MPI_IN_PLACE") {
			for _, i := range []int{p.BufCount, p.BufType, p.BufDispls} {
				if i >= 0 && f.Params[i].Array && !f.countsReceived(i) {
					f.Params[i].InPlaceOf = p.Index
				}
			}
		}
	}
	p.When = get(p.rawParam.When)
	if p.When >= 0 && (p.In || !f.Params[p.When].Pointer || f.Params[p.When].Codec != "Int") {
		return errors.New("depends on a flag, but is known on entry, or that is no flag")
	}
	if p.Actual != nil {
		if _, ok := actuals[p.Actual.Count]; !ok {
			return fmt.Errorf("unknown count %q", p.Actual.Count)
		}
		for _, a := range p.Actual.Args {
			p.ActualArgs = append(p.ActualArgs, get(a))
		}
	}
	return err
}

// checkLen refuses length rules that lack what they need.
func (f *Func) checkLen(p *Param, l *rawLen) error {
	if l.Max != "" && maxIndex(l.Max) < 0 {
		return fmt.Errorf("unknown limit %s", l.Max)
	}
	switch l.Rule {
	case "string":
		if p.Out && l.Max == "" && l.Cap == "" {
			return errors.New("string that is written without a limit")
		}
	case "null_terminated":
	case "out":
		if p.LenCap < 0 || p.LenArg < 0 || p.In {
			return errors.New("needs a count, a capacity, and to be written only")
		}
	case "sum", "last":
		if p.LenArr < 0 || p.LenArg < 0 {
			return errors.New("needs an array and its length")
		}
	default:
		if p.LenArg < 0 {
			return errors.New("needs a parameter")
		}
		if a := f.Params[p.LenArg]; a.Pointer != l.Deref {
			return fmt.Errorf("length is read from %s without regard to whether it is a pointer", a.Name)
		}
	}
	return nil
}

// result checks the return value.
func (f *Func) result(api *API) error {
	if f.RetKind == "" {
		if f.Ret != "int" && f.api != libcAPI {
			return fmt.Errorf("error code of type %s", f.Ret)
		}
		return nil
	}
	r, ok := api.kinds[f.RetKind]
	if !ok || r.scalar == "excluded" {
		return fmt.Errorf("unknown kind of result %s", f.RetKind)
	}
	f.retCodec = r.scalar
	if f.RetObject != "" {
		f.retClass = api.classOf(f.RetObject)
	}
	if r.scalar == "Handle" && (f.retClass == "" || lifeOf[f.RetLife] == "") {
		return errors.New("handle as result without a life rule")
	}
	return nil
}

// resultSlot is the slot of the return value.
func (f *Func) resultSlot() Slot {
	s := Slot{Param: -1, Out: true, Codec: f.retCodec, Column: true}
	switch {
	case f.RetObject != "":
		s.Codec, s.Class, s.Life, s.Column = "Handle", f.retClass, lifeOf[f.RetLife], false
	case s.Codec == "Int":
		s.Bits = ctypes[f.Ret].bits
	}
	return s
}

// slots lists the recorded values in their order.
func (f *Func) slots() {
	for _, p := range f.Params {
		if p.In {
			f.Slots = append(f.Slots, p.slot(false))
		}
	}
	f.NumIn = len(f.Slots)
	if f.RetKind != "" {
		f.Slots = append(f.Slots, f.resultSlot())
	}
	for _, p := range f.Params {
		if p.Out {
			f.Slots = append(f.Slots, p.slot(true))
		}
	}
}

// otherEachRun is the kind of numbers that are drawn anew in each run: the structure of calls does not depend on them.
const otherEachRun = "NCCL_ID"

func (p *Param) slot(out bool) Slot {
	s := Slot{Param: p.Index, Out: out, Codec: p.Codec, Class: p.Class, Life: p.Life, Array: p.Array, Bits: p.Bits}
	s.OnError = out && p.Life == "Complete"
	s.Column = out && p.Codec != "Handle" && p.Codec != "StringArray" || p.Codec == "Status" ||
		p.Kind == otherEachRun ||
		strings.HasPrefix(p.Kind, "PAYLOAD")
	return s
}

// flags derives spec.Flag from the standard's classification.
func (f *Func) flags() {
	add := func(on bool, name string) {
		if on && !slices.Contains(f.Flags, name) {
			f.Flags = append(f.Flags, name)
		}
	}
	add(f.Collective, "Collective")
	add(f.Blocking == "blocking" || f.Blocking == "split_end", "Blocking")
	add(f.Blocking == "nonblocking" || f.Blocking == "split_begin", "Nonblocking")
	add(f.Blocking == "persistent_init", "PersistentInit")
	add(f.Category == "completion", "Completion")
	add(f.Blocking == "test", "Poll")
	add(f.Category == "completion", "OutOnError")
	add(lifecycles[f.Name] || strings.HasPrefix(f.Name, "MPI_Init") && f.Category == "lifecycle", "Lifecycle")
	for _, s := range f.Slots {
		add(s.Codec == "Handle" && s.Life != "Use" && s.Life != "Alias", "Lifecycle")
	}
	add(f.PreInit || preInit[f.Name], "PreInit")
	add(f.RetKind != "", "ReturnsValue")
	add(f.Category == "start", "Start")
	add(f.Category == "partitioned", "Partitioned")
	add(f.Pseudo, "Pseudo")
}

// checkOutOnError: one absent bit serves both sides of a call, so a value that is
// known on entry cannot be missing on return because of an error.
func (f *Func) checkOutOnError() error {
	for _, p := range f.Params {
		if slices.Contains(f.Flags, "OutOnError") && p.In && p.Out && p.Life != "Complete" {
			return fmt.Errorf("%s: read and written by a function whose results are recorded after errors", p.Name)
		}
	}
	return nil
}

// lifecycles are functions without handle parameters that matter to later calls:
// initialisation and end, and memory that becomes or stops being a segment.
var lifecycles = set("MPI_Finalize", "MPI_Alloc_mem", "MPI_Free_mem")

// preInit functions work at any time in practice and must do so when traced.
var preInit = set("MPI_Wtime", "MPI_Wtick")

// checkLarge compares the _c forms with the small ones.
func (api *API) checkLarge() []error {
	var errs []error
	for _, f := range api.Funcs {
		if l := f.Large; l != "" && (api.byName[l] == nil || api.byName[l].LargeOf != f.Name) {
			errs = append(errs, fmt.Errorf("%s: large form %s is not in the table or disagrees", f.Name, l))
		}
		if s := f.LargeOf; s != "" && (api.byName[s] == nil || api.byName[s].Large != f.Name) {
			errs = append(errs, fmt.Errorf("%s: small form %s is not in the table or disagrees", f.Name, s))
		}
	}
	return errs
}

// checkData looks for constants and kinds that nothing knows.
func (api *API) checkData() []error {
	var errs []error
	known := set()
	for _, a := range api.ABIs {
		for n := range a.Constants {
			known[n] = true
		}
		for n := range a.Variables {
			known[n] = true
		}
	}
	for _, g := range api.Groups {
		for _, k := range g.Kinds {
			if _, ok := api.kinds[k]; !ok {
				errs = append(errs, fmt.Errorf("constants.txt: group %s: unknown kind %s", g.Name, k))
			}
		}
		for _, n := range g.Names {
			if !known[n] {
				errs = append(errs, fmt.Errorf("constants.txt: no ABI defines %s", n))
			}
		}
	}
	for _, p := range api.Predefineds {
		if p.Value == 0 && !slices.ContainsFunc(api.ABIs, func(a *ABI) bool { return a.has(p.Name) }) {
			errs = append(errs, fmt.Errorf("predefined.txt: no ABI defines %s", p.Name))
		}
	}
	return errs
}

func (a *ABI) has(handle string) bool {
	_, number := a.Handles[handle]
	_, symbol := a.Symbols[handle]
	return number || symbol
}

// countsReceived tells whether an array says how much arrives, so that it matters whatever the send
// buffer is: the counts of MPI_Reduce_scatter are those of both buffers.
func (f *Func) countsReceived(param int) bool {
	return strings.HasPrefix(f.Params[param].Name, "recvcounts")
}
