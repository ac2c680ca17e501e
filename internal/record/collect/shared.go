package collect

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// A job with several collectors. Inside MPI_Finalize one process of each, the leader, hands
// archives around (capture/mpi/finalize.c): its collector makes them, takes in those of others, and
// keeps the whole if it is the last.

const (
	unitedFile = "united.tabard"
	nodeFile   = "node.%d.tabard"
)

// target is where the archive of this collector goes.
func (j *Job) target() string {
	if j.Part != "" {
		return j.Part
	}
	return j.Output
}

// sharedOptions are what the archive notes of the job.
func (j *Job) sharedOptions(part string) map[string]string {
	o := map[string]string{}
	if j.Shared && j.Run != "" {
		o[merge.OptionRun] = j.Run
	}
	if part != "" {
		o[merge.OptionPartOf] = filepath.Base(j.Output)
	}
	return o
}

// partFile is where this collector's archive goes, empty for the output itself: that
// belongs to the collector of rank 0.
func (c *collector) partFile() string {
	size, here := 0, 0
	for _, p := range c.order {
		rank, n, ok := p.syms.Rank()
		if !ok && p.reg != nil {
			rank, n, ok = p.reg.Rank, p.reg.Size, p.reg.Rank >= 0
		}
		if !ok || p.reg != nil && p.reg.Spawned {
			continue
		}
		if rank == 0 {
			return ""
		}
		size, here = max(size, n), here+1
	}
	if here == 0 || !c.job.Shared && (c.job.LocalRanks > 0 || size <= here || c.job.Ranks != "") {
		return ""
	}
	node := c.job.Node
	if node == "" {
		node = c.job.Host
	}
	return partPath(c.job.Output, strings.ReplaceAll(node, "/", "-"))
}

// worldSize is the size of the job's MPI_COMM_WORLD, 0 if unknown.
func (c *collector) worldSize() int {
	size := 0
	for _, p := range c.order {
		if p.reg != nil && !p.reg.Spawned {
			size = max(size, p.reg.Size)
		}
	}
	return size
}

// outOf says how many ranks there are in all, if the archive does not have all of them.
func (c *collector) outOf() string {
	if n := c.worldSize(); c.job.Shared && c.job.Ranks == "" && c.report.Ranks < n {
		return fmt.Sprintf(" of %d", n)
	}
	return ""
}

// handover is how far the archives of a job's nodes have been put together inside MPI_Finalize.
type handover struct {
	answered    uint32                    // the last request of the leader that was dealt with
	provisional bool                      // an archive is made while processes are in MPI_Finalize
	handed      map[ring.ProcessID]uint64 // calls of each process then
}

// answerLeader does what the leader asks for.
func (c *collector) answerLeader() {
	request, received := c.control.MergeRequest()
	if request == c.answered {
		return
	}
	c.answered = request
	var err error
	switch request {
	case ring.MergeUnite, ring.MergeKeep:
		err = c.unite(request, received)
	case ring.MergeTaken:
		c.job.Taken = true
		err = c.job.write(c.dir)
	}
	if err != nil {
		c.logf("archives of other collectors: %v", err)
		request = ring.MergeFailed
	}
	c.control.AnswerMerge(request)
}

// unite makes the archive of all that was recorded up to MPI_Finalize and of what the leader
// received.
func (c *collector) unite(request uint32, received int) error {
	c.look()
	for _, p := range c.order {
		if p.reg != nil && p.reg.Spawned && !p.finished {
			return errors.New("a spawned program is still running")
		}
	}
	c.drainPublished() // the records of MPI_Finalize were published before the request
	c.provisional = true
	defer func() { c.provisional = false }()
	if request == ring.MergeKeep {
		if n, err := receivedSources(c.dir.Path(), -1); err != nil || len(n) != received {
			return fmt.Errorf("%d of %d files: %w", len(n), received, err)
		}
		c.job.Keeps = true
		err := c.archive()
		c.job.Keeps = err == nil
		for _, p := range c.order {
			p.changed = true // there is more to know at the end
		}
		return err
	}
	own, err := c.build()
	if err != nil {
		return err
	}
	c.handed = map[ring.ProcessID]uint64{}
	for _, p := range c.order {
		c.handed[p.id] = p.calls()
	}
	sources, err := receivedSources(c.dir.Path(), received)
	if err != nil {
		return err
	}
	whole, err := joinParts(c.job, own, sources)
	if err != nil {
		return err
	}
	_, err = writeArchive(c.dir.Join(unitedFile), PrivateMode, whole, c.moved)
	return err
}

