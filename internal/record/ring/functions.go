package ring

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/tabard-hpc/tabard/spec"
)

// Sizes of struct tbf_state in capture/functions/state.h.
const (
	functionsMagic = 0x31464452414241ff
	maxFrames      = 1 << 18
	maxItems       = 1 << 16
	maxNodes       = 1 << 16
	maxStored      = 1 << 18
	maxFunctions   = 1 << 20

	framesAt = 4096
	itemsAt  = framesAt + 24*maxFrames
	nodesAt  = itemsAt + 8*maxItems
	storesAt = nodesAt + 16*maxNodes
	wordsAt  = storesAt + 8*maxStored
	countsAt = wordsAt + 8*maxFunctions

	nodeBit     = 1 << 31
	countedBit  = 1 << 63
	functionGap = 0x7ffffffe // functions from here on are none
)

// FunctionsName is the name of the file in which a thread keeps what its stream does not have yet of its function
// calls.
func FunctionsName(id ProcessID, thread int) string { return fmt.Sprintf("f.%s.%d", id, thread) }

// HeldFunctions reads such a file of a process that does nothing any more, and gives the records that it would have
// written next, with a time.
func HeldFunctions(f io.ReaderAt, time uint64) ([]Record, error) {
	h := &heldReader{f: f, time: time}
	head := h.words(0, framesAt/8)
	if h.err != nil || head[0] != functionsMagic {
		return nil, h.err
	}
	half := func(i int) uint32 { return uint32(head[1+i/2] >> (32 * uint(i%2))) }
	h.thread = half(0)
	depth, opened, top := half(1), half(2), half(3)
	h.nodes, h.stored, h.defined = half(4), half(5), half(6)
	h.base = head[5]
	if depth > maxFrames || opened > depth || top > maxItems || h.nodes > maxNodes || h.stored > maxStored {
		return nil, fmt.Errorf("the state of function calls makes no sense")
	}
	items := h.words(itemsAt, int(top))
	frames := h.words(framesAt, 3*int(depth))
	if h.err != nil {
		return nil, h.err
	}
	at := 0
	for d := opened; d < depth; d++ {
		frame := frames[3*d:]
		for first := int(frame[1] >> 32); at < first && at < len(items); at++ {
			h.item(items[at])
		}
		if fn := uint32(frame[1]); fn < functionGap {
			h.event(functionOpen, h.word(fn))
		}
	}
	for ; at < len(items); at++ {
		h.item(items[at])
	}
	if half(7) != 0 {
		h.counted()
	}
	if lost := head[6]; lost > 0 {
		h.record(RLost, 0, lost)
	}
	return h.out, h.err
}

// Events of functions, see spec/functions.
var (
	functionOpen    = functionID("function_open")
	functionCalls   = functionID("function_calls")
	functionInside  = functionID("function_inside")
	functionCounted = functionID("function_counted")
)

func functionID(name string) spec.ID { return spec.ByName(name).ID }

type heldReader struct {
	f                      io.ReaderAt
	err                    error
	time, base             uint64
	thread                 uint32
	nodes, stored, defined uint32
	out                    []Record
}

func (h *heldReader) words(at int64, n int) []uint64 {
	b := make([]byte, 8*n)
	if _, err := h.f.ReadAt(b, at); err != nil && h.err == nil {
		h.err = err
	}
	w := make([]uint64, n)
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return w
}

func (h *heldReader) record(id spec.ID, site uint64, payload ...uint64) {
	rec := append(Record{uint64(id) | uint64(HeadWords+len(payload))<<32, h.time, h.time, site, 0}, payload...)
	h.out = append(h.out, rec)
}

func (h *heldReader) event(id spec.ID, site uint64, payload ...uint64) {
	h.record(id, site, payload...)
}

// word is that of a function or tree by its number in the thread.
func (h *heldReader) word(number uint32) uint64 {
	if number&nodeBit == 0 {
		return h.words(wordsAt+8*int64(number%maxFunctions), 1)[0]
	}
	return Address{Class: WTree, ID: h.thread, Off: int64(h.base + uint64(number%maxNodes))}.Word()
}

func (h *heldReader) node(i uint32) (function uint32, items []uint64) {
	w := h.words(nodesAt+16*int64(i), 2)
	first, n := uint32(w[1]), uint32(w[1]>>32)
	if first > maxStored || n > maxStored-first {
		return functionGap + 1, nil
	}
	return uint32(w[0] >> 32), h.words(storesAt+8*int64(first), int(n))
}

func (h *heldReader) item(item uint64) {
	number, id := uint32(item), functionCalls
	if number&nodeBit != 0 {
		i := number % maxNodes
		if i >= h.nodes {
			return // it was being made
		}
		for ; h.defined <= i; h.defined++ {
			h.define(h.defined)
		}
		if fn, _ := h.node(i); fn == functionGap {
			id = functionInside
		}
	}
	h.event(id, h.word(number), item>>32)
}

func (h *heldReader) define(i uint32) {
	fn, items := h.node(i)
	payload := []uint64{h.word(nodeBit | i), 0}
	if fn < functionGap {
		payload[1] = h.word(fn)
	}
	for _, item := range items {
		payload = append(payload, h.word(uint32(item)), item>>32)
	}
	h.record(RTree, 0, payload...)
}

// counted gives what is known of functions that are only counted.
func (h *heldReader) counted() {
	for fn, n := range h.words(countsAt, maxFunctions) {
		if n&countedBit != 0 {
			h.event(functionCounted, h.word(uint32(fn)), n&^countedBit)
		}
	}
}
