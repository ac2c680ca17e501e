package main

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

// The shape of generated C is in templates/, where it reads as C. Here is what the templates are
// filled with; statements about single values are in cvalues.go, what functions do besides in
// hooks.go.

//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.ParseFS(templateFiles, "templates/*.tmpl"))

func fill(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	err := templates.ExecuteTemplate(&b, name, data)
	return b.Bytes(), err
}

// limits are the constants that bound strings which MPI writes.
var limits = []string{"MPI_MAX_PROCESSOR_NAME", "MPI_MAX_LIBRARY_VERSION_STRING", "MPI_MAX_ERROR_STRING",
	"MPI_MAX_DATAREP_STRING", "MPI_MAX_INFO_KEY", "MPI_MAX_OBJECT_NAME", "MPI_MAX_PORT_NAME"}

func maxIndex(name string) int { return slices.Index(limits, name) }

// numbered is a predefined object and its index.
type numbered struct {
	Name  string
	Index int
}

// among gives those predefined objects that have one of the names, in the order of the table.
func (api *API) among(names ...string) (found []numbered) {
	for i, p := range api.Predefineds {
		if slices.Contains(names, p.Name) {
			found = append(found, numbered{p.Name, i})
		}
	}
	return found
}

// cHeader makes capture/mpi/gen/wrap.h.
func cHeader(api *API) ([]byte, error) {
	data := struct {
		NumIDs         int
		OwnPredefineds []numbered
		ABIs           []cABI
		Combiners      []string
	}{
		Combiners: combiners,
		NumIDs:    api.Funcs[len(api.Funcs)-1].ID + 1,
		OwnPredefineds: api.among("MPI_COMM_WORLD", "MPI_COMM_SELF", "MPI_BYTE", "MPI_INT", "MPI_MIN",
			"MPI_ERRORS_RETURN", "MPI_SHORT_INT"),
	}
	for i, a := range api.ABIs {
		data.ABIs = append(data.ABIs, cABI{a, i + 1})
	}
	return fill("wrap.h.tmpl", data)
}

// cABI is an ABI with its number, tb_abi.kind.
type cABI struct {
	*ABI
	Kind int
}

// HandleMask covers the bits of a handle.
func (a cABI) HandleMask() string { return fmt.Sprintf("%#x", uint64(1)<<(8*a.Sizes["handle"]-1)*2-1) }

// Word is a constant that may be an address, as an unsigned number; 0 where it is a variable.
func (a cABI) Word(name string) string {
	if v := a.Constants[name]; v < 0 {
		return fmt.Sprintf("(uint64_t)%d", v)
	}
	return fmt.Sprint(a.Constants[name])
}

// Int is a constant.
func (a cABI) Int(name string) int64 { return a.Constants[name] }

// Handle is a predefined handle; 0 where it is an address.
func (a cABI) Handle(name string) string { return fmt.Sprintf("%#x", a.Handles[name]) }

// cWrappers makes capture/mpi/gen/wrap.c.
func cWrappers(api *API) ([]byte, error) {
	var data struct {
		Functions   []*Func
		Predefineds []cPredefined
		Limits      []cLimit
		Wrappers    []*wrapper
	}
	for _, f := range api.Funcs {
		if f.ID >= firstFunction {
			data.Functions = append(data.Functions, f)
			if f.wrapped() {
				data.Wrappers = append(data.Wrappers, newWrapper(f))
			}
		}
	}
	data.Predefineds = api.cPredefineds()
	for _, l := range limits {
		limit := cLimit{Name: strings.TrimPrefix(l, "MPI_")}
		for _, a := range api.ABIs {
			limit.Values = append(limit.Values, a.Constants[l])
		}
		data.Limits = append(data.Limits, limit)
	}
	return fill("wrap.c.tmpl", data)
}

// Has says that a function has the flag.
func (f *Func) Has(flag string) bool { return slices.Contains(f.Flags, flag) }

// wrapped tells whether programs call the function, so that it has a wrapper here: other events are recorded by
// functions of other names, and those of libc have wrappers of another kind (libc.go).
func (f *Func) wrapped() bool { return f.ID >= firstFunction && f.Shape == "" && f.api != libcAPI }

// cLimit is a size by ABI.
type cLimit struct {
	Name   string
	Values []int64
}

// cPredefined is a predefined object as C constants: its symbol in Open MPI, its handles elsewhere.
type cPredefined struct {
	Index               int
	Nature              string // of a datatype, as a C character; "0" of others
	Symbol, MPICH, MPI5 string
	Name                string
}

// combiners are how datatypes are made of others (capture/mpi/typemap.c).
var combiners = []string{"NAMED", "DUP", "CONTIGUOUS", "VECTOR", "HVECTOR", "INDEXED", "HINDEXED", "INDEXED_BLOCK",
	"HINDEXED_BLOCK", "STRUCT", "SUBARRAY", "RESIZED"}