// receivedSources reads the archives that the leader put into dir: n, or all that are there if n is
// negative.
func receivedSources(dir string, n int) ([]*partFile, error) {
	var sources []*partFile
	for i := 0; n < 0 || i < n; i++ {
		p, err := openPart(filepath.Join(dir, fmt.Sprintf(nodeFile, i)))
		if n < 0 && errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, err
		}
		sources = append(sources, p)
	}
	return sources, nil
}

// joinParts merges what a collector recorded with archives of others of the same run.
func joinParts(job *Job, own *merge.Part, others []*partFile) (*merge.Part, error) {
	if len(others) == 0 {
		return own, nil
	}
	content, err := own.Content()
	if err != nil {
		return nil, err
	}
	part := content.Meta.Options[merge.OptionPartOf]
	sources := []merge.Source{{Name: job.target(), Content: content}}
	for _, p := range others {
		sources = append(sources, p.Source)
	}
	whole, outcomes, err := merge.Assemble(sources, job.Run == "")
	if err != nil {
		return nil, err
	}
	for _, o := range outcomes {
		if o.Foreign != "" {
			return nil, fmt.Errorf("%s: %s", o.Name, o.Foreign)
		}
	}
	if part != "" {
		whole.SetMeta(content.Meta)
	}
	return whole, nil
}

// publish writes the archive to its place.
func (c *collector) publish(own *merge.Part) (int64, error) {
	return publish(c.job, own, c.moved)
}

// whole is what this collector recorded with what it took from others.
func (c *collector) whole(own *merge.Part) (*merge.Part, error) {
	if !c.job.Keeps {
		return own, nil
	}
	sources, err := receivedSources(c.dir.Path(), -1)
	if err != nil {
		return nil, err
	}
	c.count(sources)
	return joinParts(c.job, own, sources)
}

// count adds archives of others to the report.
func (c *collector) count(sources []*partFile) {
	for _, s := range sources {
		for _, g := range s.Content.Groups {
			c.report.Ranks += g.Ranks.Len()
			for id := range g.Ranks.All() {
				c.report.Lost += uint64(g.Lost.At(id))
			}
		}
		c.report.Calls += s.calls
		_, missed := s.Content.Meta.RecordedIn()
		c.report.NeverEntered = slices.DeleteFunc(c.report.NeverEntered,
			func(region string) bool { return !slices.Contains(missed, region) })
	}
}

// publish writes an archive to its place. That of a collector that has company keeps what others of the same run have
// put there meanwhile.
func publish(job *Job, own *merge.Part, tick func()) (int64, error) {
	target := job.target()
	if job.Shared {
		lock, _ := lockOutput(target, 10*time.Second)
		defer lock.release()
		if now, _, ok := stateAt(target); ok && (job.Written == nil || *job.Written != now) &&
			sameRun(target, job.Run) {
			old, err := openOwned(target, uint32(os.Geteuid()), ofRun(job.Run))
			if err != nil {
				return 0, err
			}
			whole, err := joinParts(job, own, []*partFile{old})
			if err != nil {
				return 0, err
			}
			own = whole
		}
	}
	return writePart(target, job.mode(), own, tick, job.place)
}

// publishFile puts an archive that could not be written into its place.
func publishFile(job *Job, kept string) error {
	p, err := openPart(kept)
	if err != nil {
		return err
	}
	own, err := merge.FromContent(p.Content)
	if err != nil {
		return err
	}
	_, err = publish(job, own, func() {})
	return err
}

// ofRun wants archives of a run.
func ofRun(run string) func(*archive.Archive) error {
	return func(a *archive.Archive) error {
		if run == "" || a.Meta().Options[merge.OptionRun] != run {
			return errOther
		}
		return nil
	}
}

// errFound says that an archive is what was looked for; nothing more is to be read of it.
var errFound = errors.New("found")

// sameRun says that the archive at path is one of this user and of the run. What others put there is none, whatever it
// says: the name of a run is no secret.
func sameRun(path, run string) bool {
	_, err := openOwned(path, uint32(os.Geteuid()), func(a *archive.Archive) error {
		return cmp.Or(ofRun(run)(a), errFound)
	})
	return errors.Is(err, errFound)
}

// deviates says that, after their archive was written or another collector took it, processes did something that it
// does not tell: they ended badly, called MPI again, or lost something.
func (c *collector) deviates() bool {
	for _, p := range c.order {
		ended, _ := p.syms.Ended()
		good := p.end == exited || p.end == "exited with status 0"
		if p.calls() > 0 && (!ended || !good || p.calls() != c.handed[p.id] || p.missing+p.broken > 0 ||
			len(p.problems) > 0) {
			return true
		}
	}
	return false
}
