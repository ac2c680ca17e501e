package replay

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/replay/executor"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/record/launch"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Request is what the user asked for.
type Request struct {
	// File is the archive's name as the user gave it, for messages; Archive is the archive.
	File    string
	Archive *archive.Archive
	// Path is the file that Archive was read from. Image, if it is not nil, is the archive itself,
	// which is in no file then.
	Path  string
	Image []byte
	// Recorded says that outcomes are forced.
	Recorded bool
	// Gaps and Scale are as in Options.
	Gaps  bool
	Scale float64
	// Scratch is the directory for files, empty for a fresh one.
	Scratch string
	// Library is the MPI library, empty to find it.
	Library string
	// Patience is as in Options.
	Patience time.Duration
	// Quiet leaves out the list of what is not replayed.
	Quiet bool
	// Stderr takes messages.
	Stderr io.Writer
}

// A PlaceError says that the command was started in the wrong way.
type PlaceError struct{ Msg string }

// Error returns the message.
func (e *PlaceError) Error() string { return e.Msg }

// FeedCommand is the hidden command of tabard whose argument goes to Feed.
const FeedCommand = "__replay-feed"

// helperJob is what the helper is told: it feeds the executor, and removes the scratch directory at
// the end.
type helperJob struct {
	Path     string
	Rank     int
	Forced   bool
	Gaps     bool
	Scale    float64
	Library  string
	Scratch  string
	Remove   bool // Scratch is removed by the last one
	Patience time.Duration
	Streams  int // number of pipes
	Image    int // descriptor of an archive that is in no file, 0 for none
	Parent   int
}

// starter is one call of Start.
type starter struct {
	r       *Request
	place   launch.Place
	lib     *Library
	streams []*archive.Stream
	options Options
	remove  bool
	share   *os.File // of the scratch directory
}

// Start replays this process's rank: it becomes the executor, and returns only if that is
// impossible. Ranks other than the first fail silently where all do.
func Start(r *Request) error {
	s := &starter{r: r, place: launch.PlaceOf()}
	err := s.prepare()
	if err == nil {
		err = s.start()
	}
	var place *PlaceError
	if errors.As(err, &place) && !launch.Speaks() {
		return &PlaceError{} // the first rank says it
	}
	return err
}

func (s *starter) prepare() error {
	a := s.r.Archive
	err := cmp.Or(launch.CheckObject("replay executor", executor.Program()),
		launch.CheckObject("replay executor", executor.Shim()))
	if err != nil {
		return err
	}
	if s.r.Library != "" {
		s.lib, err = OpenLibrary(s.r.Library)
	} else {
		s.lib, err = FindLibrary(s.place, a.Meta().ABI)
	}
	if err != nil {
		return &PlaceError{err.Error()}
	}
	target := program.Target{Translation: program.Translation{From: a.Meta().ABI, To: s.lib.ABI}, Has: s.lib.Has}
	s.options = Options{Target: target, Forced: s.r.Recorded, Gaps: s.r.Gaps, Scale: s.r.Scale, Patience: s.r.Patience}
	found, err := program.Survey(a, target)
	if err != nil {
		return err
	}
	if err := s.check(found); err != nil {
		return err
	}
	rank := max(s.place.Rank, 0)
	if s.streams = streamsOf(a, rank); len(s.streams) == 0 {
		return fmt.Errorf("%s holds no calls of rank %d", s.r.File, rank)
	}
	if rank == 0 && !s.r.Quiet {
		Tell(s.r.Stderr, a, found)
	}
	return s.scratch()
}

// check compares the job with the recording.
func (s *starter) check(found *program.Result) error {
	file, p := s.r.File, s.place
	size := found.Size
	if size == 0 {
		return &PlaceError{fmt.Sprintf("%s holds no process that initialised MPI: there is nothing to replay", file)}
	}
	command := fmt.Sprintf("mpirun -n %d tabard replay %s", size, render.ShellWord(file))
	switch {
	case p.Rank < 0 && size > 1:
		return &PlaceError{fmt.Sprintf("%s is of %d ranks, which a launcher has to start: %s", file, size, command)}
	case p.Rank >= 0 && p.Size > 0 && p.Size != size:
		return &PlaceError{fmt.Sprintf("%s is of %d ranks, but %d were started: %s, or --ranks=%d for what a job "+
			"of that size would do", file, size, p.Size, command, p.Size)}
	case found.Ranks < size:
		return &PlaceError{fmt.Sprintf("%s holds %d of %d ranks: a replay needs all", file, found.Ranks, size)}
	}
	if s.r.Gaps {
		for _, x := range streamsOf(s.r.Archive, max(p.Rank, 0)) {
			if !x.Timed() {
				return &PlaceError{fmt.Sprintf("%s has no times of single calls (it was recorded with "+
					"--timing=%s): replay with --timing=asap", file, s.r.Archive.Meta().Options["timing"])}
			}
		}
	}
	return nil
}

// streamsOf are the streams of a rank of the launched program, by thread.
func streamsOf(a *archive.Archive, rank int) []*archive.Stream {
	var list []*archive.Stream
	for _, c := range a.Classes() {
		if g := c.Group(); !g.Unranked && g.World == 0 && c.Ranks().Contains(rank) {
			list = append(list, c.Stream(rank))
		}
	}
	slices.SortStableFunc(list, func(a, b *archive.Stream) int { return a.Thread() - b.Thread() })
	return list
}

