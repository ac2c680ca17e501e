package collect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Names of files in a state directory.
const (
	JobFile      = "job.json"
	LogFile      = "collector.log"
	RegisterLock = "register.lock"
	CollectLock  = "collector.lock"
	// KeptArchive is the archive when it could not be written to the output.
	KeptArchive = "archive.tabard"
	// LibraryFile is the name of the runtime that is preloaded; versions before kept it here.
	LibraryFile = "libtabard.so"

	endedFile  = "ended"
	jobsFile   = "jobs" // see HandOver
	rankPrefix = "rank."
	// PlanPrefix begins the names of plans for the functions of a program.
	PlanPrefix = "plan."
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
	// CPUs limits the share of the node's processors that the collector has while ranks compute, 0 none.
	CPUs float64 `json:"cpus,omitempty"`
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
	// Claim is in the file that holds the place of the archive: that may be replaced. So may what this job wrote
	// (Written), and what was there when it began if the user said so (Replaces).
	Claim    string     `json:"claim,omitempty"`
	Written  *fileState `json:"written,omitempty"`
	Replaces *fileState `json:"replaces,omitempty"`
	// Private keeps the archive from other users.
	Private bool `json:"private,omitempty"`
	// Launcher started the ranks of this node: as long as it lives, some may still come.
	Launcher ring.ProcessID `json:"launcher"`
	// OfScript says that a recorded script started the job. First is the first name that such a job tried, if
	// another one held it: that may turn out to have nothing to record.
	OfScript bool   `json:"of_script,omitempty"`
	First    string `json:"first,omitempty"`
}

// Registration is a process that the launcher registered.
type Registration struct {
	ring.ProcessID
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

// ReadJob reads job.json of a state directory.
func ReadJob(dir string) (*Job, error) {
	d, err := safefile.OpenPrivate(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return readJob(d)
}

func readJob(d *safefile.Dir) (*Job, error) {
	b, err := d.ReadFile(JobFile, limitSmall)
	if err != nil {
		return nil, err
	}
	j := new(Job)
	if err := json.Unmarshal(b, j); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Join(JobFile), err)
	}
	return j, nil
}

// limitSmall bounds the files that are read as a whole: job.json and registrations.
const limitSmall = 64 << 20

// write replaces job.json.
func (j *Job) write(d *safefile.Dir) error {
	b, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	return d.WriteFile(JobFile, append(b, '\n'), true)
}

// CreateState makes dir the state directory of job unless it is one already. If several processes
// try at once, one decides. created says whether it was this one. Where another place was decided on than this process
// has claimed for the job, as a name was free to one of them alone, it gives that up.
func CreateState(dir string, job *Job, config ring.Config) (created bool, err error) {
	if created, err = createState(dir, job, config); err != nil {
		return false, err
	}
	if decided, err := ReadJob(dir); err == nil && decided.Output != job.Output {
		job.GiveUp()
	}
	return created, nil
}

// GiveUp releases what a process has claimed for a job without need. Other nodes may have settled on it: theirs is left.
func (j *Job) GiveUp() {
	if !j.Shared {
		Release(j.Output, j.Claim)
	}
}

func createState(dir string, job *Job, config ring.Config) (created bool, err error) {
	root, err := safefile.MakePrivate(filepath.Dir(dir))
	if err != nil {
		return false, err
	}
	defer root.Close()
	d, err := root.MakePrivate(filepath.Base(dir))
	if err != nil {
		return false, err
	}
	defer d.Close()
	if d.Has(ring.ControlFile) {
		return false, nil
	}
	// job.json comes first: where there is a control page there is a job.
	b, err := json.MarshalIndent(job, "", "  ")
	if err != nil {
		return false, err
	}
	if err := d.WriteNew(JobFile, append(b, '\n')); err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	LinkRoot(filepath.Dir(dir), job.Output)
	err = ring.CreateControl(d, config)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// ErrEnded is returned by Register for a job that has ended.
var ErrEnded = errors.New("the recording has ended")

// Register adds a process to the job in dir, or returns ErrEnded.
func Register(dir string, r *Registration) error {
	return ring.Guarded(func() error { return join(dir, r) })
}

func join(dir string, r *Registration) error {
	d, err := safefile.OpenPrivate(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrEnded
	}
	if err != nil {
		return err
	}
	defer d.Close()
	lock, err := d.Lock(RegisterLock, unix.LOCK_SH)
	if err != nil {
		if !d.Has(ring.ControlFile) {
			return ErrEnded
		}
		return err
	}
	defer lock.Close()
	// It may have been renamed away between our look-up and the lock: then it is not at dir any more.
	if d.Has(endedFile) || !d.Has(ring.ControlFile) || !d.IsAt(dir) {
		return ErrEnded
	}
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	control, err := ring.OpenControl(d)
	if err != nil {
		return err
	}
	defer control.Close()
	if err := d.WriteFile(rankPrefix+r.ProcessID.String(), b, true); err != nil {
		return err
	}
	control.AddFile()
	return nil
}

// Abandon removes a state directory that no process has registered in, with its second place.
func Abandon(output, dir string) {
	root, err := safefile.OpenPrivate(filepath.Dir(dir))
	if err != nil {
		return
	}
	defer root.Close()
	d, err := root.OpenPrivate(filepath.Base(dir))
	if err != nil {
		return
	}
	defer d.Close()
	lock, err := d.Lock(RegisterLock, unix.LOCK_EX)
	if err != nil {
		return
	}
	defer lock.Close()
	names, err := d.Names()
	if err != nil || slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, rankPrefix) }) {
		return
	}
	if job, err := readJob(d); err == nil {
		Release(job.Output, job.Claim)
	}
	removeSpill(SpillOf(output, dir))
	root.RemoveAll(filepath.Base(dir), ofState)
}

