package cgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/render"
)

// Mark begins the first line of every program that this package writes.
const Mark = "/* A proxy application of Tabard"

// cleaner changes what compilers warn of in comments.
var cleaner = strings.NewReplacer("/*", "/ *", "??", "? ?")

// clean is a text inside of a comment, on one line.
func clean(s string) string {
	s = strings.ReplaceAll(s, "\t", " ") // MPICH has one in its version
	return cleaner.Replace(strings.ReplaceAll(render.OneLine(s), "*/", "* /"))
}

// A heading is what differs in the first lines of programs for one number of ranks, or any.
type heading struct {
	with    string   // what kind of a program it is
	facts   []string // lines about the recording
	run     string   // arguments of mpirun
	assumed []string
	mapped  bool   // it maps memory
	defines string // further definitions
}

// library is what the MPI library says of itself; programs for any number of ranks keep its tabs.
func (h *heading) library(s string) string {
	if h.with == "" {
		return clean(s)
	}
	parts := strings.Split(s, "\t")
	for i, p := range parts {
		parts[i] = clean(p)
	}
	return strings.Join(parts, "\t")
}

// header is the comment at the top, and what is included.
func (g *generator) header(h *heading) string {
	var b strings.Builder
	m := g.a.Meta()
	name := g.o.Name
	if name == "" || name == "-" {
		name = "proxy.c"
	}
	program := strings.TrimSuffix(name, ".c")
	fmt.Fprintf(&b, "%s: it makes the MPI calls of a recording, and nothing else%s.\n *\n", Mark, h.with)
	line := func(what, text string) { fmt.Fprintf(&b, " *   %-10s %s\n", what, text) }
	line("recorded", clean(strings.Join(m.Command, " ")))
	line("with", h.library(m.MPI))
	line("at", m.Created.UTC().Format("2006-01-02 15:04 MST"))
	if g.o.File != "" {
		line("from", clean(g.o.File))
	}
	b.WriteString(strings.Join(h.facts, ""))
	threads := ""
	if len(g.threads) > 0 {
		threads = " -pthread"
	}
	line("compile", fmt.Sprintf("mpicc -O2%s -o %s %s", threads, clean(program), clean(name)))
	line("run", fmt.Sprintf("mpirun %s %s", h.run, clean("./"+program)))
	b.WriteString(g.filesLine())
	if g.o.Compute {
		line("computes", "as long as the program did in the mean, times COMPUTE (-DCOMPUTE=0.5)")
	}
	if len(h.assumed) > 0 {
		b.WriteString(" *\n * What is assumed:\n")
		for _, s := range h.assumed {
			fmt.Fprintf(&b, " *   %s\n", clean(s))
		}
	}
	g.writeLeftOut(&b)
	b.WriteString(" */\n")
	g.writeIncludes(&b, h)
	return b.String()
}

// writeIncludes writes what is included and defined.
func (g *generator) writeIncludes(b *strings.Builder, h *heading) {
	if h.mapped || g.usesFiles() {
		b.WriteString("#define _DEFAULT_SOURCE\n")
	}
	if g.used["compute"] {
		b.WriteString("#define _POSIX_C_SOURCE 199309L\n")
	}
	b.WriteString("#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n")
	if g.used["compute"] {
		fmt.Fprintf(b, "#include <time.h>\n#ifndef COMPUTE\n#define COMPUTE %g\n#endif\n", g.o.Scale)
	}
	if len(g.threads) > 0 {
		b.WriteString("#include <pthread.h>\n")
	}
	if h.mapped {
		b.WriteString("#include <sys/mman.h>\n")
	}
	g.writeNeeds(b)
	if g.used["keep"] {
		fmt.Fprintf(b, "#define KEPT %d\n", g.keeps)
	}
	b.WriteString(h.defines)
	g.pragmas(b)
	g.oldParts(b)
	b.WriteString("\n")
}