// natures are the datatypes with elements of which there are sums; the others are bytes.
var natures = map[string]string{
	"i": "MPI_SIGNED_CHAR MPI_INT8_T MPI_SHORT MPI_INT16_T MPI_INT MPI_INT32_T MPI_LONG MPI_LONG_LONG_INT MPI_LONG_LONG " +
		"MPI_INT64_T MPI_INTEGER MPI_INTEGER1 MPI_INTEGER2 MPI_INTEGER4 MPI_INTEGER8 MPI_AINT MPI_COUNT MPI_OFFSET MPI_2INT",
	"u": "MPI_UNSIGNED_CHAR MPI_UINT8_T MPI_UNSIGNED_SHORT MPI_UINT16_T MPI_UNSIGNED MPI_UINT32_T MPI_UNSIGNED_LONG " +
		"MPI_UINT64_T MPI_UNSIGNED_LONG_LONG",
	"r": "MPI_FLOAT MPI_DOUBLE MPI_REAL MPI_DOUBLE_PRECISION MPI_REAL4 MPI_REAL8",
	"c": "MPI_C_COMPLEX MPI_C_FLOAT_COMPLEX MPI_C_DOUBLE_COMPLEX MPI_COMPLEX MPI_DOUBLE_COMPLEX MPI_COMPLEX8 " +
		"MPI_COMPLEX16 MPI_CXX_FLOAT_COMPLEX MPI_CXX_DOUBLE_COMPLEX MPI_CXX_COMPLEX",
}

func (p *Predefined) nature() string {
	if p.Class != "Type" || p.Null {
		return "0"
	}
	for nature, names := range natures {
		if slices.Contains(strings.Fields(names), p.Name) {
			return "'" + nature + "'"
		}
	}
	return "'b'"
}

const noHandle = "TB_NO_HANDLE"

func (api *API) cPredefineds() (list []cPredefined) {
	for i, p := range api.Predefineds {
		c := cPredefined{Index: i, Symbol: "NULL", Name: p.Name, Nature: p.nature()}
		c.MPICH, c.MPI5 = api.cHandle(api.ABIs[1], i), api.cHandle(api.ABIs[2], i)
		if symbol := api.canonicalSymbol(api.ABIs[0], i); symbol != "" {
			c.Symbol = `"` + symbol + `"`
		}
		if c.Symbol != "NULL" || c.MPICH != noHandle || c.MPI5 != noHandle {
			list = append(list, c)
		}
	}
	return list
}

func (api *API) cHandle(a *ABI, i int) string {
	if v, ok := api.canonical(a, i); ok {
		return fmt.Sprintf("%#x", v)
	}
	return noHandle
}

// wrapper is the wrapper of one function, for the template.
type wrapper struct {
	*Func
	Ret, Params, Args string   // its type, its parameter list, the arguments that forward it
	Hook              hook     // what it does besides
	EntryWords        int      // fixed words known on entry
	ExitWords         int      // fixed words known on return
	Code              string   // the return code
	OnlySuccess       bool     // values known on return are there after success only
	Locals            []string // declarations that several values need
	Entry, Exit       []string // statements
	FreedComms        []string // parameters: communicators that the call ends
	Payload, Later    string   // what is done about contents, before it and after it: see payload.go

	own *Param // the status that the wrapper may pass one of its own for
}

func newWrapper(f *Func) *wrapper {
	w := &wrapper{Func: f, Ret: f.retType(), Hook: hooks[f.Name], Code: "tb_r"}
	w.Params, w.Args = w.signature()
	in, out := f.Slots[:f.NumIn], f.Slots[f.NumIn:]
	w.EntryWords, w.ExitWords = fixedWords(in), fixedWords(out)
	if f.RetKind != "" {
		w.Code = "0"
	}
	w.OnlySuccess = f.RetKind == "" && !f.Has("OutOnError")
	w.locals()
	w.entry()
	w.Payload, w.Later = w.payload(), w.later()
	if len(out) > 0 || w.Hook.Success != "" {
		w.exit()
	}
	return w
}

func (w *wrapper) onEntry(format string, args ...any) {
	w.Entry = append(w.Entry, fmt.Sprintf(format, args...))
}

func (w *wrapper) onExit(format string, args ...any) {
	w.Exit = append(w.Exit, fmt.Sprintf(format, args...))
}

// cType is the neutral C type of a parameter: handles by value are words, pointers
// to what the ABIs lay out differently are void pointers.
func (p *Param) cType() string {
	base, stars, array := baseType(p.Type)
	konst := ""
	if strings.HasPrefix(p.Type, "const ") && (stars > 0 || array) {
		konst = "const "
	}
	indirect := stars
	if array {
		indirect++
	}
	switch {
	case p.Codec == "None":
		return "..."
	case base == "char":
		return konst + "char " + strings.Repeat("*", indirect)
	case p.Codec == "Address":
		return konst + "void *"
	}
	t := "void"
	if ct, ok := ctypes[base]; ok {
		t = ct.c
	}
	switch {
	case indirect == 0 && t == "void":
		return "uintptr_t "
	case indirect == 0:
		return t + " "
	}
	return konst + t + " *"
}

func (f *Func) retType() string {
	switch {
	case f.RetObject != "":
		return "uintptr_t"
	case f.Ret == "double":
		return "double"
	}
	return ctypes[f.Ret].c
}

