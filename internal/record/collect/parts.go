package collect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Parts are what the collectors of a job leave beside its output if they could not unite their
// archives inside MPI_Finalize: NAME.<host>.tabard for the output NAME.tabard. Whoever reads
// NAME.tabard finds them by their names and by what they say (merge.OptionPartOf), and merges them
// into it.

func globQuote(s string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(s)
}

// partPath is the name of the part that a collector writes for an output.
func partPath(output, node string) string {
	ext := filepath.Ext(output)
	return strings.TrimSuffix(output, ext) + "." + node + ext
}

// candidates are the files beside output whose names are those of its parts, without output itself.
func candidates(output string) []string {
	ext := filepath.Ext(output)
	files, _ := filepath.Glob(globQuote(strings.TrimSuffix(output, ext)) + ".*" + globQuote(ext))
	return slices.DeleteFunc(files, func(f string) bool { return f == output })
}

// Parts are the files that may be parts of the recording to output.
func Parts(output string) []string {
	target, err := CanonicalOutput(output)
	if err != nil {
		return nil
	}
	return candidates(target)
}

// partFile is an archive that may belong to an output.
type partFile struct {
	path  string
	at    os.FileInfo // when it was read
	calls uint64
	merge.Source
}

// openPart reads an archive that the user named, or that is ours.
func openPart(path string) (*partFile, error) {
	f, err := safefile.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readPart(f, func(*archive.Archive) error { return nil })
}

// errOther is about a file beside an output that has nothing to do with it.
var errOther = errors.New("no part of the recording")

// openNeighbour reads a file beside output if it is a part of it.
func openNeighbour(path, output string, owner uint32) (*partFile, error) {
	return openOwned(path, owner, func(a *archive.Archive) error {
		if a.Meta().Options[merge.OptionPartOf] != filepath.Base(output) {
			return errOther
		}
		return nil
	})
}

// openOwned reads an archive that is wanted and belongs to the user owner. Whatever else may have its name, or lead
// elsewhere, is neither followed nor read.
func openOwned(path string, owner uint32, wanted func(*archive.Archive) error) (*partFile, error) {
	f, err := safefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return nil, err
	}
	if st.Uid != owner {
		return nil, fmt.Errorf("%s belongs to another user (%d)", path, st.Uid)
	}
	return readPart(f, wanted)
}

// readPart reads all of an archive that is wanted: the file is not needed any more.
func readPart(f *os.File, wanted func(*archive.Archive) error) (*partFile, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	a, err := archive.OpenReader(f, st.Size(), archive.FileName(f.Name()))
	if err != nil {
		return nil, err
	}
	if err := wanted(a); err != nil {
		return nil, err
	}
	c, err := a.Content()
	if err != nil {
		return nil, err
	}
	calls := uint64(0)
	for _, cl := range a.Classes() {
		n, err := cl.ProgramCalls()
		if err != nil {
			return nil, err
		}
		calls += n
	}
	source := merge.Source{Name: filepath.Base(f.Name()), Content: c}
	return &partFile{path: f.Name(), at: st, calls: calls, Source: source}, nil
}

// partOf says whether the archive is to become part of output.
func (p *partFile) partOf(output string) bool {
	return p.Content.Meta.Options[merge.OptionPartOf] == filepath.Base(output)
}

// remove removes the file, unless it is another one by now.
func (p *partFile) remove() {
	d, err := safefile.OpenDir(filepath.Dir(p.path))
	if err != nil {
		return
	}
	defer d.Close()
	was, ok := p.at.Sys().(*syscall.Stat_t)
	now, err := d.Stat(filepath.Base(p.path))
	if err == nil && ok && stateOf(now) == (fileState{was.Ino, was.Size, was.Mtim.Nano()}) {
		d.Remove(filepath.Base(p.path))
	}
}

// OpenOutput opens the archive of a recording to output, where it may be in another place: main,
// from Recover. Parts that collectors of other nodes left beside output are merged into it first;
// they are removed when the whole is safe. Two may do this at once, and it may be interrupted.
// Where nothing can be written, the whole is made for this reading only. note is told what was left
// out, and why. The error is os.ErrNotExist if there is nothing.
func OpenOutput(output, main string, note func(text string)) (*archive.Archive, error) {
	target, err := CanonicalOutput(output)
	if err != nil {
		return nil, err
	}
	main, kept := mainFile(target, main)
	if len(kept)+len(candidates(target)) == 0 {
		return openAlone(main)
	}
	lock, locked := lockOutput(target, 10*time.Second)
	defer lock.release()
	u, err := gather(target, main, kept, note)
	if err != nil {
		return nil, err
	}
	if u == nil { // the files beside are something else
		return openAlone(main)
	}
	if locked && !u.kept && u.ours {
		if _, err := writeArchive(target, u.mode, u.whole, func() {}); err == nil {
			u.removeParts()
			return archive.Open(output)
		}
	}
	return openUnwritten(output, u.whole)
}

