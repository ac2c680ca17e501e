package collect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// Names of files in a state directory.
const (
	JobFile      = "job.json"
	LogFile      = "collector.log"
	RegisterLock = "register.lock"
	CollectLock  = "collector.lock"
	// KeptArchive is the archive when it could not be written to the output.
	KeptArchive = "archive.tabard"

	endedFile  = "ended"
	rankPrefix = "rank."
)

// Job is what a state directory is about: the contents of job.json.
type Job struct {
	// Output is the absolute path of the archive.
	Output  string            `json:"output"`
	Command []string          `json:"command"`
	Options map[string]string `json:"options,omitempty"`
	Created time.Time         `json:"created"`
	Tool    string            `json:"tool"`
	Host    string            `json:"host"`
	// LocalRanks is how many processes will register on this node, 0 unknown.
	LocalRanks int `json:"local_ranks,omitempty"`
	// SegmentsMax is the number of segments in the ring of a thread.
	SegmentsMax int `json:"segments_max"`
	// Shown is the output as the user gave it.
	Shown string `json:"shown,omitempty"`
	// KeepRaw is the directory for the raw log, empty if none is kept.
	KeepRaw string `json:"keep_raw,omitempty"`
	// Ranks selects ranks of MPI_COMM_WORLD as "0-3,8", empty all.
	Ranks string `json:"ranks,omitempty"`
	Quiet bool   `json:"quiet,omitempty"`

	// Run names the job on all its nodes, empty if nothing does.
	Run string `json:"run,omitempty"`
	// Shared says that other collectors record other ranks of the job; Node is what tells them
	// apart.
	Shared bool   `json:"shared,omitempty"`
	Node   string `json:"node,omitempty"`
	// Part is where the archive goes if rank 0 is with another collector, empty if it goes to
	// Output.
	Part string `json:"part,omitempty"`
	// Keeps says that archives of other collectors, in this directory, belong into ours. Taken says
	// that another collector has ours.
	Keeps bool `json:"keeps,omitempty"`
	Taken bool `json:"taken,omitempty"`

	// Archive is where the archive is when it could not be written to Output,
	// relative to the state directory; Problem says why.
	Archive string `json:"archive,omitempty"`
	Problem string `json:"problem,omitempty"`
	// WrittenSize and WrittenTime (Unix ns) identify the archive that was
	// written to Output: it may be replaced, another may not.
	WrittenSize int64 `json:"written_size,omitempty"`
	WrittenTime int64 `json:"written_time,omitempty"`
}

// Registration is a process that the launcher registered.
type Registration struct {
	PID int `json:"pid"`
	// Start is field 22 of /proc/PID/stat; with PID it names a process for good.
	Start uint64 `json:"start"`
	// Rank, Size and LocalSize are what the environment told, -1 unknown.
	Rank      int `json:"rank"`
	Size      int `json:"size"`
	LocalSize int `json:"local_size"`
	// World names the process's MPI_COMM_WORLD among those of the job.
	World string `json:"world,omitempty"`
	// Spawned is set for the children of MPI_Comm_spawn.
	Spawned bool `json:"spawned,omitempty"`
	// Traced is not set for a rank that was not selected or cannot be traced.
	Traced  bool      `json:"traced"`
	Reason  string    `json:"reason,omitempty"`
	Command []string  `json:"command"`
	Time    time.Time `json:"time"`
}

// StateRoots lists the places where the state directory of a recording to
// output may be, best first.
func StateRoots(output string) []string {
	var roots []string
	add := func(dir string) {
		if dir != "" && filepath.IsAbs(dir) {
			if dir = filepath.Join(dir, fmt.Sprintf("tabard-%d", os.Getuid())); !slices.Contains(roots, dir) {
				roots = append(roots, dir)
			}
		}
	}
	add(os.Getenv("TABARD_STATE"))
	add("/dev/shm")
	add(os.Getenv("TMPDIR"))
	add("/tmp")
	add(filepath.Dir(output))
	return roots
}

// StateKey names the state directory of a job that records to output.
func StateKey(output, job string) string { return outputKey(output) + "-" + hash(job) }

func outputKey(output string) string { return hash(output) }

func hash(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:8])
}

