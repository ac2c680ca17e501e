package collect

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/container"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Where recordings go. Nothing that is there is replaced unless it belongs to the same recording or the user asked for
// it (Force), and nothing ever but a recording. So the first recording to app.tabard is app.tabard, the next one
// app-2.tabard. Its name is decided before the program starts, by whoever makes the state of the job, and holds for all
// nodes: the place is claimed by a small file in it, which names the job. Other nodes find it there. The recording
// takes its place in the end. If anything went wrong with the claim, the name is decided again when the recording is
// written.

// claimHead begins a claim. It is no recording, and says so to whoever looks at it.
const claimHead = "Tabard is recording to this file.\n"

// claim is what holds the place of a recording that is going on.
type claim struct {
	// Job names the job, equal on all of its nodes.
	Job     string    `json:"job"`
	Host    string    `json:"host"`
	Created time.Time `json:"created"`
}

const maxClaim = 4096

// numbered is the name of the n-th recording to output.
func numbered(output string, n int) string {
	if n <= 1 {
		return output
	}
	ext := filepath.Ext(output)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(output, ext), n, ext)
}

// family is what numbered names of an output have in common.
func family(output string) string {
	ext := filepath.Ext(output)
	stem := strings.TrimSuffix(output, ext)
	for {
		short := strings.TrimRight(stem, "0123456789")
		if short == stem || !strings.HasSuffix(short, "-") {
			return stem + ext
		}
		stem = strings.TrimSuffix(short, "-")
	}
}

// maxNumbered bounds the search for a free name.
const maxNumbered = 100_000

// PrivateMode and SharedMode are modes of recordings; the umask takes away from them.
const (
	PrivateMode os.FileMode = 0o600
	SharedMode  os.FileMode = 0o666
)

// Claim takes the first free name for a recording to output, or finds the one that another process of the job took.
func Claim(output, job string, mode os.FileMode) (string, error) {
	host, _ := os.Hostname()
	text, err := json.Marshal(claim{Job: job, Host: host, Created: time.Now()})
	if err != nil {
		return "", err
	}
	o, err := safefile.NewOutput(output, mode)
	if err != nil {
		return "", err
	}
	defer o.Discard()
	if _, err := o.WriteString(claimHead + string(text) + "\n"); err != nil {
		return "", err
	}
	for n := 1; n <= maxNumbered; n++ {
		name := numbered(output, n)
		if isClaimOf(name, job) {
			return name, nil
		}
		err := o.Place(filepath.Base(name))
		switch {
		case err == nil:
			return name, nil
		case !errors.Is(err, fs.ErrExist):
			return "", err
		case isClaimOf(name, job): // made meanwhile
			return name, nil
		}
	}
	return "", fmt.Errorf("%s: too many recordings beside it", output)
}

// Release gives up the place of a recording that will not be written there.
func Release(output, job string) {
	if job == "" || !isClaimOf(output, job) {
		return
	}
	d, err := safefile.OpenDir(filepath.Dir(output))
	if err != nil {
		return
	}
	defer d.Close()
	// Another node may be putting the recording there just now: what is taken away is looked at again.
	name, aside := filepath.Base(output), ".tabard-claim-"+safefile.Random()
	if d.Rename(name, aside) != nil {
		return
	}
	if !isClaimOf(d.Join(aside), job) && d.Link(aside, name) != nil {
		return // nothing is removed that has no other name
	}
	d.Remove(aside)
}

func isClaimOf(path, job string) bool {
	c, ok := readClaim(path)
	return ok && c.Job == job
}

// readClaim reads the claim of this user at path, if there is one.
func readClaim(path string) (c claim, ok bool) {
	d, err := safefile.OpenDir(filepath.Dir(path))
	if err != nil {
		return c, false
	}
	defer d.Close()
	name := filepath.Base(path)
	st, err := d.Stat(name)
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || int(st.Uid) != os.Geteuid() || st.Size > maxClaim {
		return c, false
	}
	b, err := d.ReadFile(name, maxClaim)
	text, found := strings.CutPrefix(string(b), claimHead)
	return c, err == nil && found && json.Unmarshal([]byte(text), &c) == nil
}

// A claimedError is about an output that holds nothing but the claim of a recording.
type claimedError struct {
	path string
	claim
}

func (e *claimedError) Error() string {
	host, _ := os.Hostname()
	began := e.Created.Local().Format("2006-01-02 15:04:05")
	if e.Host != host {
		return fmt.Sprintf("%s: a recording to it began at %s on %s: wait for its end; if it was interrupted, run "+
			"this command on %s", e.path, began, e.Host, e.Host)
	}
	return fmt.Sprintf("%s: a recording to it began at %s and was interrupted; nothing is left of it, the file can be "+
		"removed", e.path, began)
}

// identity of a file at a moment: what is written later, or by others, has another one.
type fileState struct {
	Ino  uint64 `json:"ino"`
	Size int64  `json:"size"`
	Time int64  `json:"time"` // of modification, Unix ns; compared with itself only
}

func stateOf(st unix.Stat_t) fileState { return fileState{st.Ino, st.Size, st.Mtim.Nano()} }

// stateAt is what lies at path, links not followed; ok is false if there is nothing.
func stateAt(path string) (s fileState, regular, ok bool) {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return s, false, false
	}
	return stateOf(st), st.Mode&unix.S_IFMT == unix.S_IFREG, true
}

// IsRecording tells whether a regular file begins as recordings, and claims of recordings, do.
func IsRecording(path string) bool {
	f, err := safefile.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(claimHead))
	n, _ := io.ReadFull(f, head)
	text := string(head[:n])
	return strings.HasPrefix(text, container.Magic) || text == claimHead
}