// openAlone opens an archive that has no parts.
func openAlone(path string) (*archive.Archive, error) {
	if c, ok := readClaim(path); ok {
		return nil, &claimedError{path, c}
	}
	return archive.Open(path)
}

// united is the whole of an output and its parts.
type united struct {
	whole *merge.Part
	parts []*partFile // whose processes are all in whole
	kept  bool        // some lie where collectors could not write their archives to
	ours  bool        // what it replaces is this user's
	mode  os.FileMode // of what it replaces
}

func (u *united) removeParts() {
	for _, p := range u.parts {
		p.remove()
	}
}

// mainFile says which file holds the archive of the collector of rank 0, as far as there is one,
// and lists the archives that other collectors could not write to their place. recovered is the
// last that Recover dealt with.
func mainFile(output, recovered string) (main string, kept []string) {
	main = output
	for _, dir := range FindStates(output) {
		if job, err := ReadJob(dir); err == nil && job.Archive != "" {
			path := filepath.Join(dir, KeptArchive)
			if job.Part == "" {
				main = path
			} else {
				kept = append(kept, path)
			}
		}
	}
	if main == output && recovered != "" && !slices.Contains(kept, recovered) &&
		!slices.Contains(candidates(output), recovered) {
		main = recovered
	}
	return main, kept
}

