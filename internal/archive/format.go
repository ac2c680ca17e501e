package archive

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/tabard-hpc/tabard/spec"
)

// String is c.Format().
func (c *Call) String() string { return c.Format() }

// Format renders the call on one line: what it was given, where it was made,
// and after each semicolon what it returned:
//
//	MPI_Irecv(buf=heap#3+64, count=8, ..., source=MPI_ANY_SOURCE, tag=0) @ halo.c:41 [f] ; request=request#2
//
// Values that are not known or not significant are "-" among the arguments and
// left out among the results.
func (c *Call) Format() string {
	p := printer{abi: c.abi()}
	p.b = append(p.b, c.Func.Name...)
	p.b = append(p.b, '(')
	for i := range c.Func.Slots[:c.Func.NumIn] {
		if i > 0 {
			p.b = append(p.b, ", "...)
		}
		p.assign(c, i)
	}
	p.b = append(p.b, ')')
	if c.Site != nil && len(c.Site.Frames) > 0 {
		p.b = append(p.b, " @ "+c.Site.String()...)
	}
	for i := c.Func.NumIn; i < len(c.Func.Slots); i++ {
		if c.Slots[i].Kind != Absent {
			p.b = append(p.b, " ; "...)
			p.assign(c, i)
		}
	}
	if e := c.ErrorName(); e != "" {
		p.b = append(p.b, " ; error="+e...)
	}
	if c.Flags&Nested != 0 {
		p.b = append(p.b, " ; nested"...)
	}
	if c.Flags&Unfinished != 0 {
		p.b = append(p.b, " ; unfinished"...)
	}
	return string(p.b)
}

func errorName(abi spec.ABI, code int32) string {
	if n := abi.Name("ERROR_CODE", int64(code)); n != "" {
		return n
	}
	// MPICH's codes hold the class of the error in their lowest bits (MPIR_ERR_CLASS_MASK); above it says more.
	if abi == spec.MPICH && code > 0x7f {
		if n := abi.Name("ERROR_CODE", int64(code&0x7f)); n != "" {
			return n
		}
	}
	return strconv.Itoa(int(code))
}

// String renders the frames from the inside out.
func (s *Site) String() string {
	parts := make([]string, len(s.Frames))
	for i := range s.Frames {
		parts[i] = s.Frames[i].String()
	}
	return strings.Join(parts, " < ")
}

// String is "halo.c:41 [exchange]", or "libhalo.so+0x1234 [exchange]" where lines are not known.
func (f *Frame) String() string {
	var s string
	switch {
	case f.File != "" && f.Line != 0:
		s = fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
	case f.File != "":
		s = path.Base(f.File)
	default:
		s = f.Code()
	}
	if f.Func == "" {
		return s
	}
	return strings.TrimSpace(s + " [" + f.Func + "]")
}

// Code is the place in the module, "libhalo.so+0x1234", empty if neither is known.
func (f *Frame) Code() string {
	switch {
	case f.Image != "":
		return fmt.Sprintf("%s+%#x", f.Image, f.Offset)
	case f.Module >= 0:
		return fmt.Sprintf("module#%d+%#x", f.Module, f.Offset)
	case f.Offset != 0 || f.Func == "":
		return fmt.Sprintf("%#x", f.Offset)
	}
	return ""
}

// printer renders values. With exact set it gives the form of the text twin,
// which tells all values apart; else the form for people, which names
// constants as the parameter suggests.
type printer struct {
	b     []byte
	abi   spec.ABI
	exact bool
}

func (p *printer) assign(c *Call, i int) {
	s := &c.Func.Slots[i]
	p.b = append(p.b, SlotName(c.Func, s)...)
	p.b = append(p.b, '=')
	p.value(c.Func, s, &c.Slots[i])
}

// FormatValue renders the value of slot s of f for people.
func FormatValue(abi spec.ABI, f *spec.Func, s *spec.Slot, v *Value) string {
	p := printer{abi: abi}
	p.value(f, s, v)
	return string(p.b)
}

