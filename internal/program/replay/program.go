package replay

import (
	"encoding/binary"
	"math"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// What internal/program/replay/executor/program.h defines; TestProgramHeader compares them.
const (
	programMagic = 0x31304c5052424154
	ruleBit      = 1 << 31

	headerVersion = 1

	flagGaps       = 1
	flagForced     = 2
	flagUnfinished = 4
	flagOwn        = 8

	callSkip  = 1
	callFloat = 2
	callVoid  = 4
	callFails = 8
	callUntil = 16
	// callOrdered has for each thread the number of events that must be over.
	callOrdered = 32
	callFar     = 64
	callRemote  = 128

	outcomeFree   = 0
	outcomeSource = 1
	outcomeFlag   = 2
	outcomePolls  = 3
	outcomeIndex  = 4
	outcomeSome   = 5

	anyone = math.MinInt64 // RP_ANY
	noCode = math.MinInt64 // RP_NO_CODE

	nextBit = 1 << 32
)

// Fields of the header after the magic number.
const (
	hVersion = iota
	hWords
	hThread
	hThreads
	hABI
	hFlags
	hPatience
	hRank
	hSize
	hCalls
	hScratch
	hFar
	headerFields
)

// Fields of a terminal.
const (
	tName = iota
	tText
	tFlags
	tOutcome
	tOutcomeParam
	tSite
	tParams
	terminalFields
)

// Operations that make arguments.
const (
	opWord = iota
	opHandle
	opHandleIO
	opHandleNew
	opHandles
	opHandlesNew
	opAddress
	opVariable
	opAddressNew
	opIntIO
	opInts
	opAddresses
	opString
	opStrings
	opStrings2
	opRoom
	opStatus
	opStatusIn
	opCallback
	opArgv
)

// Neutral callbacks.
const (
	callbackOp = iota
	callbackOpLarge
	callbackCopy
	callbackNoCopy
	callbackDelete
	callbackErrhandler
	callbackGrequestQuery
	callbackGrequestFree
	callbackGrequestCancel
	callbackGrequestPoll
	callbackGrequestWait
	callbackDatarepExtent
	callbackDatarepConversion
	callbackEvent
	callbackEventDropped
	callbackEventFree
	callbackNone
)

// argument is a parameter of a terminal: an operation and three words.
type argument struct {
	op      uint64
	a, b, c int64
}

// terminal is what all calls of a terminal have in common.
type terminal struct {
	name, text   int // numbers of strings
	flags        uint64
	outcome      uint64
	outcomeParam int
	site         uint32
	args         []argument
}

// tables are the parts of a program before the values.
type tables struct {
	header    [headerFields]uint64
	strings   []string
	stringNo  map[string]int
	arrays    [][]int64
	arrayNo   map[string]int
	terminals []terminal
	grammar   *archive.Grammar
}

func newTables() *tables {
	return &tables{stringNo: map[string]int{}, arrayNo: map[string]int{}}
}

// str is the number of a string.
func (t *tables) str(s string) int {
	n, ok := t.stringNo[s]
	if !ok {
		n = len(t.strings)
		t.strings = append(t.strings, s)
		t.stringNo[s] = n
	}
	return n
}

// array is the number of an array.
func (t *tables) array(a []int64) int64 {
	key := make([]byte, 0, 8*len(a))
	for _, v := range a {
		key = binary.LittleEndian.AppendUint64(key, uint64(v))
	}
	n, ok := t.arrayNo[string(key)]
	if !ok {
		n = len(t.arrays)
		t.arrays = append(t.arrays, append([]int64(nil), a...))
		t.arrayNo[string(key)] = n
	}
	return int64(n)
}

// encode gives the words of everything before the values.
func (t *tables) encode() []uint64 {
	t.header[hVersion], t.header[hWords] = headerVersion, headerFields-hWords-1
	w := append([]uint64{programMagic}, t.header[:]...)
	w = append(w, uint64(len(t.strings)))
	for _, s := range t.strings {
		w = append(w, uint64(len(s)))
		for i := 0; i < len(s); i += 8 {
			var b [8]byte
			copy(b[:], s[i:])
			w = append(w, binary.LittleEndian.Uint64(b[:]))
		}
	}
	w = append(w, uint64(len(t.arrays)))
	for _, a := range t.arrays {
		w = append(w, uint64(len(a)))
		for _, v := range a {
			w = append(w, uint64(v))
		}
	}
	w = append(w, uint64(len(t.terminals)))
	for i := range t.terminals {
		x := &t.terminals[i]
		w = append(w, uint64(x.name), uint64(x.text), x.flags, x.outcome, uint64(x.outcomeParam), uint64(x.site),
			uint64(len(x.args)))
		for _, a := range x.args {
			w = append(w, a.op, uint64(a.a), uint64(a.b), uint64(a.c))
		}
	}
	w = append(w, uint64(len(t.grammar.Rules)))
	for _, body := range t.grammar.Rules {
		w = append(w, uint64(len(body)))
		for _, s := range body {
			w = append(w, uint64(s.ID), s.Count)
		}
	}
	return w
}
