package archive

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/spec"
)

// ParseValue reads a value of slot s of f from the beginning of text: the form
// that Call.Format gives or that of the text twin, "?" for a Hole. Plain numbers and
// lists become the kind that the slot's codec asks for. It returns what follows.
func ParseValue(abi spec.ABI, f *spec.Func, s *spec.Slot, text string) (v Value, rest string, err error) {
	p := valueParser{text: text, abi: abi, f: f, s: s}
	v = p.value(4)
	if p.err != nil {
		return Value{}, text, fmt.Errorf("%s of %s: %w at %q", SlotName(f, s), f.Name, p.err, ellipsis(p.text[p.at:]))
	}
	return v, p.text[p.at:], nil
}

func ellipsis(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

type valueParser struct {
	text string
	at   int
	abi  spec.ABI
	f    *spec.Func
	s    *spec.Slot
	err  error
}

func (p *valueParser) fail(msg string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s", msg)
	}
}

// accept skips a prefix if it is next.
func (p *valueParser) accept(prefix string) bool {
	if p.err == nil && strings.HasPrefix(p.text[p.at:], prefix) {
		p.at += len(prefix)
		return true
	}
	return false
}

// while takes bytes as long as ok.
func (p *valueParser) while(ok func(c byte) bool) string {
	start := p.at
	for p.at < len(p.text) && ok(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isNumeral(c byte) bool { return isWord(c) || c == '+' || c == '-' || c == '.' }

// integer takes an integer in Go's notation, with a sign.
func (p *valueParser) integer() int64 {
	start := p.at
	if p.at < len(p.text) && (p.text[p.at] == '-' || p.text[p.at] == '+') {
		p.at++
	}
	p.while(isWord)
	t := strings.TrimPrefix(p.text[start:p.at], "+")
	n, err := strconv.ParseInt(t, 0, 64)
	if err != nil {
		if u, uerr := strconv.ParseUint(t, 0, 64); uerr == nil {
			return int64(u)
		}
		p.at = start
		p.fail("no integer")
	}
	return n
}

func (p *valueParser) value(depth int) (v Value) {
	if depth == 0 {
		p.fail("lists nested too deep")
	}
	if p.err != nil || p.at >= len(p.text) {
		p.fail("a value is missing")
		return v
	}
	switch c := p.text[p.at]; {
	case c == '?':
		p.at++
		return Value{Kind: Hole}
	case c == '"':
		return p.str()
	case c == '[':
		return p.coerceList(p.list("]", depth))
	case c == '(':
		return Value{Kind: List, List: p.list(")", depth)}
	case c == '{':
		return p.status()
	case c >= '0' && c <= '9' || c == '+' || c == '-':
		return p.number()
	case isWord(c):
		return p.word(depth)
	}
	p.fail("no value")
	return v
}

func (p *valueParser) str() Value {
	q, err := strconv.QuotedPrefix(p.text[p.at:])
	if err != nil {
		p.fail("bad string")
		return Value{}
	}
	p.at += len(q)
	s, err := strconv.Unquote(q)
	if err != nil {
		p.fail("bad string")
	}
	return Value{Kind: Str, Str: s}
}

func (p *valueParser) list(end string, depth int) []Value {
	p.at++
	var list []Value
	for p.err == nil && !p.accept(end) {
		if len(list) > 0 && !p.accept(", ") && !p.accept(",") && !p.accept(" ") {
			p.fail("a comma is missing")
		}
		list = append(list, p.value(depth-1))
	}
	return list
}

// coerceList makes Ints of a list of integers.
func (p *valueParser) coerceList(list []Value) Value {
	ints := make([]int64, 0, len(list))
	for _, v := range list {
		if v.Kind != Int && !(v.Kind == Addr && v.Mem == Literal && p.s.Codec == spec.Displacement) {
			return Value{Kind: List, List: list}
		}
		ints = append(ints, v.N)
	}
	switch p.s.Codec {
	case spec.Int, spec.Displacement:
		return Value{Kind: Ints, Ints: ints}
	}
	if len(list) == 0 {
		return Value{Kind: List}
	}
	return Value{Kind: Ints, Ints: ints}
}

// number takes "-" (absent) or a number of the slot's codec.
func (p *valueParser) number() Value {
	if rest := p.text[p.at:]; rest[0] == '-' && (len(rest) == 1 || !isNumeral(rest[1])) {
		p.at++
		return Value{}
	}
	if p.s.Codec == spec.Float {
		return p.float()
	}
	return p.scalar(p.integer())
}

// scalar is an integer as the slot's codec has it.
func (p *valueParser) scalar(n int64) Value {
	switch p.s.Codec {
	case spec.Address, spec.Displacement:
		return Value{Kind: Addr, N: n}
	}
	return Value{Kind: Int, N: n}
}

func (p *valueParser) float() Value {
	start := p.at
	t := p.while(isNumeral)
	if strings.HasPrefix(t, "0x") {
		if bits, err := strconv.ParseUint(t[2:], 16, 64); err == nil {
			return Value{Kind: Float, N: int64(bits)}
		}
	}
	x, err := strconv.ParseFloat(t, 64)
	if err != nil {
		p.at = start
		p.fail("no number")
	}
	return Value{Kind: Float, N: int64(math.Float64bits(x))}
}

func (p *valueParser) status() Value {
	p.at++
	v := Value{Kind: Stat}
	for p.err == nil && !p.accept("}") {
		switch {
		case p.accept(" "):
		case p.accept("source="):
			v.Stat.Source = p.int32()
		case p.accept("tag="):
			v.Stat.Tag = p.int32()
		case p.accept("bytes="):
			v.Stat.Bytes = p.integer()
		case p.accept("error="):
			v.Stat.Error = p.errorCode()
		case p.accept("cancelled"):
			v.Stat.Cancelled = true
		default:
			p.fail("bad status")
		}
	}
	return v
}

func (p *valueParser) int32() int32 {
	n := p.integer()
	if n < math.MinInt32 || n > math.MaxInt32 {
		p.fail("number out of range")
	}
	return int32(n)
}

// errorCode takes a number or the name of an error.
func (p *valueParser) errorCode() int32 {
	if strings.HasPrefix(p.text[p.at:], "MPI_") {
		n, ok := p.abi.Const(p.while(isWord))
		if !ok {
			p.fail("unknown error")
		}
		return int32(n)
	}
	return p.int32()
}

// word takes what begins with a letter: a name, an object, an address.
func (p *valueParser) word(depth int) Value {
	start := p.at
	w := p.while(isWord)
	switch {
	case p.accept("#"):
		return p.numbered(w)
	case p.accept("("):
		return p.wrapped(w)
	case w == "raw" && p.accept(":"):
		return Value{Kind: Addr, Mem: RawMem, N: p.integer()}
	}
	switch w {
	case "ignored":
		if p.s.Codec != spec.Status {
			p.fail("an ignored value that is no status")
		}
		v := p.value(depth - 1)
		v.Ignored = true
		return v
	case "null":
		return Value{Kind: Ref, Class: p.s.Class}
	case "NULL":
		return Value{Kind: Addr}
	case "MPI_UNWEIGHTED":
		return Value{Kind: Sentinel, N: 1}
	case "MPI_WEIGHTS_EMPTY":
		return Value{Kind: Sentinel, N: 2}
	case "NaN", "Inf":
		p.at = start
		return p.float()
	}
	if k, ok := spec.PredefinedByName(w); ok && p.s.Codec == spec.Handle {
		if spec.Predefineds[k].Null && spec.Predefineds[k].Class == p.s.Class {
			return Value{Kind: Ref, Class: p.s.Class}
		}
		return Value{Kind: Ref, Class: p.s.Class, N: PredefinedRef(k)}
	}
	p.at = start
	return p.constants()
}

// constants takes named constants of the ABI, joined by "|".
func (p *valueParser) constants() Value {
	n := int64(0)
	for {
		start := p.at
		c, ok := p.abi.Const(p.while(isWord))
		if !ok {
			p.at = start
			p.fail("unknown name")
			return Value{}
		}
		n |= c
		if !p.accept("|") {
			return p.scalar(n)
		}
	}
}

// numbered takes the number of "comm#1", "heap#3+64", "sentinel#4".
func (p *valueParser) numbered(w string) Value {
	digits := p.while(func(c byte) bool { return c >= '0' && c <= '9' })
	n, err := strconv.ParseUint(digits, 10, 62)
	if err != nil {
		p.fail("a number is missing")
		return Value{}
	}
	for mem, name := range memNames {
		if name != w {
			continue
		}
		v := Value{Kind: Addr, Mem: mem, Seg: uint32(n)}
		if n > math.MaxUint32 {
			p.fail("number out of range")
		}
		if p.at < len(p.text) && (p.text[p.at] == '+' || p.text[p.at] == '-') {
			v.N = p.integer()
		}
		return v
	}
	switch w {
	case "sentinel":
		return Value{Kind: Sentinel, N: int64(n)}
	case "predefined":
		return Value{Kind: Ref, Class: p.s.Class, N: PredefinedRef(int(n))}
	}
	if w != ClassName(p.s.Class) {
		p.fail("unknown kind of object " + w)
	}
	return Value{Kind: Ref, Class: p.s.Class, N: DynamicRef(int64(n))}
}

// wrapped takes "float(1.5)", "literal(5)", "sentinel(1)", "int(5)".
func (p *valueParser) wrapped(w string) (v Value) {
	switch w {
	case "float":
		v = p.float()
	case "literal":
		v = Value{Kind: Addr, N: p.integer()}
	case "sentinel":
		v = Value{Kind: Sentinel, N: p.integer()}
	case "int":
		v = Value{Kind: Int, N: p.integer()}
	default:
		p.fail("unknown value " + w)
	}
	if !p.accept(")") {
		p.fail("a parenthesis is missing")
	}
	return v
}