// HandOver tells the recording of a script, whose state directory dir is, that a job of the script has one of its own.
// Unless the script called MPI itself, the job may have its place. first says that the job is the first one.
func HandOver(dir, job string) (first bool) {
	d, err := safefile.OpenPrivate(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	if err := d.WriteNew(jobsFile, []byte(job)); err != nil && !errors.Is(err, fs.ErrExist) {
		return false
	}
	b, err := d.ReadFile(jobsFile, limitSmall)
	first = err == nil && string(b) == job
	c, err := ring.OpenControl(d)
	if err != nil {
		return first
	}
	defer c.Close()
	if j, err := readJob(d); err == nil && c.Initialized() == 0 {
		Release(j.Output, j.Claim)
	}
	return first
}

// Hush keeps the collector of a state directory from saying, of a program that did not start, that it made no MPI call.
func Hush(dir string) {
	d, err := safefile.OpenPrivate(dir)
	if err != nil {
		return
	}
	defer d.Close()
	_ = ring.Guarded(func() error {
		c, err := ring.OpenControl(d)
		if err == nil {
			c.Say()
			err = c.Close()
		}
		return err
	})
}

// removeSpill removes a second place for segments.
func removeSpill(spill string) error {
	if spill == "" {
		return nil
	}
	root, err := safefile.OpenPrivate(filepath.Dir(spill))
	if err != nil {
		return err
	}
	defer root.Close()
	return root.RemoveAll(filepath.Base(spill), ofState)
}

// RemoveEmpty removes a second place for segments that nobody uses.
func RemoveEmpty(spill string) {
	if root, err := safefile.OpenPrivate(filepath.Dir(spill)); err == nil {
		root.RemoveDir(filepath.Base(spill))
		root.Close()
	}
}

// ofState says that a file in a state directory, or in a second place, is one of Tabard's. Nothing else is removed.
func ofState(name string) bool {
	switch name {
	case JobFile, LogFile, RegisterLock, CollectLock, KeptArchive, endedFile, ring.ControlFile, LibraryFile, unitedFile,
		jobsFile, WantsFile:
		return true
	}
	if _, _, _, ok := ring.ParseSegmentName(name); ok {
		return true
	}
	for _, pattern := range []string{
		rankPrefix + "*", "[0-9]*.ckpt", "[0-9]*.ckpt.tmp", "[0-9]*.journal", "[0-9]*.times", "node.[0-9]*.tabard",
		"f.[0-9]*", PlanPrefix + "*", ".*",
	} {
		if ok, _ := filepath.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

func readRegistration(d *safefile.Dir, name string) (*Registration, error) {
	b, err := d.ReadFile(name, limitSmall)
	if err != nil {
		return nil, err
	}
	r := new(Registration)
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Join(name), err)
	}
	return r, nil
}

// Elect returns the lock of the collector of dir if nobody holds it, else
// nil: then a collector lives or is being started.
func Elect(dir string) (*os.File, error) {
	d, err := safefile.OpenPrivate(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	f, err := d.Lock(CollectLock, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, nil
	}
	return f, err
}

// IsCollectLock tells whether a descriptor is that of the collector's lock of dir.
func IsCollectLock(dir string, fd int) bool {
	d, err := safefile.OpenPrivate(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	var have unix.Stat_t
	want, err := d.Stat(CollectLock)
	return err == nil && unix.Fstat(fd, &have) == nil && have.Dev == want.Dev && have.Ino == want.Ino
}

// OpenLog opens the collector's log of dir.
func OpenLog(dir string) (*os.File, error) {
	d, err := safefile.OpenPrivate(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.OpenFile(LogFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

const (
	removedMark = ".removed-"
	keptMark    = ".kept-"
)

// setAside moves a state directory out of the way of the next job with its key.
func setAside(d *safefile.Dir, mark string) error {
	dir := d.Path()
	root, err := safefile.OpenPrivate(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer root.Close()
	if !d.IsAt(dir) {
		return fmt.Errorf("%s: %w", dir, errGone)
	}
	key, _, _ := strings.Cut(filepath.Base(dir), keptMark)
	for i := os.Getpid(); ; i++ {
		to := fmt.Sprintf("%s%s%d", key, mark, i)
		if root.Has(to) {
			continue
		}
		if err := root.Rename(filepath.Base(dir), to); err != nil {
			return err
		}
		d.Moved(root.Join(to))
		return nil
	}
}