func (p *printer) value(f *spec.Func, s *spec.Slot, v *Value) {
	if v.Ignored {
		p.b = append(p.b, "ignored"...)
	}
	switch v.Kind {
	case Absent:
		p.b = append(p.b, '-')
	case Hole:
		p.b = append(p.b, '?')
	case Int:
		p.scalar(f, s, v.N)
	case Float:
		p.float(v.N)
	case Ref:
		p.ref(v)
	case Addr:
		p.addr(f, s, v)
	case Str:
		p.b = strconv.AppendQuote(p.b, v.Str)
	case Ints:
		p.b = append(p.b, '[')
		for i, x := range v.Ints {
			p.comma(i)
			p.int(f, s, x)
		}
		p.b = append(p.b, ']')
	case List:
		p.list(f, s, v.List)
	case Stat:
		p.status(&v.Stat)
	case Sentinel:
		p.sentinel(v.N)
	}
}

func (p *printer) comma(i int) {
	if i > 0 {
		p.b = append(p.b, ", "...)
	}
}

func (p *printer) list(f *spec.Func, s *spec.Slot, list []Value) {
	open, end := byte('['), byte(']')
	if p.exact {
		open, end = '(', ')'
	}
	p.b = append(p.b, open)
	for i := range list {
		p.comma(i)
		p.value(f, s, &list[i])
	}
	p.b = append(p.b, end)
}

func (p *printer) int(f *spec.Func, s *spec.Slot, n int64) {
	if name := p.constant(f, s, n); name != "" {
		p.b = append(p.b, name...)
		return
	}
	p.b = strconv.AppendInt(p.b, n, 10)
}

// scalar is an Int; the exact form tells it from the codec's usual kind.
func (p *printer) scalar(f *spec.Func, s *spec.Slot, n int64) {
	if p.exact && (s.Codec == spec.Address || s.Codec == spec.Displacement || s.Codec == spec.Float) {
		p.b = append(p.b, "int("...)
		p.b = strconv.AppendInt(p.b, n, 10)
		p.b = append(p.b, ')')
		return
	}
	p.int(f, s, n)
}

// constant names a value of a parameter, empty if it is a mere number.
func (p *printer) constant(f *spec.Func, s *spec.Slot, n int64) string {
	if p.exact {
		return ""
	}
	return constantName(p.abi, f, s, n)
}

func constantName(abi spec.ABI, f *spec.Func, s *spec.Slot, n int64) string {
	if s.Param < 0 {
		return ""
	}
	param := &f.Params[s.Param]
	if name := cmp.Or(abi.Name(param.Kind, n), spec.LinuxName(f, param, n)); name != "" {
		return name
	}
	for _, name := range param.Sentinels {
		if s.Array && insteadOfArray(name) {
			continue
		}
		if v, ok := abi.Const(name); ok && v == n {
			return name
		}
	}
	return ""
}

// insteadOfArray tells whether a constant stands for an array as a whole, so that its number says
// nothing about elements.
func insteadOfArray(name string) bool {
	switch name {
	case "MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY", "MPI_ERRCODES_IGNORE", "MPI_STATUSES_IGNORE":
		return true
	}
	return false
}

func (p *printer) float(bits int64) {
	x := math.Float64frombits(uint64(bits))
	if !p.exact {
		p.b = strconv.AppendFloat(p.b, x, 'g', -1, 64)
		return
	}
	p.b = append(p.b, "float("...)
	if math.IsNaN(x) { // there are many
		p.b = append(p.b, "0x"...)
		p.b = strconv.AppendUint(p.b, uint64(bits), 16)
	} else {
		p.b = strconv.AppendFloat(p.b, x, 'g', -1, 64)
	}
	p.b = append(p.b, ')')
}

// classNames are the names of dynamic objects: "comm#3".
var classNames = [spec.NumClasses]string{
	spec.NoClass: "object", spec.Comm: "comm", spec.Group: "group", spec.Type: "type", spec.Op: "op", spec.Win: "win",
	spec.File: "file", spec.Info: "info", spec.Errhandler: "errhandler", spec.Request: "request",
	spec.Message: "message", spec.Session: "session", spec.Keyval: "keyval", spec.TCvar: "t_cvar", spec.TPvar: "t_pvar",
	spec.TPvarSession: "t_pvar_session", spec.TEnum: "t_enum", spec.TEventReg: "t_event_registration",
	spec.TEventInst: "t_event_instance", spec.Fd: "fd", spec.Stream: "stream", spec.Directory: "directory",
	spec.Mapping: "mapping", spec.Queue: "queue",
}