// An OutputError says why a file cannot be written where the user wants it.
type OutputError struct{ msg string }

// Error returns the message.
func (e *OutputError) Error() string { return e.msg }

// CheckOutput says why a recording cannot go to output: what lies there is none. explicit says that the user chose
// the name; otherwise the next one will do.
func CheckOutput(output string, explicit bool) error {
	_, regular, ok := stateAt(output)
	switch {
	case !ok:
		return nil
	case !regular && explicit:
		return &OutputError{fmt.Sprintf("%s is %s: name a file", output, kindAt(output))}
	case explicit && !IsRecording(output):
		return &OutputError{fmt.Sprintf("%s exists and is no recording; it is left as it is: choose another name",
			output)}
	}
	return nil
}

func kindAt(path string) string {
	var st unix.Stat_t
	unix.Lstat(path, &st)
	return safefile.KindOf(st.Mode)
}

// mayReplace says that what lies at path is this job's, or is to be replaced by it.
func (j *Job) mayReplace(path string, now fileState) bool {
	switch {
	case j.Written != nil && *j.Written == now, j.Replaces != nil && *j.Replaces == now:
		return true
	case j.Claim != "" && isClaimOf(path, j.Claim):
		return true
	}
	return j.Shared && sameRun(path, j.Run) // what is there is kept, see publish
}

// Replace lets the archive replace what lies at its output now.
func (j *Job) Replace() {
	if now, _, ok := stateAt(j.Output); ok {
		j.Replaces = &now
	}
}

// place puts a written archive to the job's target, or to the next name that is free, and notes which.
func (j *Job) place(o *safefile.Output) error {
	first, claimed := j.target(), j.Output
	if j.First != "" && j.Part == "" && j.Written == nil { // what was written once stays where it is
		first = j.First
	}
	for n := 1; n <= maxNumbered; n++ {
		path := numbered(first, n)
		err := error(fs.ErrExist)
		if now, regular, ok := stateAt(path); !ok {
			err = o.Place(filepath.Base(path))
		} else if regular && j.mayReplace(path, now) {
			err = o.Replace(filepath.Base(path))
		}
		if err == nil {
			j.placed(path)
			if j.Output != claimed {
				Release(claimed, j.Claim)
			}
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	o.Discard()
	return fmt.Errorf("%s: too many recordings beside it", first)
}

func (j *Job) placed(path string) {
	if path != j.target() {
		if j.Part != "" {
			j.Part = path
		} else {
			j.Output = path
		}
	}
	if now, _, ok := stateAt(path); ok {
		j.Written = &now
	}
}

// mode is that of the archive.
func (j *Job) mode() os.FileMode {
	if j.Private {
		return PrivateMode
	}
	return SharedMode
}

// narrowed is the mode of what is made of a file: nobody may read it but who may read that, and the user.
func narrowed(mode os.FileMode, of os.FileInfo) os.FileMode {
	return mode & (of.Mode().Perm() | PrivateMode)
}

// writeOutput writes to a file that is then put to its place: completely, or not at all. It returns the
// number of bytes.
func writeOutput(
	path string, mode os.FileMode, tick func(), write func(io.Writer) error, place func(*safefile.Output) error,
) (int64, error) {
	safefile.RemoveStale(path, staleAfter)
	o, err := safefile.NewOutput(path, mode)
	if err != nil {
		return 0, err
	}
	tick()
	w := &countWriter{w: o, tick: tick}
	buf := bufio.NewWriterSize(w, 1<<18)
	err = write(buf)
	if err == nil {
		err = buf.Flush()
	}
	if err != nil {
		o.Discard()
		return 0, err
	}
	return w.n, place(o)
}

// writePart is writeOutput of an archive.
func writePart(
	path string, mode os.FileMode, b *merge.Part, tick func(), place func(*safefile.Output) error,
) (int64, error) {
	return writeOutput(path, mode, tick, func(w io.Writer) error {
		relate(b)
		return b.Write(w)
	}, place)
}

// staleAfter is when a temporary file is one of a program that was killed.
const staleAfter = 10 * time.Minute

// writeArchive writes b into the place of what is at path, which is the caller's: completely, or not at all.
func writeArchive(path string, mode os.FileMode, b *merge.Part, tick func()) (int64, error) {
	if _, regular, ok := stateAt(path); ok && !regular {
		return 0, fmt.Errorf("%s: %w", path, safefile.ErrNotRegular)
	}
	return writePart(path, mode, b, tick, func(o *safefile.Output) error { return o.Replace(filepath.Base(path)) })
}

// WriteRecording writes a recording that a command made to output, or to the next name that is free; with force it
// replaces a recording that is there. Who may not read one of the files that it was made of may not read it. It returns
// the name.
func WriteRecording(output string, force bool, c *archive.Content, from ...string) (string, int64, error) {
	if err := CheckOutput(output, true); err != nil {
		return "", 0, err
	}
	j := &Job{Output: output}
	if force {
		j.Replace()
	}
	mode := SharedMode
	for _, f := range from {
		if st, err := os.Stat(f); err == nil {
			mode = narrowed(mode, st)
		}
	}
	n, err := writeOutput(output, mode, func() {}, c.Write, func(o *safefile.Output) error {
		if err := j.place(o); err != nil {
			return fmt.Errorf("%s: %w", output, err)
		}
		return nil
	})
	if err != nil {
		return "", 0, err
	}
	return j.Output, n, nil
}
