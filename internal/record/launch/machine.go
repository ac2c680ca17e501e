package launch

import (
	"bytes"
	"debug/elf"
	"fmt"
	"runtime"
)

// machines are those that the C parts of tabard are written for, by GOARCH.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// Machine is the machine that programs must be for to be recorded here; elf.EM_NONE where tabard
// only reads recordings.
func Machine() elf.Machine { return machines[runtime.GOARCH] }

// CheckObject says why a C part of tabard, an ELF file that what names, cannot run here: there is
// none for this kind of machine, or tabard was built with that of another one. It is nil if it can
// run.
func CheckObject(what string, object []byte) error {
	return checkObject(runtime.GOARCH, what, object)
}

func checkObject(goarch, what string, object []byte) error {
	want, ok := machines[goarch]
	if !ok {
		return fmt.Errorf(
			"there is no %s for %s, only for amd64 and arm64: recordings can be read here, not made or replayed",
			what,
			goarch,
		)
	}
	if len(object) == 0 {
		return fmt.Errorf("this tabard was built without its %s (build it with make)", what)
	}
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return fmt.Errorf("this tabard was built with a broken %s (make clean, then make): %w", what, err)
	}
	if f.Class != elf.ELFCLASS64 || f.Machine != want {
		return fmt.Errorf(
			"this tabard is for %s, but its %s is for %v (make clean, then make)",
			goarch,
			what,
			f.Machine,
		)
	}
	return nil
}