// ClassName is the name of a class in the names of objects: "comm" of "comm#3".
func ClassName(c spec.Class) string {
	if c < spec.NumClasses {
		return classNames[c]
	}
	return classNames[spec.NoClass]
}

// nullNames are the names of the null handles.
var nullNames = sync.OnceValue(func() (names [spec.NumClasses]string) {
	for _, o := range spec.Predefineds {
		if o.Null {
			names[o.Class] = o.Name
		}
	}
	return names
})

func nullName(c spec.Class) string {
	if c < spec.NumClasses {
		if name := nullNames()[c]; name != "" {
			return name
		}
	}
	return "null"
}

func (p *printer) ref(v *Value) {
	k := uint64(v.N-1) / 2
	switch {
	case v.N == 0 && p.exact:
		p.b = append(p.b, "null"...)
	case v.N == 0:
		p.b = append(p.b, nullName(v.Class)...)
	case v.N&1 == 0:
		p.b = append(p.b, ClassName(v.Class)+"#"...)
		p.b = strconv.AppendUint(p.b, k, 10)
	case k < uint64(len(spec.Predefineds)) && !(p.exact && spec.Predefineds[k].Null):
		p.b = append(p.b, spec.Predefineds[k].Name...)
	default:
		p.b = append(p.b, "predefined#"...)
		p.b = strconv.AppendUint(p.b, k, 10)
	}
}

var memNames = map[Mem]string{Heap: "heap", Static: "module", Stack: "stack", RawMem: "raw"}

func (p *printer) addr(f *spec.Func, s *spec.Slot, v *Value) {
	if v.Mem == Literal {
		if p.exact {
			p.b = append(p.b, "literal("...)
			p.b = strconv.AppendInt(p.b, v.N, 10)
			p.b = append(p.b, ')')
			return
		}
		if v.N == 0 && s.Codec == spec.Address && constantName(p.abi, f, s, 0) == "" {
			p.b = append(p.b, "NULL"...)
			return
		}
		p.int(f, s, v.N)
		return
	}
	if v.Mem == RawMem && !p.exact {
		p.b = append(p.b, "raw:0x"...)
		p.b = strconv.AppendUint(p.b, uint64(v.N), 16)
		return
	}
	p.b = append(p.b, memNames[v.Mem]+"#"...)
	p.b = strconv.AppendUint(p.b, uint64(v.Seg), 10)
	if v.N != 0 {
		if v.N > 0 {
			p.b = append(p.b, '+')
		}
		if v.N > 0 && v.Mem != Heap && v.Mem != Stack {
			p.b = append(p.b, "0x"...)
			p.b = strconv.AppendInt(p.b, v.N, 16)
		} else {
			p.b = strconv.AppendInt(p.b, v.N, 10)
		}
	}
}

func (p *printer) status(s *Status) {
	p.b = append(p.b, "{source="...)
	p.b = strconv.AppendInt(p.b, int64(s.Source), 10)
	p.b = append(p.b, " tag="...)
	p.b = strconv.AppendInt(p.b, int64(s.Tag), 10)
	p.b = append(p.b, " bytes="...)
	p.b = strconv.AppendInt(p.b, s.Bytes, 10)
	if s.Error != 0 {
		p.b = append(p.b, " error="...)
		if p.exact {
			p.b = strconv.AppendInt(p.b, int64(s.Error), 10)
		} else {
			p.b = append(p.b, errorName(p.abi, s.Error)...)
		}
	}
	if s.Cancelled {
		p.b = append(p.b, " cancelled"...)
	}
	p.b = append(p.b, '}')
}

func (p *printer) sentinel(n int64) {
	switch {
	case p.exact:
		p.b = append(p.b, "sentinel("+strconv.FormatInt(n, 10)+")"...)
	case n == 1:
		p.b = append(p.b, "MPI_UNWEIGHTED"...)
	case n == 2:
		p.b = append(p.b, "MPI_WEIGHTS_EMPTY"...)
	default:
		p.b = append(p.b, "sentinel#"+strconv.FormatInt(n, 10)...)
	}
}
