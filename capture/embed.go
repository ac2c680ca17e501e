// Package capture holds the C runtime that is preloaded into traced programs.
//
// The C files of this folder and the generated wrappers in gen/ become one
// shared library (build.sh), which this package embeds. See runtime.h for how
// wrappers use the runtime, ring.h for what the collector reads.
package capture

import (
	"bytes"
	"debug/elf"
	_ "embed" // for the runtime
	"fmt"
)

// The C files carry "go:build ignore" because the go command refuses C files
// in a package that does not use cgo.
//
//go:embed libtabard.so
var runtime []byte

// Runtime returns the shared library to preload. The caller must not change it.
func Runtime() []byte { return runtime }

// Version identifies the sources that the runtime was built from: the symbol
// tb_version, 16 hexadecimal digits. An error means that the embedded file is no such library: a build gone wrong.
func Version() (string, error) {
	return versionOf(runtime)
}

func versionOf(lib []byte) (string, error) {
	f, err := elf.NewFile(bytes.NewReader(lib))
	if err != nil {
		return "", fmt.Errorf("capture: embedded runtime: %w", err)
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return "", fmt.Errorf("capture: embedded runtime: %w", err)
	}
	for _, s := range symbols {
		if s.Name != "tb_version" || int(s.Section) >= len(f.Sections) {
			continue
		}
		section := f.Sections[s.Section]
		data, err := section.Data()
		if err != nil {
			return "", fmt.Errorf("capture: embedded runtime: %w", err)
		}
		start := s.Value - section.Addr
		if s.Value < section.Addr || start+s.Size > uint64(len(data)) {
			return "", fmt.Errorf("capture: embedded runtime: tb_version lies outside its section")
		}
		return string(bytes.TrimRight(data[start:start+s.Size], "\x00")), nil
	}
	return "", fmt.Errorf("capture: embedded runtime lacks tb_version")
}
