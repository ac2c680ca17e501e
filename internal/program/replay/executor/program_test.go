package executor_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/program/replay/executor"
	"github.com/tabard-hpc/tabard/spec"
)

// built holds what TestMain prepares: the executor, and a talking library for each flavour.
var built struct {
	dir, program, tracer string
	library              map[string]string
}

var flavours = []string{"openmpi", "mpich"}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tabard-executor-")
	if err == nil {
		err = build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "executor: building what the tests run:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func build(dir string) error {
	built.dir, built.program, built.tracer = dir, filepath.Join(dir, "tabard-replay"), filepath.Join(dir, "tracer.so")
	built.library = map[string]string{}
	flags := []string{"-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread"}
	err := errors.Join(
		os.WriteFile(built.program, executor.Program(), 0o755),
		os.WriteFile(filepath.Join(dir, "libtabardreplay.so"), executor.Shim(), 0o755),
		command("gcc", append(slices.Clone(flags), "testdata/tracer.c", "-o", built.tracer, "-ldl")...))
	for _, f := range flavours {
		lib := filepath.Join(dir, "lib"+f+".so")
		built.library[f] = lib
		err = errors.Join(err, command("gcc", append(slices.Clone(flags), "-D"+strings.ToUpper(f), "testdata/library.c",
			"-o", lib)...))
	}
	return err
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// c are the enumerators of program.h.
var c = enumerators("program.h")

func enumerators(file string) map[string]uint64 {
	text, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	all := map[string]uint64{}
	comments := regexp.MustCompile(`(?s)/\*.*?\*/`)
	for _, enum := range regexp.MustCompile(`(?s)enum[ a-z_]*\{(.*?)\}`).FindAllStringSubmatch(comments.ReplaceAllString(string(text), ""), -1) {
		next := uint64(0)
		for _, e := range strings.Split(enum[1], ",") {
			name, value, given := strings.Cut(strings.TrimSpace(e), " = ")
			if given {
				if next, err = strconv.ParseUint(value, 0, 64); err != nil {
					panic(err)
				}
			}
			if name != "" {
				all[name] = next
				next++
			}
		}
	}
	return all
}

const (
	magic   = 0x31304c5052424154
	rule    = 1 << 31
	next    = 1 << 32
	unknown = -1 << 63 // RP_ANY and RP_NO_CODE
)

// Classes of memory, as in archive.Mem.
const (
	literal = iota
	heap
	module
	stack
	raw = 15
)

// A param is one parameter of a terminal: op, a, b, c.
type param [4]uint64

func word(v int) param     { return param{c["RP_OP_WORD"], uint64(v)} }
func op(name string) param { return param{c["RP_OP_"+name]} }
func (p param) with(v ...int) param {
	for i, w := range v {
		p[1+i] = uint64(w)
	}
	return p
}
func (p param) next() param { p[0] |= next; return p }

// object and predefined are codes of references.
func object(n int) int { return 2*n + 2 }
func predefined(name string) int {
	for i, p := range spec.Predefineds {
		if p.Name == name {
			return 2*i + 1
		}
	}
	panic(name)
}

func handle(class spec.Class, code int) param  { return op("HANDLE").with(int(class), code) }
func created(class spec.Class, code int) param { return op("HANDLE_NEW").with(int(class), code) }
func changed(class spec.Class, code int) param { return op("HANDLE_IO").with(int(class), code) }
func at(mem, segment, offset int) param        { return op("ADDRESS").with(mem, segment, offset) }

var (
	world   = handle(spec.Comm, predefined("MPI_COMM_WORLD"))
	integer = handle(spec.Type, predefined("MPI_INT"))
	comm    = spec.Comm
	request = spec.Request
)

// A stream is a program in the making.
type stream struct {
	header    map[string]uint64
	strings   []string
	arrays    [][]uint64
	terminals [][]uint64
	rules     [][]uint64
	values    []uint64
	init      int
	finalize  int
}

// newStream has terminals for MPI_Init and MPI_Finalize.
func newStream() *stream {
	s := &stream{header: map[string]uint64{"THREADS": 1, "CALLS": 9}}
	s.init = s.terminal("MPI_Init", op("INT_IO").with(32, 1), op("ARGV").with(0, s.array(s.string("prog"))))
	s.finalize = s.terminal("MPI_Finalize")
	return s
}

func (s *stream) string(text string) int {
	if i := slices.Index(s.strings, text); i >= 0 {
		return i
	}
	s.strings = append(s.strings, text)
	return len(s.strings) - 1
}

func (s *stream) array(v ...int) int {
	words := make([]uint64, len(v))
	for i := range v {
		words[i] = uint64(v[i])
	}
	s.arrays = append(s.arrays, words)
	return len(s.arrays) - 1
}

func (s *stream) terminal(name string, params ...param) int {
	t := make([]uint64, c["RP_TERMINAL_END"])
	t[c["RP_TERMINAL_NAME"]] = uint64(s.string(name))
	t[c["RP_TERMINAL_TEXT"]] = uint64(s.string(name + "(as recorded) at prog.c:7"))
	t[c["RP_TERMINAL_SITE"]] = uint64(len(s.terminals))
	t[c["RP_TERMINAL_PARAMS"]] = uint64(len(params))
	for _, p := range params {
		t = append(t, p[:]...)
	}
	s.terminals = append(s.terminals, t)
	return len(s.terminals) - 1
}

// set changes a word of a terminal: RP_TERMINAL_field.
func (s *stream) set(terminal int, field string, value uint64) int {
	s.terminals[terminal][c["RP_TERMINAL_"+field]] = value
	return terminal
}

func (s *stream) flags(terminal int, names ...string) int {
	for _, n := range names {
		s.terminals[terminal][c["RP_TERMINAL_FLAGS"]] |= c["RP_CALL_"+n]
	}
	return terminal
}

func (s *stream) outcome(terminal int, kind string, values ...int) int {
	s.value(values...)
	return s.set(terminal, "OUTCOME", c["RP_OUTCOME_"+kind])
}

func (s *stream) value(v ...int) {
	for _, w := range v {
		s.values = append(s.values, uint64(w))
	}
}

// rule adds a rule: pairs of symbol and count.
func (s *stream) rule(symbols ...int) {
	r := []uint64{uint64(len(symbols) / 2)}
	for _, w := range symbols {
		r = append(r, uint64(w))
	}
	s.rules = append(s.rules, r)
}

// calls makes rule 0: MPI_Init, the terminals once each, MPI_Finalize.
func (s *stream) calls(terminals ...int) *stream {
	r := []int{s.init, 1}
	for _, t := range terminals {
		r = append(r, t, 1)
	}
	s.rule(append(r, s.finalize, 1)...)
	return s
}

func (s *stream) words() []uint64 {
	header := make([]uint64, c["RP_HEADER_END"])
	header[c["RP_HEADER_VERSION"]] = 1
	header[c["RP_HEADER_WORDS"]] = c["RP_HEADER_END"] - c["RP_HEADER_THREAD"]
	for name, v := range s.header {
		header[c["RP_HEADER_"+name]] = v
	}
	w := append([]uint64{magic}, header...)
	w = append(w, uint64(len(s.strings)))
	for _, t := range s.strings {
		w = append(w, uint64(len(t)))
		for b := []byte(t); len(b) > 0; b = b[min(8, len(b)):] {
			var eight [8]byte
			copy(eight[:], b)
			w = append(w, binary.NativeEndian.Uint64(eight[:]))
		}
	}
	w = append(w, uint64(len(s.arrays)))
	for _, a := range s.arrays {
		w = append(append(w, uint64(len(a))), a...)
	}
	for _, table := range [][][]uint64{s.terminals, s.rules} {
		w = append(w, uint64(len(table)))
		w = append(w, slices.Concat(table...)...)
	}
	return append(w, s.values...)
}

// A replay is one execution of a program.
type replay struct {
	flavour string // openmpi by default
	streams []*stream
	words   []uint64 // in place of streams
	env     []string
	tracer  bool
	delay   time.Duration // before the values of the first stream
	space   int           // GiB of address space that the process may have, 0 for all there is

	code   int
	lines  []string // of the library
	stderr string
	took   time.Duration
}

// run executes the program to its end.
func (r *replay) run(t *testing.T) *replay {
	t.Helper()
	if r.flavour == "" {
		r.flavour = "openmpi"
	}
	programs := [][]uint64{r.words}
	if r.words == nil {
		programs = nil
		for _, s := range r.streams {
			s.header["THREADS"] = uint64(len(r.streams))
			s.header["ABI"] = uint64(1 + slices.Index(flavours, r.flavour))
			programs = append(programs, s.words())
		}
	}
	var fds []string
	cmd := exec.Command(built.program)
	for i, words := range programs {
		from, to, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		fds = append(fds, strconv.Itoa(3+i))
		cmd.ExtraFiles = append(cmd.ExtraFiles, from)
		go func() {
			b := make([]byte, 0, 8*len(words))
			for _, w := range words {
				b = binary.NativeEndian.AppendUint64(b, w)
			}
			to.Write(b)
			to.Close()
		}()
	}
	cmd.Args = append(cmd.Args, strings.Join(fds, ","), built.library[r.flavour])
	if r.space > 0 {
		limited := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -v %d && exec "$0" "$@"`, r.space<<20)},
			cmd.Args...)...)
		limited.ExtraFiles = cmd.ExtraFiles
		cmd = limited
	}
	cmd.Env = append(os.Environ(), r.env...)
	if r.tracer {
		cmd.Env = append(cmd.Env, "LD_PRELOAD="+built.tracer)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	cmd.Wait()
	r.took = time.Since(start)
	r.code, r.stderr = cmd.ProcessState.ExitCode(), stderr.String()
	r.lines = strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
	if !hung.Stop() {
		t.Fatalf("the executor hung; it said %q", r.stderr)
	}
	if r.code < 0 {
		t.Fatalf("%v; it said %q", cmd.ProcessState, r.stderr)
	}
	return r
}

// want compares the library's lines between MPI_Init and MPI_Finalize.
func (r *replay) want(t *testing.T, lines ...string) {
	t.Helper()
	all := append(append([]string{"Init 1 prog"}, lines...), "Finalize")
	if r.code != 0 || r.stderr != "" || !slices.Equal(r.lines, all) {
		t.Errorf("%s: code %d, stderr %q, calls\n  %s\nwant\n  %s", r.flavour, r.code, r.stderr,
			strings.Join(r.lines, "\n  "), strings.Join(all, "\n  "))
	}
}

// fails checks exit code and message.
func (r *replay) fails(t *testing.T, code int, message string) {
	t.Helper()
	if ok, err := regexp.MatchString(message, r.stderr); err != nil || r.code != code || !ok {
		t.Errorf("code %d, stderr %q; want %d, %q (%v)", r.code, r.stderr, code, message, err)
	}
}