// scratch makes the directory for files, if there are any.
func (s *starter) scratch() error {
	x, err := filesOf(s.r.Archive, s.streams)
	if err != nil || !x.used {
		return err
	}
	dir := s.r.Scratch
	if s.remove = dir == ""; s.remove {
		s.share, dir, err = safefile.Share(fmt.Sprintf("tabard-replay-%d-%s", os.Getuid(), collect.Hash(s.place.Job)))
	} else {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return err
	}
	if strings.Contains(dir, ":") {
		return &PlaceError{fmt.Sprintf("%s: MPI libraries take what stands before a colon for the kind of a file "+
			"system: name another directory with --scratch", dir)}
	}
	if !s.remove {
		if err := ownScratch(dir); err != nil {
			return err
		}
	}
	s.options.Scratch = dir
	return x.make(dir)
}

// ownScratch makes the directory that the user named, unless it is there. It refuses one where others could put links
// that lead to other files, or that they could exchange for one with such links.
func ownScratch(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return &os.PathError{Op: "stat", Path: dir, Err: err}
	}
	err := safefile.Trusted(dir)
	if err == nil && (int(st.Uid) != os.Geteuid() || st.Mode&0o022 != 0) {
		err = fmt.Errorf("others can put files into %s", dir)
	}
	if err != nil {
		return &PlaceError{fmt.Sprintf("%v: name a directory with --scratch that is yours, and that only you can "+
			"change", err)}
	}
	return nil
}

// start lowers the streams and becomes the executor.
func (s *starter) start() error {
	s.options.Threads = s.streams
	programs := make([]*Program, len(s.streams))
	streams := false
	for i, x := range s.streams {
		p, err := Lower(x, &s.options)
		if err != nil {
			return fmt.Errorf("%s: %w", s.r.File, err)
		}
		p.thread(i, len(s.streams), unfinished(s.streams))
		programs[i] = p
		streams = streams || p.Streams
	}
	dir, remove, err := extract()
	if err != nil {
		return err
	}
	defer remove() // if we come back
	var fds []int
	var pipes []*os.File
	for _, p := range programs {
		fd, pipe, err := source(p, streams)
		if err != nil {
			return err
		}
		fds = append(fds, fd)
		if pipe != nil {
			pipes = append(pipes, pipe)
		}
	}
	if streams || s.remove {
		if err := s.help(pipes); err != nil {
			return err
		}
	}
	list := make([]string, len(fds))
	for i, fd := range fds {
		list[i] = strconv.Itoa(fd)
	}
	exe := filepath.Join(dir, programName)
	err = syscall.Exec(exe, []string{programName, strings.Join(list, ","), s.lib.Path, dir}, os.Environ())
	return fmt.Errorf("%s: %w", exe, err)
}

// source is the descriptor that the executor reads a program from: a file in memory, or a pipe
// whose other end the helper gets.
func source(p *Program, pipe bool) (fd int, w *os.File, err error) {
	if pipe {
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
			return 0, nil, err
		}
		_, err := unix.FcntlInt(uintptr(ends[0]), unix.F_SETFD, 0)
		unix.FcntlInt(uintptr(ends[0]), unix.F_SETPIPE_SZ, 1<<20) // larger is better, no more
		return ends[0], os.NewFile(uintptr(ends[1]), "pipe"), err
	}
	if fd, err = unix.MemfdCreate("tabard-replay", 0); err != nil {
		return 0, nil, err
	}
	if err := writeWords(fdWriter(fd), p.Words()); err != nil {
		return 0, nil, err
	}
	_, err = unix.Seek(fd, 0, io.SeekStart)
	return fd, nil, err
}

type fdWriter int

func (f fdWriter) Write(b []byte) (int, error) { return unix.Write(int(f), b) }

// writeWords writes words in the byte order of this machine, which the executor has, too.
func writeWords(w io.Writer, words []uint64) error {
	for len(words) > 0 {
		n := min(len(words), 1<<16)
		b := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*n)
		for len(b) > 0 {
			k, err := w.Write(b)
			if err != nil {
				return err
			}
			b = b[k:]
		}
		words = words[n:]
	}
	return nil
}

// help starts the helper.
func (s *starter) help(pipes []*os.File) error {
	r := s.r
	files := append([]*os.File(nil), pipes...)
	if s.share != nil {
		files = append(files, s.share)
	}
	image := 0
	if r.Image != nil {
		f, err := imageFile(r.Image)
		if err != nil {
			return err
		}
		defer f.Close()
		files, image = append(files, f), 3+len(files)
	}
	job, err := json.Marshal(&helperJob{Path: r.Path, Image: image, Rank: max(s.place.Rank, 0), Forced: r.Recorded,
		Gaps: r.Gaps, Scale: r.Scale, Library: s.lib.Path,
		Scratch: s.options.Scratch, Remove: s.remove, Patience: r.Patience, Streams: len(pipes), Parent: os.Getpid()})
	if err != nil {
		return err
	}
	return launch.StartHelper([]string{FeedCommand, string(job)}, files)
}

// extract writes the executor into a directory of its own, which the executor removes, or remove if it does not start.
func extract() (dir string, remove func(), err error) {
	var errs []error
	for _, root := range []string{os.TempDir(), "/dev/shm", "/var/tmp"} {
		d, remove, err := safefile.ScratchIn(root, "tabard-replay-")
		if err == nil {
			err = errors.Join(launch.Extract(d.Join(programName), executor.Program()),
				launch.Extract(d.Join(shimName), executor.Shim()))
			if err == nil {
				return d.Path(), remove, nil
			}
			remove()
		}
		errs = append(errs, err)
	}
	return "", nil, fmt.Errorf("no place for the executor (set TMPDIR): %w", errors.Join(errs...))
}

// imageFile puts an archive into a file in memory.
func imageFile(b []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("tabard-archive", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "archive")
	if _, err := f.Write(b); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Names of the executor and of the library that it needs beside it.
const (
	programName = "tabard-replay"
	shimName    = "libtabardreplay.so"
)