// CanonicalOutput makes path absolute with the symbolic links of its directory resolved, so that
// one file has one state key. A directory that does not exist stays as it is.
func CanonicalOutput(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	return abs, nil
}

// FindStates lists the state directories of recordings to output, oldest first.
func FindStates(output string) []string {
	type state struct {
		dir string
		at  time.Time
	}
	var found []state
	for _, root := range slices.Concat(StateRoots(output), linkedRoots(output)) {
		if checkPrivate(root) != nil {
			continue // nobody else may tell us what to write where
		}
		dirs, _ := filepath.Glob(filepath.Join(globQuote(root), outputKey(output)+"-*"))
		for _, d := range dirs {
			if strings.Contains(filepath.Base(d), removedMark) {
				continue
			}
			known := slices.ContainsFunc(found, func(s state) bool { return s.dir == d })
			if job, err := ReadJob(d); err == nil && job.Output == output && !known {
				found = append(found, state{d, job.Created})
			}
		}
	}
	slices.SortFunc(found, func(a, b state) int { return a.at.Compare(b.at) })
	var dirs []string
	for _, s := range found {
		dirs = append(dirs, s.dir)
	}
	return dirs
}

// fixedRoots are the places where every later command looks, whatever its environment.
func fixedRoots(output string) []string {
	var roots []string
	for _, dir := range []string{"/dev/shm", "/tmp", filepath.Dir(output)} {
		roots = append(roots, filepath.Join(dir, fmt.Sprintf("tabard-%d", os.Getuid())))
	}
	return roots
}

// linkMark is in the names of links to roots elsewhere: record --state, TABARD_STATE and TMPDIR
// need not be repeated to a command that reads the recording.
const linkMark = ".at-"

func linkRoot(root, output string) {
	fixed := fixedRoots(output)
	if slices.Contains(fixed, root) {
		return
	}
	for _, f := range fixed {
		if privateDir(f) != nil {
			continue
		}
		if err := os.Symlink(root, filepath.Join(f, outputKey(output)+linkMark+hash(root))); err == nil ||
			errors.Is(err, os.ErrExist) {
			return
		}
	}
}

// linkedRoots are the roots elsewhere of recordings to output.
func linkedRoots(output string) []string {
	var roots []string
	for _, link := range rootLinks(output) {
		if root, err := os.Readlink(link); err == nil {
			roots = append(roots, root)
		}
	}
	return roots
}

func rootLinks(output string) []string {
	var links []string
	for _, f := range fixedRoots(output) {
		if checkPrivate(f) == nil {
			l, _ := filepath.Glob(filepath.Join(globQuote(f), outputKey(output)+linkMark+"*"))
			links = append(links, l...)
		}
	}
	return links
}

// tidyRoot removes what collectors that were killed left of state directories that were no longer
// needed, empty second places, the links of a root without a recording to output, and those that
// lead nowhere.
func tidyRoot(root, output string) {
	tidySpills(output)
	removed, _ := filepath.Glob(filepath.Join(globQuote(root), "*"+removedMark+"*"))
	for _, d := range removed {
		os.RemoveAll(d)
	}
	if left, _ := filepath.Glob(filepath.Join(globQuote(root), outputKey(output)+"-*")); len(left) > 0 {
		return
	}
	for _, link := range rootLinks(output) {
		if to, err := os.Readlink(link); err == nil && to == root {
			os.Remove(link)
		}
	}
	for _, f := range fixedRoots(output) {
		links, _ := filepath.Glob(filepath.Join(globQuote(f), "*"+linkMark+"*"))
		for _, link := range links {
			if _, err := os.Stat(link); errors.Is(err, os.ErrNotExist) {
				os.Remove(link)
			}
		}
	}
}

func globQuote(s string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(s)
}

// ReadJob reads job.json of a state directory.
func ReadJob(dir string) (*Job, error) {
	b, err := os.ReadFile(filepath.Join(dir, JobFile))
	if err != nil {
		return nil, err
	}
	j := new(Job)
	if err := json.Unmarshal(b, j); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, JobFile), err)
	}
	return j, nil
}

// write replaces job.json.
func (j *Job) write(dir string) error {
	b, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, JobFile), append(b, '\n'))
}

