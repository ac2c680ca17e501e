package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// cTypes whose size the probe reports.
var cTypes = []string{
	"MPI_Aint", "MPI_Count", "MPI_Offset", "MPI_Fint", "MPI_Status",
	"MPI_Comm", "MPI_Group", "MPI_Datatype", "MPI_Op", "MPI_Win", "MPI_File", "MPI_Info", "MPI_Errhandler",
	"MPI_Request", "MPI_Message", "MPI_Session",
	"MPI_T_cvar_handle", "MPI_T_pvar_handle", "MPI_T_pvar_session", "MPI_T_enum",
	"MPI_T_event_registration", "MPI_T_event_instance",
}

// handleTypes are the handles that all have one size; the others are pointers in every ABI,
// and sessions exist in some only.
var handleTypes = []string{"MPI_Comm", "MPI_Group", "MPI_Datatype", "MPI_Op", "MPI_Win", "MPI_Info", "MPI_Errhandler",
	"MPI_Request", "MPI_Message"}

func printProbe(root, abi, cc string) error {
	a, err := Probe(filepath.Join(root, "spec"), abi, cc)
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(b, '\n'))
	return err
}

// Probe compiles and runs a C program that prints what an mpi.h defines. The
// program calls no MPI function, so that a header without a library will do (MPI 5).
func Probe(spec, name, cc string) (*ABI, error) {
	if cc == "" {
		cc = "mpicc." + name
	}
	v, err := loadVocabulary(spec)
	if err != nil {
		return nil, err
	}
	ps, err := loadPredefineds(spec, v)
	if err != nil {
		return nil, err
	}
	gs, err := loadConstants(filepath.Join(spec, "mpi"))
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tabard-abi-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	known, err := headerWords(cc, dir)
	if err != nil {
		return nil, err
	}
	src := filepath.Join(dir, "probe.c")
	if err := os.WriteFile(src, probeSource(known, ps, gs), 0o644); err != nil {
		return nil, err
	}
	exe := filepath.Join(dir, "probe")
	if out, err := compile(cc, "-O0", "-w", "-o", exe, src); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cc, err, out)
	}
	out, err := exec.Command(exe).Output()
	if err != nil {
		return nil, fmt.Errorf("probe of %s: %w", name, err)
	}
	return parseProbe(name, out)
}

// compile runs a compiler command, which may contain options. In C11 and later
// Open MPI's header turns removed names into static assertions.
func compile(cc string, args ...string) ([]byte, error) {
	w := append(strings.Fields(cc), "-std=gnu99")
	return exec.Command(w[0], append(w[1:], args...)...).CombinedOutput()
}

var word = regexp.MustCompile(`\b(MPIX?_\w+)\b`)

// headerWords gives the macros that mpi.h defines and the other words that are left after
// preprocessing it: types, enumerators, variables.
func headerWords(cc, dir string) (map[string]bool, error) {
	src := filepath.Join(dir, "words.c")
	if err := os.WriteFile(src, []byte("#include <mpi.h>\n"), 0o644); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, opt := range [][]string{{"-E", "-dM"}, {"-E", "-P"}} {
		out, err := compile(cc, append(opt, src)...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", cc, err, out)
		}
		for _, l := range bytes.Split(out, []byte("\n")) {
			ms := word.FindAllSubmatch(l, -1)
			if bytes.HasPrefix(l, []byte("#define ")) && len(ms) > 1 {
				ms = ms[:1] // the macro itself, not what it expands to
			}
			for _, m := range ms {
				known[string(m[1])] = true
			}
		}
	}
	return known, nil
}

func probeSource(known map[string]bool, ps []Predefined, gs []*Group) []byte {
	var b bytes.Buffer
	b.WriteString("#include <mpi.h>\n#include <stdio.h>\n#include <stddef.h>\n#include <stdint.h>\n" +
		"#define TEXT(...) #__VA_ARGS__\n#define EXPANDED(x) TEXT(x)\nint main(void)\n{\n")
	for _, t := range cTypes {
		if known[t] {
			fmt.Fprintf(&b, "    printf(\"size %s %%d\\n\", (int)sizeof(%s));\n", t, t)
		}
	}
	for _, f := range []string{"MPI_SOURCE", "MPI_TAG", "MPI_ERROR"} {
		fmt.Fprintf(&b, "    printf(\"offset %s %%d\\n\", (int)offsetof(MPI_Status, %s));\n", f, f)
	}
	seen := map[string]bool{}
	for _, g := range gs {
		for _, n := range g.Names {
			if known[n] && !seen[n] {
				seen[n] = true
				fmt.Fprintf(&b, "    printf(\"const %s %%lld %%s\\n\", (long long)(intptr_t)(%s), EXPANDED(%s));\n", n,
					n, n)
			}
		}
	}
	for _, p := range ps {
		if known[p.Name] {
			mask := ""
			if p.Class == "Keyval" {
				mask = "(unsigned)"
			}
			fmt.Fprintf(&b, "    printf(\"handle %s %%llu %%s\\n\", (unsigned long long)(uintptr_t)%s(%s), "+
				"EXPANDED(%s));\n", p.Name, mask, p.Name, p.Name)
		}
	}
	b.WriteString("    return 0;\n}\n")
	return b.Bytes()
}

var addressOf = regexp.MustCompile(`&\s*\(?\s*(\w+)`)

// parseProbe reads what the probe printed: what it is, name, value, and what the
// name expands to. A name that expands to itself and is an address is a variable.
func parseProbe(name string, out []byte) (*ABI, error) {
	a := &ABI{ABI: name, Sizes: map[string]int{}, Offsets: map[string]int{}, Constants: map[string]int64{},
		Variables: map[string]string{}, Handles: map[string]uint64{}, Symbols: map[string]string{}}
	for _, l := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		w := strings.SplitN(l, " ", 4)
		if len(w) < 3 {
			return nil, fmt.Errorf("probe printed %q", l)
		}
		if w[0] == "handle" {
			if m := addressOf.FindStringSubmatch(w[3]); m != nil {
				a.Symbols[w[1]] = m[1]
				continue
			}
			v, err := strconv.ParseUint(w[2], 10, 64)
			if err != nil {
				return nil, err
			}
			if w[3] == w[1] && v > 1<<32 {
				a.Variables[w[1]] = w[3]
				continue
			}
			a.Handles[w[1]] = v
			continue
		}
		v, err := strconv.ParseInt(w[2], 10, 64)
		if err != nil {
			return nil, err
		}
		switch w[0] {
		case "size":
			a.Sizes[w[1]] = int(v)
		case "offset":
			a.Offsets[w[1]] = int(v)
		case "const":
			if w[3] == w[1] && (v > 1<<32 || v < -1<<32) {
				a.Variables[w[1]] = w[3]
			} else {
				a.Constants[w[1]] = v
			}
		}
	}
	return a, a.setHandleSize()
}

// setHandleSize records the one size that most handles have.
func (a *ABI) setHandleSize() error {
	for _, t := range handleTypes {
		if n := a.Sizes[t]; a.Sizes["handle"] == 0 {
			a.Sizes["handle"] = n
		} else if n != a.Sizes["handle"] {
			return fmt.Errorf("%s: size of %s is %d, of other handles %d", a.ABI, t, n, a.Sizes["handle"])
		}
	}
	return nil
}
