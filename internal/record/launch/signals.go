package launch

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"syscall"
)

// ignoreInherited ignores again what the process was started to ignore. The
// Go runtime puts its own handlers in the place of all inherited SIG_IGN but those of
// SIGHUP and SIGINT, and exec makes the default action of a handler: a
// signal that the job was told to ignore would end the program.
func ignoreInherited() {
	for _, s := range inheritedIgnored() {
		signal.Ignore(s)
	}
}

// inheritedIgnored lists the signals whose action was SIG_IGN when the process
// began. The Go runtime remembers (runtime.fwdSig) but does not tell; the symbol
// table says where. In a stripped executable the list is empty.
func inheritedIgnored() []syscall.Signal {
	const ignored = 1 // SIG_IGN
	words := make([]uint64, 65)
	address, bytes := runtimeVariable("runtime.fwdSig")
	if bytes != uint64(8*len(words)) {
		return nil
	}
	memory, err := os.Open("/proc/self/mem")
	if err != nil {
		return nil
	}
	defer memory.Close()
	raw := make([]byte, bytes)
	if _, err := memory.ReadAt(raw, int64(address)); err != nil {
		return nil
	}
	var list []syscall.Signal
	for s := range words {
		if binary.NativeEndian.Uint64(raw[8*s:]) == ignored {
			list = append(list, syscall.Signal(s))
		}
	}
	return list
}

// runtimeVariable finds a variable of this program in memory by its name; size 0 if it is unknown.
func runtimeVariable(name string) (address, size uint64) {
	exe, err := elf.Open("/proc/self/exe")
	if err != nil || exe.Class != elf.ELFCLASS64 {
		return 0, 0
	}
	defer exe.Close()
	here := runtime.FuncForPC(reflect.ValueOf(runtimeVariable).Pointer())
	v, ok := symbol(exe, name)
	f, known := symbol(exe, here.Name())
	if !ok || !known {
		return 0, 0
	}
	return v.Value + uint64(here.Entry()) - f.Value, v.Size
}

// symbol looks one symbol up without decoding the whole table.
func symbol(exe *elf.File, name string) (elf.Sym64, bool) {
	table, names := exe.Section(".symtab"), exe.Section(".strtab")
	if table == nil || names == nil {
		return elf.Sym64{}, false
	}
	text, err := names.Data()
	at := bytes.Index(text, []byte("\x00"+name+"\x00")) + 1
	if err != nil || at == 0 {
		return elf.Sym64{}, false
	}
	entries, err := table.Data()
	for ; err == nil && len(entries) >= elf.Sym64Size; entries = entries[elf.Sym64Size:] {
		var s elf.Sym64
		if exe.ByteOrder.Uint32(entries) != uint32(at) {
			continue
		}
		if _, err := binary.Decode(entries[:elf.Sym64Size], exe.ByteOrder, &s); err == nil {
			return s, true
		}
	}
	return elf.Sym64{}, false
}
