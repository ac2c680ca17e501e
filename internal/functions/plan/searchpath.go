package plan

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// maxSettings bounds the files of the dynamic linker itself: its cache, for instance.
const maxSettings = 64 << 20

// settings is the text of a file of the dynamic linker, nil if there is none.
func settings(path string) []byte {
	f, err := safefile.OpenInput(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, maxSettings)) // what can be read of it will do
	return b
}

// linkerCache reads the cache of the C library from GNU (dl-cache.h there): paths of libraries by their names, the best
// for this processor first. levels are the subdirectories for processors that this one can use.
func linkerCache(b []byte, levels []string) map[string][]string {
	const header, entry = 48, 24
	start := bytes.Index(b, []byte("glibc-ld.so.cache1.1")) // an older form may precede it
	if start < 0 || len(b)-start < header {
		return nil
	}
	b = b[start:]
	word := binary.NativeEndian.Uint32
	text := func(at uint32) string {
		if int64(at) >= int64(len(b)) {
			return ""
		}
		s, _, _ := bytes.Cut(b[at:min(len(b), int(at)+maxFileName)], []byte{0})
		return string(s)
	}
	ranks := map[string]int{} // of paths
	paths := map[string][]string{}
	for i, n := 0, int(word(b[20:])); i < n && header+(i+1)*entry <= len(b); i++ {
		e := b[header+i*entry:]
		name, path := text(word(e[4:])), text(word(e[8:]))
		if rank := rankOf(path, binary.NativeEndian.Uint64(e[16:]), levels); rank >= 0 && filepath.IsAbs(path) {
			ranks[path] = rank
			paths[name] = append(paths[name], path)
		}
	}
	for _, p := range paths {
		slices.SortStableFunc(p, func(a, b string) int { return ranks[a] - ranks[b] })
	}
	return paths
}

// rankOf orders libraries of one name in the cache, -1 for those that this processor cannot use. What older C libraries
// keep for some processors comes last: which one is meant is a matter of bits that have changed.
func rankOf(path string, hwcap uint64, levels []string) int {
	dir := filepath.Dir(path)
	switch {
	case filepath.Base(filepath.Dir(dir)) == levelsDir:
		return slices.Index(levels, filepath.Base(dir))
	case hwcap != 0:
		return len(levels) + 1
	}
	return len(levels)
}

// levelsDir is what directories of libraries for some processors are in.
const levelsDir = "glibc-hwcaps"

// levelsOf are the directories for processors of this kind, the best first.
func levelsOf(m elf.Machine) (levels []string) {
	x := &cpu.X86
	if m != elf.EM_X86_64 || runtime.GOARCH != "amd64" || !x.HasSSE42 || !x.HasPOPCNT {
		return nil
	}
	levels = []string{"x86-64-v2"}
	if x.HasAVX2 && x.HasBMI1 && x.HasBMI2 && x.HasFMA {
		levels = []string{"x86-64-v3", "x86-64-v2"}
		if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512CD && x.HasAVX512DQ && x.HasAVX512VL {
			levels = slices.Insert(levels, 0, "x86-64-v4")
		}
	}
	return levels
}

// platforms are the names of processors in search paths.
var platforms = map[elf.Machine]string{elf.EM_X86_64: "x86_64", elf.EM_AARCH64: "aarch64", elf.EM_386: "i686"}

// libDir finds what the linker puts for $LIB in the path to itself: lib64 or lib/x86_64-linux-gnu, for example.
var libDir = regexp.MustCompile(`/(lib[^/]*(/[^/]*-linux-[^/]*)?)/[^/]*$`)

// defaultDirs are where a linker looks in the end, and what $LIB is. beside is where one that is not the system's looks
// before.
func defaultDirs(linker string) (beside, dirs []string, lib string) {
	real, err := filepath.EvalSymlinks(linker)
	if err != nil {
		real = linker
	}
	if m := libDir.FindStringSubmatch(real); m != nil {
		lib = m[1]
		dirs = append(dirs, "/"+lib, "/usr/"+lib)
	}
	dirs = append(dirs, "/lib64", "/usr/lib64", "/lib", "/usr/lib")
	if own := filepath.Dir(real); !slices.Contains(dirs, own) {
		beside = append(beside, own)
	}
	return beside, dirs, lib
}

// muslDirs are where the linker of the C library musl looks in the end.
func muslDirs(linker string) []string {
	arch := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(linker), muslPrefix), ".so.1")
	b := settings(filepath.Join(filepath.Dir(filepath.Dir(linker)), "etc", muslPrefix+arch+".path"))
	if dirs := strings.FieldsFunc(string(b), func(c rune) bool { return c == '\n' || c == ':' }); len(dirs) > 0 {
		return dirs
	}
	return []string{"/lib", "/usr/local/lib", "/usr/lib"}
}

// muslPrefix is how the name of musl's linker begins; muslOwn are libraries that are the linker itself there.
const muslPrefix = "ld-musl-"

var muslOwn = regexp.MustCompile(`^lib(c|pthread|rt|m|dl|util|xnet)\.`)

// preloads are the libraries that are loaded before all others.
func preloads(env []string, musl bool) []string {
	names := strings.FieldsFunc(variable(env, "LD_PRELOAD"), func(c rune) bool { return c == ':' || c == ' ' })
	if musl {
		return names
	}
	for line := range strings.Lines(string(settings("/etc/ld.so.preload"))) {
		line, _, _ = strings.Cut(line, "#")
		between := func(c rune) bool { return strings.ContainsRune(": \t\n", c) }
		names = append(names, strings.FieldsFunc(line, between)...)
	}
	return names
}

// variable is a variable of an environment. The last one of a name counts.
func variable(env []string, name string) (value string) {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			value = v
		}
	}
	return value
}

// absolute makes a path absolute without changing what it leads to: a link before ".." must stay there.
func absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	return wd + "/" + path
}

// tidy is a short form of a path to the same file.
func tidy(path string, st os.FileInfo) string {
	clean := filepath.Clean(path)
	if same, err := os.Stat(clean); err == nil && os.SameFile(st, same) {
		return clean
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
