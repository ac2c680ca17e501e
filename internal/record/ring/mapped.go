package ring

import (
	"errors"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ErrShortened is about a mapped file that somebody made shorter, or that cannot be read any more.
var ErrShortened = errors.New("a file of the state directory was made shorter")

// mapping is a mapped file. What is beyond its end, if somebody makes it shorter, cannot be accessed: the
// runtime in the program (capture/core/guard.c) and Guarded here put memory there.
type mapping struct {
	mem   []byte
	first []byte      // what stands at the beginning if that is lost, nil: zeros
	lost  atomic.Bool // memory is in the place of some of it
	owned bool        // it is memory of this process, and no file
}

// mappings are all that there are.
var mappings struct {
	sync.Mutex
	list map[*mapping]bool
}

func newMapping(mem []byte) *mapping {
	m := &mapping{mem: mem}
	mappings.Lock()
	defer mappings.Unlock()
	if mappings.list == nil {
		mappings.list = map[*mapping]bool{}
	}
	mappings.list[m] = true
	return m
}

func (m *mapping) close() error {
	if m.owned {
		return nil
	}
	mappings.Lock()
	delete(mappings.list, m)
	mappings.Unlock()
	return unix.Munmap(m.mem)
}

// repair puts memory into the place of what is behind the end of a file, from the page that holds address on.
func repair(address uintptr) bool {
	mappings.Lock()
	defer mappings.Unlock()
	for m := range mappings.list {
		base := uintptr(unsafe.Pointer(&m.mem[0]))
		if address < base || address >= base+uintptr(len(m.mem)) {
			continue
		}
		from := (address - base) &^ uintptr(os.Getpagesize()-1)
		_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(&m.mem[from]), uintptr(len(m.mem))-from,
			unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED)
		if err != nil {
			return false
		}
		if from < uintptr(len(m.first)) {
			copy(m.mem[from:], m.first[from:])
		}
		m.lost.Store(true)
		return true
	}
	return false
}

// Guarded runs f. If f comes upon a part of a mapped file that is gone, the error is ErrShortened: what f was doing was
// broken off, and memory is there from then on.
func Guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			if !Repair(cause) {
				panic(cause)
			}
			err = ErrShortened
		}
	}()
	return f()
}

// Repair tells whether a panic is that of an access to a part of a mapped file that is gone. Memory is there then. The
// goroutine must have called debug.SetPanicOnFault.
func Repair(cause any) bool {
	fault, ok := cause.(interface{ Addr() uintptr })
	return ok && repair(fault.Addr())
}