// writeFile replaces path atomically and durably.
func writeFile(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// CreateState makes dir the state directory of job unless it is one already. If several processes
// try at once, one decides. created says whether it was this one.
func CreateState(dir string, job *Job, config ring.Config) (created bool, err error) {
	if err := privateDir(filepath.Dir(dir)); err != nil {
		return false, err
	}
	if err := privateDir(dir); err != nil {
		return false, err
	}
	if _, err := os.Stat(filepath.Join(dir, ring.ControlFile)); err == nil {
		return false, nil
	}
	// job.json comes first: where there is a control page there is a job.
	b, err := json.MarshalIndent(job, "", "  ")
	if err != nil {
		return false, err
	}
	tmp, err := os.CreateTemp(dir, ".job-*")
	if err != nil {
		return false, err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(append(b, '\n'))
	if err = errors.Join(err, tmp.Close()); err != nil {
		return false, err
	}
	if err := os.Link(tmp.Name(), filepath.Join(dir, JobFile)); err != nil && !errors.Is(err, os.ErrExist) {
		return false, err
	}
	linkRoot(filepath.Dir(dir), job.Output)
	err = ring.CreateControl(dir, config)
	if errors.Is(err, os.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// privateDir makes dir, which must then be a directory of this user that
// nobody else can write to: it may lie in a world-writable place.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return checkPrivate(dir)
}

func checkPrivate(dir string) error {
	fi, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); !fi.IsDir() || !ok || int(st.Uid) != os.Getuid() ||
		fi.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s: not a private directory of this user", dir)
	}
	return nil
}

// ErrEnded is returned by Register for a job that has ended.
var ErrEnded = errors.New("the recording has ended")

// Register adds a process to the job in dir, or returns ErrEnded.
func Register(dir string, r *Registration) error {
	lock, err := lockFile(filepath.Join(dir, RegisterLock), unix.LOCK_SH)
	if err != nil {
		if _, e := os.Stat(filepath.Join(dir, ring.ControlFile)); errors.Is(e, os.ErrNotExist) {
			return ErrEnded
		}
		return err
	}
	defer lock.Close()
	if _, err := os.Stat(filepath.Join(dir, endedFile)); err == nil {
		return ErrEnded
	}
	if _, err := os.Stat(filepath.Join(dir, ring.ControlFile)); err != nil {
		return ErrEnded // renamed away between our look-up and the lock
	}
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	control, err := ring.OpenControl(dir)
	if err != nil {
		return err
	}
	defer control.Close()
	if err := writeFile(filepath.Join(dir, fmt.Sprintf("%s%d", rankPrefix, r.PID)), b); err != nil {
		return err
	}
	control.AddFile()
	return nil
}

// Abandon removes a state directory that no process has registered in.
func Abandon(dir string) {
	lock, err := lockFile(filepath.Join(dir, RegisterLock), unix.LOCK_EX)
	if err != nil {
		return
	}
	defer lock.Close()
	if ranks, _ := filepath.Glob(filepath.Join(globQuote(dir), rankPrefix+"*")); len(ranks) > 0 {
		return
	}
	if c, err := ring.OpenControl(dir); err == nil {
		if spill := c.SpillDir(); spill != "" {
			os.RemoveAll(spill)
		}
		c.Close()
	}
	os.RemoveAll(dir)
}

func readRegistration(path string) (*Registration, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(Registration)
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// lockFile opens path and locks it as flock(2) does; the lock lives as long as
// the open file and its copies in other processes.
func lockFile(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), how)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Elect returns the lock of the collector of dir if nobody holds it, else
// nil: then a collector lives or is being started.
func Elect(dir string) (*os.File, error) {
	f, err := lockFile(filepath.Join(dir, CollectLock), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, nil
	}
	return f, err
}

const (
	removedMark = ".removed-"
	keptMark    = ".kept-"
)

// rename moves a state directory out of the way of the next job with its key.
func setAside(dir, mark string) (string, error) {
	for i := os.Getpid(); ; i++ {
		to := fmt.Sprintf("%s%s%d", strings.SplitN(dir, keptMark, 2)[0], mark, i)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		return to, os.Rename(dir, to)
	}
}
