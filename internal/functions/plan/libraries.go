package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// What may be asked of the search for the libraries of a program, which may be made to keep it busy: libraries, bytes
// of names and paths (each counts lookupCost more), and time.
const (
	maxLibraries = 4096
	maxSearched  = 128 << 20
	lookupCost   = 128
	searchTime   = 10 * time.Second
)

// Libraries finds what the program's dynamic linker would load, in its order, the linker itself among it. Nothing of
// the program is executed, nor is the linker: the program chooses it, and it would load what the program has it load
// (DT_AUDIT). What is found comes with an error if there is more that is not.
func Libraries(path string, env []string) ([]string, error) {
	l, err := newLinking(path, env)
	if err != nil {
		return nil, err
	}
	program := l.objects[0]
	for _, name := range preloads(env, l.musl) {
		if o := l.find(l.expand(name, program), program); o != nil { // others are ignored by the linker, too
			l.list(o)
		}
	}
	for i := 0; i < len(l.objects) && !l.tooMuch; i++ {
		by := l.objects[i]
		for _, name := range by.needed {
			if name = l.expand(name, by); l.tooMuch {
				break
			}
			if o := l.find(name, by); o != nil {
				l.list(o)
			} else {
				l.miss(name)
			}
		}
	}
	if l.linker != nil {
		l.list(l.linker)
	}
	var libraries []string
	for _, o := range l.objects[1:] {
		libraries = append(libraries, o.path)
	}
	return libraries, l.problem()
}

// object is a program or a library.
type object struct {
	*dynamic
	path                   string
	origin                 string   // its directory
	rpathDirs, runpathDirs []string // those of DT_RPATH and DT_RUNPATH
	by                     *object  // that it was loaded for
	listed                 bool
}

// fileID is what files are told apart by.
type fileID struct{ dev, ino uint64 }

// linking is the search for the libraries of one program.
type linking struct {
	abi      abi
	lib      string    // what $LIB is
	objects  []*object // in the linker's order, the program first
	linker   *object   // nil: it cannot be read
	musl     bool
	byName   map[string]*object
	byFile   map[fileID]*object // nil: not to be linked with the program
	levels   []string
	variants map[string][]string // existing subdirectories for this processor, by directory
	environ  []string            // directories of LD_LIBRARY_PATH
	beside   []string            // where a linker that is not the system's has libraries
	cache    map[string][]string
	defaults []string
	missing  []string
	searched int
	until    time.Time
	tooMuch  bool
}

func newLinking(path string, env []string) (*linking, error) {
	l := &linking{byName: map[string]*object{}, byFile: map[fileID]*object{}, variants: map[string][]string{},
		until: time.Now().Add(searchTime)}
	real, err := filepath.EvalSymlinks(absolute(path)) // the kernel tells programs so where they are
	if err != nil {
		return nil, err
	}
	d, err := readDynamic(real, l.spend)
	if err != nil {
		return nil, err
	}
	if d.linker == "" {
		return nil, fmt.Errorf("%s: it names no dynamic linker", path)
	}
	l.abi, l.levels = d.abi, levelsOf(d.abi.machine)
	linker := absolute(d.linker)
	if l.musl = strings.HasPrefix(filepath.Base(linker), muslPrefix); l.musl {
		l.levels, l.defaults = nil, muslDirs(linker)
	} else {
		l.beside, l.defaults, l.lib = defaultDirs(linker)
		l.cache = linkerCache(settings("/etc/ld.so.cache"), l.levels)
	}
	program := l.load(real, nil)
	if program == nil {
		return nil, fmt.Errorf("%s: it cannot be read", path)
	}
	l.list(program)
	if l.linker = l.load(linker, nil); l.linker != nil {
		l.linker.needed = nil // the kernel loads it, and nothing for it
	}
	l.environ = l.split(variable(env, "LD_LIBRARY_PATH"), ":;", program)
	return l, nil
}

// spend counts what is read and searched for, and says whether there may be more.
func (l *linking) spend(bytes int) bool {
	l.searched += bytes + lookupCost
	l.tooMuch = l.tooMuch || l.searched > maxSearched || time.Now().After(l.until)
	return !l.tooMuch
}

// list puts an object where the linker loads it.
func (l *linking) list(o *object) {
	if o.listed {
		return
	}
	if len(l.objects) > maxLibraries {
		l.tooMuch = true
		return
	}
	o.listed = true
	l.objects = append(l.objects, o)
}

func (l *linking) miss(name string) {
	if !l.tooMuch && !slices.Contains(l.missing, name) {
		l.missing = append(l.missing, name)
		l.tooMuch = len(l.missing) > maxLibraries
	}
}

