package replay

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/internal/workers"
)

// Feed is the helper of one rank: it writes the programs of its threads to pipes, waits for the end
// of the executor, and removes the scratch directory if it was the last one. args is what Start
// passes, open opens the archive.
func Feed(args []string, open func(path string) (*archive.Archive, error)) error {
	if len(args) != 1 {
		return errors.New("for internal use")
	}
	var j helperJob
	if err := json.Unmarshal([]byte(args[0]), &j); err != nil {
		return err
	}
	err := j.feed(open)
	if err != nil && os.Getppid() == j.Parent {
		// The executor waits for values that will not come.
		err = errors.Join(err, unix.Kill(j.Parent, unix.SIGTERM))
	}
	if j.Remove {
		waitFor(j.Parent)
		err = errors.Join(err, j.removeScratch())
	}
	return err
}

// feed writes all programs.
func (j *helperJob) feed(open func(path string) (*archive.Archive, error)) error {
	if j.Streams == 0 {
		return nil
	}
	lib, err := OpenLibrary(j.Library)
	if err != nil {
		return err
	}
	var a *archive.Archive
	if j.Image > 0 {
		a, err = openImage(j.Image)
	} else {
		a, err = open(j.Path)
	}
	if err != nil {
		return err
	}
	defer a.Close()
	o := Options{Target: program.Target{Translation: program.Translation{From: a.Meta().ABI, To: lib.ABI},
		Has: lib.Has},
		Forced: j.Forced, Gaps: j.Gaps, Scale: j.Scale, Scratch: j.Scratch, Patience: j.Patience}
	streams := streamsOf(a, j.Rank)
	if len(streams) != j.Streams {
		return fmt.Errorf("%s has changed", j.Path)
	}
	o.Threads = streams
	errs := make([]error, len(streams))
	var wait workers.Group
	for i, s := range streams {
		wait.Go(func() {
			w := os.NewFile(uintptr(3+i), "pipe")
			errs[i] = feedOne(w, s, &o, i, streams)
			w.Close()
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// openImage opens an archive that is in a file in memory.
func openImage(fd int) (*archive.Archive, error) {
	f := os.NewFile(uintptr(fd), "archive")
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return archive.OpenReader(f, st.Size())
}

// feedOne writes the program of one thread.
func feedOne(file *os.File, s *archive.Stream, o *Options, i int, streams []*archive.Stream) error {
	p, err := Lower(s, o)
	if err != nil {
		return err
	}
	p.thread(i, len(streams), unfinished(streams))
	w := bufio.NewWriterSize(file, 1<<16)
	if err = writeWords(w, p.Words()); err == nil {
		if err = w.Flush(); err == nil {
			err = p.Feed(func(words []uint64) error {
				if err := writeWords(w, words); err != nil {
					return err
				}
				return w.Flush()
			})
		}
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil // the executor has ended, and says why
	}
	return err
}

// waitFor waits for the end of a process that is our parent.
func waitFor(pid int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	for os.Getppid() == pid {
		if n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1); n > 0 || err != nil &&
			err != unix.EINTR {
			return
		}
	}
}

// removeScratch removes the scratch directory if no other rank uses it. This rank's share is the
// descriptor after the pipes.
func (j *helperJob) removeScratch() error {
	share := os.NewFile(uintptr(3+j.Streams), j.Scratch)
	defer share.Close()
	return safefile.RemoveShared(share, j.Scratch)
}