// signature gives the parameter list and the arguments that forward it.
func (w *wrapper) signature() (params, args string) {
	var ps, as []string
	for _, p := range w.Func.Params {
		if p.Codec == "None" {
			ps = append(ps, "...")
			continue
		}
		ps = append(ps, p.cType()+p.Name)
		as = append(as, w.argument(p))
	}
	if len(ps) == 0 {
		ps = []string{"void"}
	}
	return strings.Join(ps, ", "), strings.Join(as, ", ")
}

// argument is what is passed on: the spawn hook may replace the command.
func (w *wrapper) argument(p *Param) string {
	if h := hooks[w.Name]; h.Replaced != nil {
		if r, ok := h.Replaced[p.Name]; ok {
			return r
		}
	}
	return p.Name
}

func fixedWords(slots []Slot) int {
	n := 0
	for i := range slots {
		n += slots[i].words()
	}
	return n
}

// locals declares what several slots need, and capacities that the call overwrites.
func (w *wrapper) locals() {
	declare := func(format string, args ...any) {
		if d := fmt.Sprintf(format, args...); !slices.Contains(w.Locals, d) {
			w.Locals = append(w.Locals, d)
		}
	}
	for _, p := range w.Func.Params {
		if p.rootOnlyData() {
			declare("int tb_root = tb_is_root(comm, root);")
		}
		if p.LenCap >= 0 && w.Func.Params[p.LenCap].Pointer {
			n := w.Func.Params[p.LenCap].Name
			declare("int tb_cap_%s = %s != NULL ? *%s : 0;", n, n, n)
		}
	}
	for _, p := range w.Func.Params {
		if freesComm(p) {
			declare("int tb_known = 0;")
			w.FreedComms = append(w.FreedComms, p.Name)
		}
	}
}

// entry makes the values known on entry, and marks the parameters without value.
func (w *wrapper) entry() {
	in := w.Slots[:w.NumIn]
	for i := range in {
		s := &in[i]
		p := w.Func.Params[s.Param]
		w.Entry = append(w.Entry, under(w.present(p), w.put(s, p), fmt.Sprintf("tb_absent(&tb_c, %d);", p.Index))...)
		w.Entry = append(w.Entry, room(in[i:])...)
	}
	for _, p := range w.Func.Params {
		if cs := w.present(p); p.Out && !p.In && len(cs) > 0 {
			w.onEntry("if (!(%s)) tb_absent(&tb_c, %d);", strings.Join(cs, " && "), p.Index)
		}
	}
	w.ownStatus()
}

// exit makes the values known on return.
func (w *wrapper) exit() {
	slots := w.Slots[w.NumIn:]
	if w.Has("OutOnError") {
		w.onExit("int tb_ok = tb_likely(tb_r == 0) || tb_in_status(tb_r);")
	}
	if w.Hook.Success != "" {
		w.onExit("%s", w.Hook.Success)
	}
	w.followRequests()
	for i := range slots {
		s := &slots[i]
		if s.Param < 0 {
			w.onExit("%s", putResult(s))
			continue
		}
		w.Exit = append(w.Exit, w.exitSlot(s)...)
		w.Exit = append(w.Exit, room(slots[i:])...)
	}
	w.putOwnStatus()
}

// exitSlot records a value known on return, where there is one.
func (w *wrapper) exitSlot(s *Slot) []string {
	p := w.Func.Params[s.Param]
	var conds []string
	if len(w.present(p)) > 0 { // as decided before the call, which may have changed what p points to
		conds = []string{fmt.Sprintf("tb_has(&tb_c, %d)", p.Index)}
	}
	if s.OnError {
		return under(append([]string{"tb_r != 0"}, conds...), w.put(s, p), "")
	}
	var later []string // known after the call only
	if w.Has("OutOnError") {
		later = append(later, "tb_ok")
	}
	if p.When >= 0 {
		flag := w.Func.Params[p.When].Name
		later = append(later, flag+" != NULL", "*"+flag)
	}
	if len(later) == 0 {
		return under(conds, w.put(s, p), "")
	}
	block := []string{"{"}
	if len(conds) > 0 {
		block[0] = "if (" + strings.Join(conds, " && ") + ") {"
	}
	for _, l := range under(later, w.put(s, p), fmt.Sprintf("tb_absent(&tb_c, %d);", p.Index)) {
		block = append(block, "    "+l)
	}
	return append(block, "}")
}

// under makes a statement under conditions, and otherwise another one.
func under(conds []string, statement, otherwise string) []string {
	if len(conds) == 0 {
		return []string{statement}
	}
	lines := []string{"if (" + strings.Join(conds, " && ") + ") " + statement}
	if otherwise != "" {
		lines = append(lines, "else "+otherwise)
	}
	return lines
}

// room reserves the words of the scalars that follow a variable part.
func room(slots []Slot) []string {
	if !slots[0].variable() {
		return nil
	}
	n := 0
	for i := 1; i < len(slots) && !slots[i].variable(); i++ {
		n += slots[i].words()
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("tb_room(&tb_c, %d);", n)}
}
