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

// partFile is an archive that may belong to an output.
type partFile struct {
	path  string
	at    os.FileInfo // when it was read
	calls uint64
	merge.Source
}

func openPart(path string) (*partFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	a, err := archive.OpenReader(f, st.Size(), archive.FileName(path))
	if err != nil {
		return nil, err
	}
	c, err := a.Content() // all of it: the file is not needed any more
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
	return &partFile{path: path, at: st, calls: calls, Source: merge.Source{Name: filepath.Base(path), Content: c}}, nil
}

// partOf says whether the archive is to become part of output.
func (p *partFile) partOf(output string) bool {
	return p.Content.Meta.Options[merge.OptionPartOf] == filepath.Base(output)
}

// remove removes the file, unless it is another one by now.
func (p *partFile) remove() {
	if st, err := os.Lstat(p.path); err == nil && os.SameFile(st, p.at) && st.ModTime().Equal(p.at.ModTime()) {
		os.Remove(p.path)
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
		return archive.Open(main)
	}
	lock, locked := lockOutput(target, 10*time.Second)
	defer lock.release()
	u, err := gather(target, main, kept, note)
	if err != nil {
		return nil, err
	}
	if u == nil { // the files beside are something else
		return archive.Open(main)
	}
	if locked && !u.kept {
		if _, err := writeMerged(target, u.whole); err == nil {
			u.removeParts()
			return archive.Open(output)
		}
	}
	return openUnwritten(output, u.whole)
}

// united is the whole of an output and its parts.
type united struct {
	whole *merge.Part
	parts []*partFile // whose processes are all in whole
	kept  bool        // some lie where collectors could not write their archives to
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
	p, err := openPart(main)
	switch {
	case err == nil:
		first = p
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	var parts []*partFile
	for _, path := range slices.Concat(candidates(output), kept) {
		p, err := openPart(path)
		var broken *archive.FormatError
		switch {
		case errors.Is(err, fs.ErrNotExist): // somebody else merged it just now
		case errors.As(err, &broken):
			note(fmt.Sprintf("left out: %v", err))
		case err != nil:
			return nil, err
		case p.partOf(output) || slices.Contains(kept, path):
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	if first == nil {
		first = newest(parts)
	}
	u, err := unite(output, first, parts, note)
	if err != nil || u == nil {
		return nil, err
	}
	u.kept = len(kept) > 0 || slices.Contains(kept, main)
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

// writeMerged writes a merged archive to path: completely, or not at all.
func writeMerged(path string, p *merge.Part) (int64, error) {
	removeStale(path)
	return writeArchive(path, p, func() {})
}

// staleAfter is when a temporary file is one of a program that was killed.
const staleAfter = 10 * time.Minute

func removeStale(path string) {
	files, _ := filepath.Glob(
		filepath.Join(globQuote(filepath.Dir(path)), "."+globQuote(shorten(filepath.Base(path)))+".*.tmp"),
	)
	for _, f := range files {
		if st, err := os.Stat(f); err == nil && time.Since(st.ModTime()) > staleAfter {
			os.Remove(f)
		}
	}
}

// openUnwritten opens a merged archive that has no place: in a file without a name, or in memory.
func openUnwritten(name string, p *merge.Part) (*archive.Archive, error) {
	if f, err := os.CreateTemp("", ".tabard-*"); err == nil {
		os.Remove(f.Name())
		if err = p.Write(f); err == nil {
			if n, err := f.Seek(0, io.SeekEnd); err == nil {
				return archive.OpenReader(f, n, archive.FileName(name))
			}
		}
		f.Close()
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
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
// result of the same. The files stay as they are. It fails if they are of different runs.
func Merge(output string, files []string) (*MergeReport, error) {
	target, err := CanonicalOutput(output)
	if err != nil {
		return nil, err
	}
	lock, _ := lockOutput(target, 10*time.Second)
	defer lock.release()
	var parts []*partFile
	for _, f := range files {
		p, err := openPart(f)
		if err != nil {
			return nil, err
		}
		p.Name = f
		parts = append(parts, p)
	}
	if old, err := openPart(target); err == nil {
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
	n, err := writeMerged(target, whole)
	if err != nil {
		return nil, err
	}
	return &MergeReport{Ranks: whole.Ranks(), Bytes: n, Sources: outcomes}, nil
}

// outputLock is held by whoever writes an output that has parts. It is a file beside the output,
// which is gone when nobody holds the lock.
type outputLock struct {
	f *os.File
}

// lockOutput waits for the lock of an output, for at most the given time. ok is false if it could
// not get the lock: where nothing can be written, or where the file system has no locks.
func lockOutput(output string, wait time.Duration) (l outputLock, ok bool) {
	name := "." + shorten(filepath.Base(output)) + ".lock"
	path := filepath.Join(filepath.Dir(output), name)
	dir, err := safefile.OpenDir(filepath.Dir(output))
	if err != nil {
		return outputLock{}, false
	}
	defer dir.Close()
	for end := time.Now().Add(wait); ; time.Sleep(5 * time.Millisecond) {
		f, err := dir.Lock(name, unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			// Whoever held it before us may have removed the file.
			have, err1 := f.Stat()
			if want, err2 := os.Stat(path); err1 == nil && err2 == nil && os.SameFile(have, want) {
				return outputLock{f}, true
			}
			f.Close()
		case !errors.Is(err, unix.EWOULDBLOCK):
			return outputLock{}, false
		}
		if time.Now().After(end) {
			return outputLock{}, false
		}
	}
}

func (l outputLock) release() {
	if l.f != nil {
		os.Remove(l.f.Name())
		l.f.Close()
	}
}
