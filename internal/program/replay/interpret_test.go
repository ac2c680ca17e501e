package replay

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// made is a call that a program makes, in a form to be compared.
type made struct {
	call    string
	outcome string
	gap     int64
	flags   uint64
	after   []int64 // events of the threads that must be over
}

// interpreter does in Go what the executor does, but for the calls.
type interpreter struct {
	words   []uint64
	strings []string
	arrays  [][]uint64
	header  []uint64
	err     error
}

func (x *interpreter) next() uint64 {
	if len(x.words) == 0 {
		x.err = fmt.Errorf("the program is too short")
		return 0
	}
	w := x.words[0]
	x.words = x.words[1:]
	return w
}

func (x *interpreter) take(n uint64) []uint64 {
	if n > uint64(len(x.words)) {
		x.err = fmt.Errorf("%d words of %d", n, len(x.words))
		return make([]uint64, n&0xffff)
	}
	w := x.words[:n]
	x.words = x.words[n:]
	return w
}

// run interprets a program; each call is handed to f.
func (x *interpreter) run(f func(made)) error {
	if x.next() != programMagic {
		return fmt.Errorf("no program")
	}
	x.header = x.take(headerFields)
	for range x.next() {
		n := x.next()
		var b []byte
		for _, w := range x.take((n + 7) / 8) {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		x.strings = append(x.strings, string(b[:n]))
	}
	for range x.next() {
		x.arrays = append(x.arrays, x.take(x.next()))
	}
	type term struct {
		head []uint64
		args [][]uint64
	}
	var terminals []term
	for range x.next() {
		t := term{head: x.take(terminalFields)}
		for range t.head[tParams] {
			t.args = append(t.args, x.take(4))
		}
		terminals = append(terminals, t)
	}
	g := &grammar.Grammar{}
	for range x.next() {
		var body []grammar.Symbol
		for range x.next() {
			s := x.take(2)
			body = append(body, grammar.Symbol{ID: uint32(s[0]), Count: s[1]})
		}
		g.Rules = append(g.Rules, body)
	}
	if x.err != nil {
		return x.err
	}
	for c := g.NewCursor(); ; {
		id, ok := c.Next()
		if !ok || x.err != nil {
			break
		}
		t := &terminals[id]
		m := made{flags: t.head[tFlags]}
		if x.header[hFlags]&flagGaps != 0 {
			m.gap = int64(x.next())
		}
		if m.flags&callOrdered != 0 {
			m.after = signed(x.take(x.header[hThreads]))
		}
		var args []string
		for _, a := range t.args {
			args = append(args, x.argument(a))
		}
		m.call = x.strings[t.head[tName]] + "(" + strings.Join(args, ", ") + ")"
		times := uint64(1)
		switch t.head[tOutcome] {
		case outcomeSource:
			m.outcome = fmt.Sprint(int64(x.next()), int64(x.next()))
		case outcomeFlag:
			m.outcome = fmt.Sprint("flag ", x.next())
			if strings.HasSuffix(x.strings[t.head[tName]], "probe") {
				m.outcome += fmt.Sprint(" ", int64(x.next()), int64(x.next()))
			}
		case outcomePolls:
			times, m.outcome = x.next(), "no"
		case outcomeIndex:
			if strings.Contains(x.strings[t.head[tName]], "Test") {
				m.outcome = fmt.Sprint("flag ", x.next(), " ")
			}
			m.outcome += fmt.Sprint(int64(x.next()))
		case outcomeSome:
			n := int64(x.next())
			m.outcome = fmt.Sprint(n, signed(x.take(uint64(max(n, 0)))))
		}
		for range max(times, 1) {
			f(m)
		}
	}
	if x.err == nil && len(x.words) > 0 {
		return fmt.Errorf("%d words too many", len(x.words))
	}
	return x.err
}

func signed(w []uint64) []int64 {
	out := make([]int64, len(w))
	for i := range w {
		out[i] = int64(w[i])
	}
	return out
}

func (x *interpreter) argument(p []uint64) string {
	op, next := p[0]&^nextBit, p[0]&nextBit != 0
	value := func(at int) int64 {
		if next {
			return int64(x.next())
		}
		return int64(p[at])
	}
	list := func(each uint64) []int64 {
		if next {
			return signed(x.take(x.next() * each))
		}
		return signed(x.arrays[p[2]])
	}
	three := func() []int64 {
		if next {
			return signed(x.take(3))
		}
		return signed(p[1:4])
	}
	texts := func(at []int64) []string {
		var out []string
		for _, n := range at {
			out = append(out, x.strings[n])
		}
		return out
	}
	switch op {
	case opWord:
		return fmt.Sprint(value(1))
	case opHandle, opHandleIO, opHandleNew:
		return fmt.Sprintf("%s%d:%d", map[uint64]string{opHandle: "", opHandleIO: "&", opHandleNew: "new "}[op], p[1],
			value(2))
	case opHandles, opHandlesNew:
		return fmt.Sprintf("%s%d:%v", map[uint64]string{opHandles: "", opHandlesNew: "new "}[op], p[1], list(1))
	case opAddress, opAddressNew:
		a := three()
		if a[0] == 0 && op == opAddress {
			return fmt.Sprint(a[2])
		}
		return fmt.Sprintf("%s%d#%d+%d", map[uint64]string{opAddress: "", opAddressNew: "new "}[op], a[0], a[1], a[2])
	case opIntIO:
		return fmt.Sprintf("&%d", value(2))
	case opInts:
		return fmt.Sprint(list(1))
	case opAddresses:
		var parts []string
		l := list(3)
		for i := 0; i+2 < len(l); i += 3 {
			if l[i] == 0 {
				parts = append(parts, fmt.Sprint(l[i+2]))
			} else {
				parts = append(parts, fmt.Sprintf("%d#%d+%d", l[i], l[i+1], l[i+2]))
			}
		}
		return "[" + strings.Join(parts, " ") + "]"
	case opString:
		return fmt.Sprintf("%q", x.strings[value(1)])
	case opStrings, opArgv:
		return fmt.Sprintf("%q", texts(list(1)))
	case opRoom:
		if value(1) < 1 && next == false {
			return "no room"
		}
		return "room"
	case opStatus:
		return fmt.Sprintf("status %d", value(1))
	case opStatusIn:
		if next {
			return fmt.Sprint(signed(x.take(4)))
		}
		return fmt.Sprint(list(1))
	case opCallback:
		return "callback"
	}
	return fmt.Sprintf("op %d", op)
}