// gather reads what belongs to output. It returns nil if there is nothing but main.
func gather(output, main string, kept []string, note func(string)) (*united, error) {
	var first *partFile
	owner, mode := uint32(os.Geteuid()), SharedMode
	_, claimed := readClaim(main)
	p, err := openPart(main)
	switch {
	case claimed: // it holds the place
	case err == nil:
		first = p
		if st, ok := p.at.Sys().(*syscall.Stat_t); ok {
			owner, mode = st.Uid, p.at.Mode().Perm()
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	var parts []*partFile
	for _, path := range candidates(output) {
		if slices.Contains(kept, path) {
			continue
		}
		p, err := openNeighbour(path, output, owner)
		switch {
		case errors.Is(err, fs.ErrNotExist): // somebody else merged it just now
		case errors.Is(err, errOther):
		case err != nil:
			note(fmt.Sprintf("left out: %v", err))
		default:
			parts = append(parts, p)
		}
	}
	for _, path := range kept {
		p, err := openPart(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			note(fmt.Sprintf("left out: %v", err))
		}
		if err == nil {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	if first == nil {
		first = newest(parts)
		mode = first.at.Mode().Perm()
	}
	for _, p := range parts {
		mode = narrowed(mode, p.at)
	}
	u, err := unite(output, first, parts, note)
	if err != nil || u == nil {
		return nil, err
	}
	u.kept = len(kept) > 0 || slices.Contains(kept, main)
	u.ours, u.mode = owner == uint32(os.Geteuid()), mode
	return u, nil
}

// newest is the part of the recording that began last.
func newest(parts []*partFile) *partFile {
	return slices.MaxFunc(
		parts,
		func(a, b *partFile) int { return a.Content.Meta.Created.Compare(b.Content.Meta.Created) },
	)
}

func unite(output string, first *partFile, parts []*partFile, note func(string)) (*united, error) {
	byRank := slices.SortedFunc(
		slices.Values(parts),
		func(a, b *partFile) int { return merge.SourceOrder(a.Source, b.Source) },
	)
	byRank = slices.DeleteFunc(byRank, func(p *partFile) bool { return p == first })
	sources := []merge.Source{first.Source}
	for _, p := range byRank {
		sources = append(sources, p.Source)
	}
	whole, outcomes, err := merge.Assemble(sources, true)
	if err != nil {
		return nil, fmt.Errorf("merging the parts of %s: %w", output, err)
	}
	u := &united{whole: whole}
	if first.partOf(output) {
		u.parts = append(u.parts, first)
	}
	for i, o := range outcomes[1:] {
		if o.Foreign != "" {
			note(fmt.Sprintf("%s is left out: %s", o.Name, o.Foreign))
			continue
		}
		u.parts = append(u.parts, byRank[i])
	}
	if len(u.parts) == 0 {
		return nil, nil
	}
	return u, nil
}

// openUnwritten opens an archive that has no place: in a file without a name, or in memory. It is made to be read at
// once.
func openUnwritten(name string, p *merge.Part) (*archive.Archive, error) {
	content, err := p.Content()
	if err != nil {
		return nil, err
	}
	if f, err := safefile.Unnamed(); err == nil {
		if err = content.WriteApart(f); err == nil {
			if n, err := f.Seek(0, io.SeekEnd); err == nil {
				return archive.OpenReader(f, n, archive.FileName(name))
			}
		}
		f.Close()
	}
	var b bytes.Buffer
	if err := content.WriteApart(&b); err != nil {
		return nil, err
	}
	return archive.OpenReader(bytes.NewReader(b.Bytes()), int64(b.Len()), archive.FileName(name))
}

// MergeReport says what Merge did.
type MergeReport struct {
	// Ranks and Bytes are those of the merged archive.
	Ranks int
	Bytes int64
	// Sources says what came from each file.
	Sources []merge.Outcome
}

// Merge merges archives of one run into output, which may be among them or exist as an earlier
// result of the same. The files stay as they are. Who may not read one of them may not read the result. It fails if they
// are of different runs.
func Merge(output string, files []string) (*MergeReport, error) {
	target, err := CanonicalOutput(output)
	if err != nil {
		return nil, err
	}
	lock, _ := lockOutput(target, 10*time.Second)
	defer lock.release()
	var parts []*partFile
	mode := SharedMode
	for _, f := range files {
		p, err := openPart(f)
		if err != nil {
			return nil, err
		}
		p.Name = f
		parts = append(parts, p)
		mode = narrowed(mode, p.at)
	}
	if err := CheckOutput(target, true); err != nil {
		return nil, err
	}
	if c, claimed := readClaim(target); claimed {
		return nil, &claimedError{target, c}
	}
	if old, err := openPart(target); err == nil {
		mode = narrowed(mode, old.at)
		if !slices.ContainsFunc(parts, func(p *partFile) bool { return os.SameFile(p.at, old.at) }) {
			old.Name = output
			parts = append(parts, old)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	slices.SortStableFunc(parts, func(a, b *partFile) int { return merge.SourceOrder(a.Source, b.Source) })
	var sources []merge.Source
	for _, p := range parts {
		sources = append(sources, p.Source)
	}
	whole, outcomes, err := merge.Assemble(sources, false)
	if err != nil {
		return nil, err
	}
	for _, o := range outcomes {
		if o.Foreign != "" {
			return nil, fmt.Errorf("%s does not belong to %s: %s", o.Name, outcomes[0].Name, o.Foreign)
		}
	}
	n, err := writeArchive(target, mode, whole, func() {})
	if err != nil {
		return nil, err
	}
	return &MergeReport{Ranks: whole.Ranks(), Bytes: n, Sources: outcomes}, nil
}

// outputLock is held by whoever writes an output that has parts. It is a file beside the output,
// which is gone when nobody holds the lock.
type outputLock struct {
	dir *safefile.Dir
	f   *os.File
}

// lockOutput waits for the lock of an output, for at most the given time. ok is false if it could
// not get the lock: where nothing can be written, or where the file system has no locks.
func lockOutput(output string, wait time.Duration) (l outputLock, ok bool) {
	name := safefile.Beside(filepath.Base(output), ".lock")
	dir, err := safefile.OpenDir(filepath.Dir(output))
	if err != nil {
		return outputLock{}, false
	}
	for end := time.Now().Add(wait); ; time.Sleep(5 * time.Millisecond) {
		f, err := dir.Lock(name, unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			// Whoever held it before us may have removed the file. A lock that others can hold is none.
			var have unix.Stat_t
			err1 := unix.Fstat(int(f.Fd()), &have)
			want, err2 := dir.Stat(name)
			if err1 == nil && int(have.Uid) != os.Geteuid() {
				f.Close()
				dir.Close()
				return outputLock{}, false
			}
			if err1 == nil && err2 == nil && have.Dev == want.Dev && have.Ino == want.Ino {
				return outputLock{dir, f}, true
			}
			f.Close()
		case !errors.Is(err, unix.EWOULDBLOCK):
			dir.Close()
			return outputLock{}, false
		}
		if time.Now().After(end) {
			dir.Close()
			return outputLock{}, false
		}
	}
}

func (l outputLock) release() {
	if l.f != nil {
		l.dir.Remove(safefile.Name(l.f))
		l.f.Close()
		l.dir.Close()
	}
}
