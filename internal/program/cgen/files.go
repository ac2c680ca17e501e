package cgen

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/memory"
)

// scratchName is the name that a file of the recording has in the program's folder for files:
// without its own folder and, before that, what ROMIO takes as the kind of the file system, which
// ends with a colon. Files of different folders have different names.
func (g *generator) scratchName(file string) string {
	file = scratchPath(file)
	if name := g.files[file]; name != "" {
		return name
	}
	base := strings.ReplaceAll(path.Base(file), ":", "_")
	switch base = base[:min(len(base), mostName)]; base {
	case "", ".", "..", "/":
		base = "file"
	}
	name := base
	for g.fileNames[name] {
		g.sameNames[base]++
		name = fmt.Sprintf("%s.%d", base, 1+g.sameNames[base])
	}
	g.fileNames[name] = true
	g.files[file] = name
	return name
}

// scratchPath is the path of a file without the kind of the file system.
func scratchPath(file string) string {
	if kind, rest, ok := strings.Cut(file, ":"); ok && !strings.Contains(kind, "/") {
		file = rest
	}
	return path.Clean(file)
}

// mostName is the length of the longest name of a file, but for a number at its end.
const mostName = 240

// fileName is the name of a file that is opened or deleted: the file is there if it was there in
// the recording, whoever made it.
func (k *call) fileName(p *program.Param) *cc.Expr {
	name := k.text(p, func(s string) *cc.Expr { return cString(k.g.scratchName(s)) })
	if name.Is("NULL") {
		return name
	}
	k.g.opensFiles = true
	mode, known := int64(0), k.Name == "MPI_File_delete"
	for i := range k.Params {
		if k.Params[i].Name == "amode" {
			mode, known = k.first(k.Params[i].Before)
		}
	}
	create, exclusive := k.g.modes(mode)
	failed := k.flags&archive.Failed != 0
	switch {
	case !known:
	case !failed && !create, failed && create && exclusive:
		return cc.Call("found_file", name)
	case !failed && exclusive:
		if first := k.reopens(); first != nil {
			return cc.Call("new_file", name, first)
		}
	}
	return cc.Call("scratch_file", name)
}

// modes tells whether a file that is opened is to be created, and must not be there.
func (g *generator) modes(mode int64) (create, exclusive bool) {
	c, _ := g.abi.Const("MPI_MODE_CREATE")
	x, _ := g.abi.Const("MPI_MODE_EXCL")
	return mode&c != 0, mode&x != 0
}

// findFiles finds the files that were there before the recorded run, and how large they were.
func (g *generator) findFiles() error {
	for _, c := range g.classes {
		same := true
		for _, t := range c.terms {
			if strings.HasPrefix(t.Name, "MPI_File_") {
				same = same && len(c.data.Params[t.id]) == 0 && len(t.tm.Signature.Columns()) == 0
			}
		}
		n := min(c.Ranks().Len(), memory.MostRanks)
		if same {
			n = 1
		}
		again := map[uint32]bool{}
		for i := range n {
			if err := g.fileUse.Add(c.Stream(c.Ranks().At(i)), again); err != nil {
				return err
			}
		}
		for t := range again {
			g.reopened[memory.Terminal{Class: c.Index, Terminal: t}] = true
		}
	}
	return nil
}

// madeFiles are the files that the program names, and how large those are that must be there; -1
// for the others.
func (g *generator) madeFiles() map[string]int64 {
	out := map[string]int64{}
	for _, name := range g.files {
		out[name] = -1
	}
	merged := map[string]program.File{} // several paths may lead to a file
	for file, use := range g.fileUse.Files {
		if name := g.files[scratchPath(file)]; name != "" {
			x := merged[name]
			x.Deleted, x.Found, x.Created = x.Deleted || use.Deleted, x.Found || use.Found, x.Created || use.Created
			if merged[name] = x; x.There() {
				out[name] = max(out[name], use.Size())
			} else {
				out[name] = -1
			}
		}
	}
	return out
}

// startFiles is the function that main calls first.
func (g *generator) startFiles() string {
	if !g.usesFiles() {
		return ""
	}
	made := g.madeFiles()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(made)) {
		fmt.Fprintf(&b, "        {%s, %d},\n", quoted(name), made[name])
	}
	g.need("scratch_file")
	return frame("start_files", "FILES", b.String(), "COUNT", fmt.Sprint(len(made)))
}

// folder is the name of the program's folder for files.
func (g *generator) folder() string {
	name := strings.TrimSuffix(path.Base(g.o.Name), ".c")
	if name == "" || name == "." || name == "-" || name == "/" {
		name = "proxy"
	}
	return name + ".files"
}

// usesFiles tells whether the program opens files.
func (g *generator) usesFiles() bool { return g.opensFiles }

// filesLine says in the comment at the top where files are.
func (g *generator) filesLine() string {
	if !g.usesFiles() {
		return ""
	}
	return fmt.Sprintf(" *   files      are made in the folder %s of that given as argument, else of DIRECTORY\n",
		clean(g.folder()))
}

// writeFileNeeds writes what programs with files need before anything else.
func (g *generator) writeFileNeeds(b *strings.Builder) {
	if g.usesFiles() {
		fmt.Fprintf(b, "#include <sys/stat.h>\n#include <unistd.h>\n#ifndef DIRECTORY\n#define DIRECTORY \".\"\n#endif\n"+
			"#define FILES %s /* the program's own folder there */\n", quoted(g.folder()))
	}
}