// old are functions that some MPIs warn of, as newer ones replace them.
var old = map[string]bool{
	"MPI_Address": true, "MPI_Type_hindexed": true, "MPI_Type_hvector": true, "MPI_Type_struct": true,
	"MPI_Type_extent": true, "MPI_Type_lb": true, "MPI_Type_ub": true,
	"MPI_Errhandler_create": true, "MPI_Errhandler_get": true, "MPI_Errhandler_set": true, "MPI_Attr_delete": true,
	"MPI_Attr_get": true, "MPI_Attr_put": true, "MPI_Keyval_create": true, "MPI_Keyval_free": true,
	"MPI_Cancel":   true,
	"MPI_Info_get": true, "MPI_Info_get_valuelen": true, "MPI_Type_size_x": true, "MPI_Type_get_extent_x": true,
	"MPI_Type_get_true_extent_x": true,
	"MPI_Get_elements_x":         true, "MPI_Status_set_elements_x": true,
}

// oldParts gives names to what MPI 3 removed: MPICH has it still, others have something that does
// the same.
func (g *generator) oldParts(b *strings.Builder) {
	var lines []string
	for name, other := range removed {
		bare, _, _ := strings.Cut(name, "(")
		if _, ok := g.functions[bare]; ok {
			lines = append(lines, fmt.Sprintf("#undef %s\n#define %s %s\n", bare, name, other))
		}
	}
	slices.Sort(lines)
	if len(lines) > 0 {
		b.WriteString("#ifndef MPICH_VERSION /* functions that MPI 3 removed */\n" + strings.Join(lines, "") +
			"#endif\n")
	}
	for _, x := range [...][2]string{{"LOWER_BOUND", "MPI_LB"}, {"UPPER_BOUND", "MPI_UB"}} {
		if g.oldNames[x[0]] {
			fmt.Fprintf(b, "#ifdef MPICH_VERSION\n#define %s %s\n#else /* MPI 3 removed it */\n"+
				"#define %s MPI_BYTE\n#endif\n", x[0], x[1], x[0])
		}
	}
}

// pragmas turn warnings off that are about what the recorded program calls, or about mpi.h.
func (g *generator) pragmas(b *strings.Builder) {
	for name := range g.functions {
		if old[name] {
			b.WriteString("#ifdef __GNUC__\n#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n#endif\n")
			break
		}
	}
	weights := g.mentioned["MPI_UNWEIGHTED"] || g.mentioned["MPI_WEIGHTS_EMPTY"]
	for _, w := range []struct {
		name string
		on   bool
	}{{"overflow", weights || g.mentioned["MPI_STATUSES_IGNORE"]}, {"overread", weights}} {
		if w.on {
			fmt.Fprintf(b, "#if defined __GNUC__ && __GNUC__ > 10 && !defined __clang__\n"+
				"#pragma GCC diagnostic ignored \"-Wstringop-%s\" /* constants that are no arrays */\n#endif\n", w.name)
		}
	}
}

// newest is the major version of MPI that the functions need.
func (g *generator) newest() int {
	major := 0
	for _, since := range g.functions {
		if since != "" && since[0] >= '0' && since[0] <= '9' {
			major = max(major, int(since[0]-'0'))
		}
	}
	return major
}

// writeLeftOut writes the lines of the first comment that say what the program does not do, or in another way.
func (g *generator) writeLeftOut(b *strings.Builder) {
	if len(g.o.Replaced) > 0 {
		b.WriteString(" *\n * What it does in another way than the recorded program:\n")
	}
	for _, s := range g.o.Replaced {
		fmt.Fprintf(b, " *   %s\n", clean(s))
	}
	if len(g.skipped)+len(g.notes) == 0 {
		return
	}
	b.WriteString(" *\n * What it does not do:\n")
	for _, s := range g.notes {
		fmt.Fprintf(b, " *   %s\n", clean(s))
	}
	for _, s := range g.skippedList() {
		fmt.Fprintf(b, " *   %s: %s\n", s.Func, clean(s.Reason))
	}
}

// writeNeeds writes what has to be known or there before anything else.
func (g *generator) writeNeeds(b *strings.Builder) {
	g.writeFileNeeds(b)
	if g.remote {
		b.WriteString(remoteDefinitions)
	}
	if major := g.newest(); major > 3 {
		fmt.Fprintf(b, "#if MPI_VERSION < %d\n#error \"This program needs MPI %d: the recorded one called "+
			"functions of that version.\"\n#endif\n", major, major)
	}
}
