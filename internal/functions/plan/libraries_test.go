package plan

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// link compiles C and returns the path of what was made.
func link(t *testing.T, dir, name, code string, flags ...string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "source.c")
	if err := os.WriteFile(source, []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	compile(t, "gcc", append([]string{"-w", "-o", path, source, "-Wl,--no-as-needed"}, flags...)...)
	return path
}

const (
	mainOnly    = "int main(void) { return 0; }"
	noFunctions = "int nothing;"
)

// interpreterIn is the dynamic linker that a program names.
func interpreterIn(t *testing.T, path string) string {
	t.Helper()
	f, err := safefile.OpenELF(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return linkerOf(f.File)
}

// listed is what the system's own linker says of a program that does no harm. The linker itself comes last.
func listed(t *testing.T, path string, env []string) (libraries []string) {
	t.Helper()
	linker := interpreterIn(t, path)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(linker, "--list", real)
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s --list %s: %v", linker, path, err)
	}
	for line := range strings.Lines(string(out)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " (0x")
		if _, at, ok := strings.Cut(line, " => "); ok {
			line = at
		}
		if strings.Contains(line, "/") && line != linker {
			libraries = append(libraries, realPath(t, line))
		}
	}
	return append(libraries, realPath(t, linker))
}

func realPath(t *testing.T, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// asLinker checks that Libraries says what the linker does, in its order.
func asLinker(t *testing.T, path string, env []string) {
	t.Helper()
	got, err := Libraries(path, env)
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	for i := range got {
		if got[i] != filepath.Clean(got[i]) || !filepath.IsAbs(got[i]) {
			t.Errorf("%s: %s is no clean path", path, got[i])
		}
		got[i] = realPath(t, got[i])
	}
	linker := realPath(t, interpreterIn(t, path))
	if n := len(got); n == 0 || !slices.Contains(got, linker) {
		t.Errorf("%s: its linker is not among %q", path, got)
	}
	got = append(slices.DeleteFunc(got, func(p string) bool { return p == linker }), linker)
	if want := listed(t, path, env); !slices.Equal(got, want) {
		t.Errorf("%s: %q instead of %q", path, got, want)
	}
}

// What looks at a program runs nothing of it: neither the linker that it names, nor what it has that linker load.
func TestLibrariesRunNothing(t *testing.T) {
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	script := filepath.Join(dir, "linker.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n: >"+ran+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	writes := fmt.Sprintf("#include <fcntl.h>\nstatic void ran(void) { close(creat(%q, 0600)); }\n", ran)
	static := link(t, dir, "linker", writes+"int main(void) { ran(); return 0; }", "-static")
	audit := link(t, dir, "audit.so", writes+"unsigned la_version(unsigned v) { ran(); return v; }", "-shared", "-fPIC")
	starts := link(t, dir, "starts.so", writes+"__attribute__((constructor)) void c(void) { ran(); }", "-shared", "-fPIC")
	for _, flags := range [][]string{
		{"-Wl,--dynamic-linker=" + script}, {"-Wl,--dynamic-linker=" + static}, {"-Wl,--audit=" + audit},
		{"-Wl,--depaudit=" + audit}, {starts}, {"-Wl,--dynamic-linker=" + static, starts},
	} {
		path := link(t, dir, "program", mainOnly, flags...)
		libraries, err := Libraries(path, os.Environ())
		t.Log(libraries, err)
		if !slices.ContainsFunc(libraries, func(l string) bool { return strings.HasPrefix(filepath.Base(l), "libc.so") }) {
			t.Errorf("%q: %q, %v", flags, libraries, err)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Errorf("%q: something of the program ran", flags)
			os.Remove(ran)
		}
	}
}

// The libraries of programs that are there are those that the linker lists.
func TestLibrariesOfSystem(t *testing.T) {
	for _, name := range []string{"ls", "bash", "gcc", "git", "python3", "gdb", "mpirun.openmpi", "mpirun.mpich", "lmp",
		"hpcc", "perl", "openssl"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Logf("%s is not here", name)
			continue
		}
		f, err := safefile.OpenELF(path)
		if err != nil {
			continue // a script
		}
		f.Close()
		asLinker(t, path, os.Environ())
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if f, err := safefile.OpenELF(self); err == nil {
		if linkerOf(f.File) == "" {
			t.Logf("%s is linked statically", self)
		} else {
			asLinker(t, self, os.Environ())
		}
		f.Close()
	}
}

// Libraries are found in the order of directories that ld.so(8) says.
func TestLibrariesInOrder(t *testing.T) {
	dir := t.TempDir()
	so := func(name string, flags ...string) string {
		return link(t, dir, name, noFunctions, append([]string{"-shared", "-fPIC", "-Wl,-soname," + filepath.Base(name)},
			flags...)...)
	}
	env := func(more ...string) []string { return append(os.Environ(), more...) }
	deep := so("deep/libdeep.so")
	so("other/libdeep.so")
	mid := so("lib/libmid.so", deep)                                                   // found by RPATH of its loader
	run := so("lib/librun.so", deep, "-Wl,--enable-new-dtags,-rpath,$ORIGIN/../other") // by its own RUNPATH
	so("other/libmid.so")
	so("lib/glibc-hwcaps/x86-64-v2/libmid.so", deep)
	so("lib/glibc-hwcaps/x86-64-v9/libmid.so")
	origin, old := "-rpath,$ORIGIN/../lib", "-Wl,--disable-new-dtags,"
	search := func(name string, flags ...string) string {
		return link(t, dir, name, mainOnly, append(flags, "-Wl,--allow-shlib-undefined",
			"-Wl,--unresolved-symbols=ignore-all")...)
	}
	runpath := search("bin/runpath", mid, deep, "-Wl,--enable-new-dtags,"+origin+":$ORIGIN/../deep")
	rpath := search("bin/rpath", mid, old+origin+":${ORIGIN}/../deep")
	both := search("bin/both", run, old+origin+":$ORIGIN/../deep")
	if err := os.Symlink("bin/rpath", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("deep", filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other")
	for _, path := range []string{runpath, rpath, both, filepath.Join(dir, "link")} {
		asLinker(t, path, env())
		asLinker(t, path, env("LD_LIBRARY_PATH="+other))
		asLinker(t, path, env("LD_LIBRARY_PATH="+other+";/nosuch::$ORIGIN/../deep"))
		asLinker(t, path, env("LD_PRELOAD="+deep+":libm.so.6 /nosuch.so"))
		asLinker(t, path, env("LD_PRELOAD="+other+"/libdeep.so", "LD_LIBRARY_PATH="))
	}
	t.Chdir(dir)
	relative := search("bin/relative", mid, deep, "-Wl,-rpath,lib:elsewhere/../deep:$LIB:$PLATFORM:")
	asLinker(t, relative, env())
	asLinker(t, "bin/relative", env("LD_LIBRARY_PATH=other"))
	bare := link(t, dir, "lib/libbare.so", noFunctions, "-shared", "-fPIC") // without a soname: needed by its path
	asLinker(t, search("bin/bare", bare, "lib/libbare.so"), env())
	again := filepath.Join(dir, "lib/libagain.so") // one file of two names
	if err := os.Link(bare, again); err != nil {
		t.Fatal(err)
	}
	asLinker(t, search("bin/again", bare, again), env())
}

// What is missing is named, and the rest is found.
func TestLibrariesMissing(t *testing.T) {
	dir := t.TempDir()
	gone := link(t, dir, "libg\x1bone.so", noFunctions, "-shared", "-fPIC")
	path := link(t, dir, "program", mainOnly, gone, "-lm")
	want := []string{"libm.so.6", "libc.so.6"}
	check := func(what string) {
		t.Helper()
		libraries, err := Libraries(path, nil)
		if err == nil || !strings.Contains(err.Error(), `libg\x1bone.so"`) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v", what, err)
		}
		for i, name := range want {
			if len(libraries) != len(want)+1 || filepath.Base(libraries[i]) != name {
				t.Errorf("%s: %q", what, libraries)
				break
			}
		}
	}
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	check("nothing")
	if err := syscall.Mkfifo(gone, 0o666); err != nil {
		t.Fatal(err)
	}
	check("a pipe")
	for _, to := range []string{"/dev/zero", "/dev/tty", dir, gone, "/etc/passwd"} {
		os.Remove(gone)
		if err := os.Symlink(to, gone); err != nil {
			t.Fatal(err)
		}
		check(to)
	}
	os.Remove(gone)
	link(t, dir, "32.o", noFunctions, "-c", "-m32")
	if err := os.Rename(filepath.Join(dir, "32.o"), gone); err != nil {
		t.Fatal(err)
	}
	check("another class")
	path = link(t, dir, "linkerless", mainOnly, "-Wl,--dynamic-linker=/nosuch/ld.so")
	if libraries, err := Libraries(path, nil); len(libraries) == 0 || err == nil ||
		!strings.Contains(err.Error(), `"/nosuch/ld.so"`) {
		t.Error(libraries, err)
	}
	static := link(t, dir, "static", mainOnly, "-static")
	if _, err := Libraries(static, nil); err == nil || !strings.Contains(err.Error(), "names no dynamic linker") {
		t.Error(err)
	}
}

// crafted is an ELF file without sections that needs libraries.
func crafted(t *testing.T, path string, texts string, needed []uint64, more ...dynamicEntry) {
	t.Helper()
	interp := "/lib64/ld-linux-x86-64.so.2\x00"
	const header = 64 + 3*56
	var entries []dynamicEntry
	for _, at := range needed {
		entries = append(entries, dynamicEntry{elf.DT_NEEDED, at})
	}
	size := uint64(len(entries)+len(more)+2) * 16
	entries = append(append(entries, more...), dynamicEntry{elf.DT_STRTAB, header + size + uint64(len(interp))},
		dynamicEntry{})
	total := header + size + uint64(len(interp)+len(texts))
	var b bytes.Buffer
	write := func(v any) {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Ehsize: 64,
		Phentsize: 56, Phnum: 3}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	write(h)
	write(elf.Prog64{Type: uint32(elf.PT_LOAD), Filesz: total, Memsz: total})
	write(elf.Prog64{Type: uint32(elf.PT_DYNAMIC), Off: header, Vaddr: header, Filesz: size, Memsz: size})
	write(elf.Prog64{Type: uint32(elf.PT_INTERP), Off: header + size, Filesz: uint64(len(interp))})
	for _, e := range entries {
		write([]uint64{uint64(e.tag), e.value})
	}
	b.WriteString(interp + texts)
	if err := os.WriteFile(path, b.Bytes(), 0o777); err != nil {
		t.Fatal(err)
	}
}

// Files that want to keep whoever looks at them busy end soon, with an error and in little memory.
func TestLibrariesHostile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "program")
	many := func(n int, at func(int) uint64) (needed []uint64) {
		for i := range n {
			needed = append(needed, at(i))
		}
		return needed
	}
	ends := func(what string, wants string) []string {
		t.Helper()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		libraries, err := Libraries(path, nil)
		runtime.ReadMemStats(&after)
		used := (after.TotalAlloc - before.TotalAlloc) >> 20
		t.Logf("%s: %v, %d MiB: %d libraries, %.200v", what, time.Since(start), used, len(libraries), err)
		if time.Since(start) > 2*searchTime || used > 2<<10 {
			t.Errorf("%s: it took %v and %d MiB", what, time.Since(start), used)
		}
		if err == nil || !strings.Contains(err.Error(), wants) || len(err.Error()) > 1000 {
			t.Errorf("%s: %v", what, err)
		}
		return libraries
	}
	crafted(t, path, strings.Repeat("x", 60000)+"\x00", many(60000, func(i int) uint64 { return uint64(i) }))
	ends("too many names", "more libraries than")
	crafted(t, path, strings.Repeat("x", 4000)+"\x00"+strings.Repeat("/d:", 80000)+"\x00",
		many(4000, func(i int) uint64 { return uint64(i) }), dynamicEntry{elf.DT_RUNPATH, 4001})
	ends("many directories", "more libraries, or in more places")
	crafted(t, path, strings.Repeat("/$ORIGIN", 500)+"\x00", many(4000, func(i int) uint64 { return uint64(i) }))
	ends("many tokens", "not found")
	crafted(t, path, strings.Repeat("x", 1<<20), many(4000, func(i int) uint64 { return uint64(i) }))
	ends("a text without end", `""`)
	crafted(t, path, "", many(3, func(i int) uint64 { return ^uint64(i) }), dynamicEntry{elf.DT_STRTAB, ^uint64(0)})
	ends("no texts", `""`)
	// Libraries that need each other, and the program.
	names := "./a.so\x00./program\x00./b.so\x00"
	needed := []uint64{0, 7, 17}
	t.Chdir(dir)
	for _, name := range []string{"program", "a.so", "b.so"} {
		crafted(t, filepath.Join(dir, name), names, needed)
	}
	if got, err := Libraries(path, nil); err != nil && runtime.GOARCH == "amd64" || len(got) < 2 ||
		got[0] != realPath(t, "a.so") || got[1] != realPath(t, "b.so") || slices.Contains(got, path) {
		t.Errorf("a circle: %q, %v", got, err)
	}
	// More libraries than anything has, none of which is there.
	for i, name := range []string{"program", "a.so", "b.so"} {
		texts, needed := "./a.so\x00./b.so\x00", []uint64{0, 7}
		for k := range 3000 {
			needed = append(needed, uint64(len(texts)))
			texts += fmt.Sprintf("./%d-%d\x00", i, k)
		}
		crafted(t, name, texts, needed)
	}
	if got := ends("many libraries", "more libraries"); len(got) < 2 {
		t.Errorf("%q", got)
	}
}

// The cache is read in both of its forms, the best of a name first, and however it is damaged.
func TestLinkerCache(t *testing.T) {
	var b bytes.Buffer
	paths := []string{"/l/glibc-hwcaps/v4/a", "/l/glibc-hwcaps/v2/a", "/l/tls/a", "/l/a", "/l/glibc-hwcaps/v3/a", "a"}
	texts := "a\x00"
	b.WriteString("glibc-ld.so.cache1.1")
	binary.Write(&b, binary.NativeEndian, []uint32{uint32(len(paths)), 0, 0, 0, 0, 0, 0})
	for _, p := range paths {
		hwcap := uint64(0)
		if p == "/l/tls/a" {
			hwcap = 1 << 63
		}
		start := uint32(48 + len(paths)*24)
		binary.Write(&b, binary.NativeEndian, []uint32{0x303, start, start + uint32(len(texts)), 0})
		binary.Write(&b, binary.NativeEndian, hwcap)
		texts += p + "\x00"
	}
	b.WriteString(texts)
	want := []string{"/l/glibc-hwcaps/v3/a", "/l/glibc-hwcaps/v2/a", "/l/a", "/l/tls/a"}
	for _, before := range []string{"", "ld.so-1.7.0\x00\x01\x02\x03\x04"} {
		whole := append([]byte(before), b.Bytes()...)
		if got := linkerCache(whole, []string{"v3", "v2"}); !slices.Equal(got["a"], want) || len(got) != 1 {
			t.Errorf("%q", got)
		}
		for n := range whole {
			linkerCache(whole[:n], nil)
			damaged := slices.Clone(whole)
			damaged[n] ^= 0xff
			linkerCache(damaged, nil)
		}
	}
}

// The linker of musl has directories of its own, and is its own libraries.
func TestLibrariesMusl(t *testing.T) {
	if got := muslDirs("/nosuch/lib/ld-musl-x86_64.so.1"); !slices.Equal(got, []string{"/lib", "/usr/local/lib",
		"/usr/lib"}) {
		t.Errorf("%q", got)
	}
	dir := t.TempDir()
	so := []string{"-shared", "-fPIC", "-nostdlib"}
	linker := link(t, dir, "lib/ld-musl-x.so.1", noFunctions, so...)
	libc := link(t, dir, "libc.so", noFunctions, append(so, "-Wl,-soname,libc.so")...)
	deep := link(t, dir, "far/libdeep.so", noFunctions, append(so, "-Wl,-soname,libdeep.so")...)
	mid := link(t, dir, "mid/libmid.so", noFunctions, append(so, "-Wl,-soname,libmid.so", deep)...)
	path := link(t, dir, "program", mainOnly, "-nostartfiles", "-nostdlib", libc, mid,
		"-Wl,--dynamic-linker="+linker+",--enable-new-dtags,-rpath,$ORIGIN/far,--unresolved-symbols=ignore-all")
	if err := os.MkdirAll(filepath.Join(dir, "etc"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "etc/ld-musl-x.path"), []byte("/nosuch\n"+dir+"/mid\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := Libraries(path, nil); err != nil || !slices.Equal(got, []string{linker, mid, deep}) {
		t.Errorf("%q, %v", got, err)
	}
}