// problem says what was not found. The names are those of a file that may want to do harm to terminals.
func (l *linking) problem() error {
	var texts []string
	if l.tooMuch {
		texts = append(texts, "it asks for more libraries, or in more places, than are looked for")
	}
	if l.linker == nil && !l.tooMuch {
		texts = append(texts, fmt.Sprintf("its dynamic linker, %.200q, cannot be that", l.objects[0].dynamic.linker))
	}
	if n := len(l.missing); n > 0 {
		text := fmt.Sprintf("libraries that are not found: %.80q", l.missing[:min(n, 3)])
		if n > 3 {
			text += fmt.Sprintf(" and %d more", n-3)
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s", l.objects[0].path, strings.Join(texts, "; "))
}

// find finds a library that an object asks for, nil if there is none. See ld.so(8) for the order.
func (l *linking) find(name string, by *object) *object {
	if o := l.byName[name]; o != nil {
		return o
	}
	if l.musl && l.linker != nil && muslOwn.MatchString(name) {
		return l.linker
	}
	o := l.search(name, by)
	if o != nil {
		l.byName[name] = o
	}
	return o
}

func (l *linking) search(name string, by *object) *object {
	if strings.Contains(name, "/") {
		return l.load(name, by)
	}
	for _, dirs := range l.dirs(by) {
		if o := l.in(dirs, name, by); o != nil {
			return o
		}
	}
	for _, path := range l.cache[name] {
		if o := l.load(path, by); o != nil {
			return o
		}
	}
	return l.in(l.defaults, name, by)
}

// dirs are the directories that come before those of the system.
func (l *linking) dirs(by *object) (dirs [][]string) {
	if l.musl { // both kinds of paths hold for libraries of libraries
		dirs = append(dirs, l.environ)
		for o := by; o != nil; o = o.by {
			dirs = append(dirs, o.rpathDirs, o.runpathDirs)
		}
		return dirs
	}
	for o := by; o != nil && by.runpath == ""; o = o.by {
		dirs = append(dirs, o.rpathDirs)
	}
	return append(dirs, l.environ, by.runpathDirs, l.beside)
}

// in looks for a library in directories, and in those below them for this processor first.
func (l *linking) in(dirs []string, name string, by *object) *object {
	for _, dir := range dirs {
		if l.tooMuch {
			return nil
		}
		variants, ok := l.variants[dir]
		if !ok {
			variants = l.variantsOf(dir)
			l.variants[dir] = variants
		}
		for _, v := range variants {
			if o := l.load(v+"/"+name, by); o != nil {
				return o
			}
		}
		if o := l.load(dir+"/"+name, by); o != nil {
			return o
		}
	}
	return nil
}

func (l *linking) variantsOf(dir string) (variants []string) {
	base := dir + "/" + levelsDir
	if _, err := os.Stat(base); err != nil || !l.spend(len(base)) {
		return nil
	}
	for _, level := range l.levels {
		if st, err := os.Stat(base + "/" + level); err == nil && st.IsDir() {
			variants = append(variants, base+"/"+level)
		}
	}
	return variants
}

// load reads what can be linked with the program, nil if that is not so. A file is read once, whatever its names.
func (l *linking) load(path string, by *object) *object {
	path = absolute(path)
	if !l.spend(len(path)) {
		return nil
	}
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	sys := st.Sys().(*syscall.Stat_t)
	id := fileID{uint64(sys.Dev), sys.Ino}
	if o, ok := l.byFile[id]; ok {
		return o
	}
	l.byFile[id] = nil
	d, err := readDynamic(path, l.spend)
	if err != nil || d.abi != l.abi {
		return nil
	}
	o := &object{dynamic: d, path: tidy(path, st), origin: filepath.Dir(path), by: by}
	o.rpathDirs, o.runpathDirs = l.split(d.rpath, ":", o), l.split(d.runpath, ":", o)
	l.byFile[id] = o
	if d.soname != "" && l.byName[d.soname] == nil {
		l.byName[d.soname] = o
	}
	return o
}

// split makes directories of a list in an object, or in the environment. An empty one is the working directory.
func (l *linking) split(list, separators string, of *object) (dirs []string) {
	if list == "" {
		return nil
	}
	for _, separator := range separators[1:] {
		list = strings.ReplaceAll(list, string(separator), separators[:1])
	}
	for dir := range strings.SplitSeq(list, separators[:1]) {
		dir = absolute(l.expand(dir, of))
		if !l.spend(len(dir)) {
			break
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// expand puts in what stands for parts of paths.
func (l *linking) expand(path string, of *object) string {
	if !strings.Contains(path, "$") || len(path) > maxFileName { // too long anyway
		return path
	}
	platform := platforms[l.abi.machine]
	path = strings.NewReplacer("${ORIGIN}", of.origin, "$ORIGIN", of.origin, "${LIB}", l.lib, "$LIB", l.lib,
		"${PLATFORM}", platform, "$PLATFORM", platform).Replace(path)
	l.spend(len(path))
	return path
}
