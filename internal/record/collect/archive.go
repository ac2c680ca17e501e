package collect

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/symbol"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// identity is a process's place in the job.
type identity struct {
	p           *process
	world       int
	rank, size  int
	named, seen bool // rank is known at all; from MPI itself
}

// identities numbers the processes that belong in the archive: by world and rank.
func (c *collector) identities() []identity {
	var ids []identity
	worlds := map[string]int{}
	taken := map[[2]int]bool{}
	claim := func(id identity, key string) {
		w, ok := worlds[key]
		if !ok {
			w = len(worlds)
			worlds[key] = w
		}
		if id.named {
			// The same rank again is another world that nobody named.
			for n := 1; taken[[2]int{w, id.rank}]; n++ {
				k := fmt.Sprintf("%s#%d", key, n)
				if w, ok = worlds[k]; !ok {
					w = len(worlds)
					worlds[k] = w
				}
			}
			taken[[2]int{w, id.rank}] = true
		}
		id.world = w
		ids = append(ids, id)
	}
	c.claims(claim, taken, worlds)
	// Ranks that nobody knows: by order.
	for i := range ids {
		if id := &ids[i]; !id.named {
			for id.rank = 0; taken[[2]int{id.world, id.rank}]; id.rank++ {
			}
			taken[[2]int{id.world, id.rank}] = true
		}
	}
	selected := parseRanks(c.job.Ranks)
	ids = slices.DeleteFunc(
		ids,
		func(id identity) bool { return selected != nil && id.world == 0 && !selected(id.rank) },
	)
	slices.SortStableFunc(ids, func(a, b identity) int {
		return cmp.Or(cmp.Compare(a.world, b.world), cmp.Compare(a.rank, b.rank), byNumber(a.p.id, b.p.id))
	})
	return ids
}

// claims goes through the processes: first those that MPI itself gave a rank, then those with calls, then
// registered ones that stand for nobody else. What a launcher tells of a process is the rank of those that
// never call MPI.
func (c *collector) claims(claim func(identity, string), taken map[[2]int]bool, worlds map[string]int) {
	main := ""
	for _, p := range c.order {
		if p.reg != nil && !p.reg.Spawned {
			main = p.reg.World
			break
		}
	}
	worlds[main] = 0
	shells := c.shells()
	key := func(p *process) string {
		_, _, seen := p.syms.Rank()
		switch {
		case p.reg == nil && !seen && shells[p] == nil && p.launched() != (ring.ProcessID{}):
			return main + "/children"
		case p.reg == nil:
			return main
		case p.reg.Spawned:
			return p.reg.World + "/spawned"
		}
		return p.reg.World
	}
	for phase := range 3 {
		for _, p := range c.order {
			id := identity{p: p, rank: -1, size: -1}
			if reg := cmp.Or(p.reg, shells[p]); reg != nil {
				id.rank, id.size, id.named = reg.Rank, reg.Size, reg.Rank >= 0
			}
			if rank, size, ok := p.syms.Rank(); ok {
				id.rank, id.size, id.named, id.seen = rank, size, true, true
			}
			switch {
			case id.seen:
				if phase == 0 {
					claim(id, key(p))
				}
			case p.calls() > 0:
				if phase == 1 {
					claim(id, key(p))
				}
			case phase == 2 && p.reg != nil && p.reg.Reason != reasonNotSelected:
				// A shell that runs the program is registered and makes no calls.
				w, ok := worlds[key(p)]
				if id.named && ok && taken[[2]int{w, id.rank}] || !id.named && len(taken) > 0 {
					continue
				}
				claim(id, key(p))
			}
		}
	}
}

// shells finds the processes that a rank without calls of its own has started: the first one has its place.
func (c *collector) shells() map[*process]*Registration {
	first := map[*process]*Registration{}
	has := map[ring.ProcessID]bool{}
	for _, p := range c.order {
		has[p.id] = p.reg != nil && p.calls() > 0
	}
	for _, p := range c.order {
		from := c.procs[p.launched()]
		if p.reg != nil || p.calls() == 0 || from == nil || from.reg == nil || from.reg.Rank < 0 || has[from.id] {
			continue
		}
		first[p], has[from.id] = from.reg, true
	}
	return first
}

// launched is the process of the launcher that a child of it comes from, zero if there is none with a rank.
func (p *process) launched() ring.ProcessID {
	id, _ := ring.ParseProcessID(p.syms.Info()["launched"])
	return id
}

const reasonNotSelected = "not selected"

// ReasonNotSelected is the Reason of a registration of a rank that --ranks leaves out.
const ReasonNotSelected = reasonNotSelected

// ParseRanks reads a selection of ranks such as "0-3,8,16-63:8,100-": ranks,
// ranges with an optional step, and ranges without an end. The empty one selects
// all and gives nil.
func ParseRanks(s string) (selected func(rank int) bool, err error) {
	if s == "" {
		return nil, nil
	}
	list, err := rankfunc.ParseList(s)
	if err != nil {
		return nil, fmt.Errorf("ranks %q: %w", s, err)
	}
	return list.Contains, nil
}

func parseRanks(s string) func(int) bool {
	f, _ := ParseRanks(s) // the launcher checked it
	return f
}

// build makes the archive of what is known now and fills in the report.
func (c *collector) build() (*merge.Part, error) {
	b := merge.New()
	c.report = Report{}
	meta := archive.Meta{Command: c.job.Command, Created: c.job.Created, Tool: c.job.Tool, Options: map[string]string{},
		Partial: c.control.Partial()}
	for k, v := range c.job.Options {
		meta.Options[k] = v
	}
	regions, _ := meta.RecordedIn()
	for i, r := range regions {
		if c.control.Entered(i) {
			meta.SetEntered(r)
		}
	}
	c.report.In, c.report.NeverEntered = meta.RecordedIn()
	ids := c.identities()
	for _, id := range ids {
		if c.provisional {
			id.p.takeHeld()
		}
		c.names.want(id.p.syms)
	}
	c.names.resolve(c.moved)
	for _, id := range ids {
		if lib := id.p.syms.Info()["lib"]; meta.MPI == "" && lib != "" {
			meta.MPI = lib
		}
		if meta.ABI == 0 {
			meta.ABI = id.p.syms.ABI()
		}
		meta.Partial = meta.Partial || id.p.syms.Partial()
		if err := c.rank(b, id); err != nil {
			return nil, fmt.Errorf("rank %d: %w", id.rank, err)
		}
	}
	c.report.PeakMemory = PeakMemory()
	for k, v := range c.job.sharedOptions(c.partFile()) {
		meta.Options[k] = v
	}
	if c.snapshot.IsZero() {
		meta.Options["collector_peak_bytes"] = strconv.FormatUint(c.report.PeakMemory, 10)
	} else {
		meta.Options[archive.OptionSnapshot] = c.snapshot.UTC().Format(time.RFC3339Nano)
	}
	b.SetMeta(meta)
	return b, nil
}

// relate makes parameters relative to communicators. That saves space and no more, so
// nothing that goes wrong with it may cost the archive.
func relate(b *merge.Part) {
	defer func() {
		if recover() != nil {
			b.SetMembers(nil)
		}
	}()
	if comms.Relate(b) != nil {
		b.SetMembers(nil)
	}
}

// rank adds a process and its streams.
func (c *collector) rank(b *merge.Part, id identity) error {
	p := id.p
	ended, _ := p.syms.Ended()
	d := archive.RankData{
		World: id.world, Rank: id.rank, Size: max(id.size, 0), Host: p.syms.Info()["host"], PID: p.id.PID,
		LostCalls: p.syms.Lost() + p.broken + p.misfits(), End: p.end, Info: map[string]string{},
	}
	if d.Host == "" {
		d.Host = c.job.Host
	}
	switch {
	case !c.provisional || p.finished:
	case !ended:
		ended, d.End = true, merge.Provisional
	default:
		d.End = exited
	}
	for k, v := range p.syms.Info() {
		d.Info[k] = v
	}
	switch {
	case p.reg != nil && !p.reg.Traced:
		d.End = "not traced: " + p.reg.Reason
	case p.calls() == 0 && (c.silent(p) || c.withoutMPI() || c.control.Initialized() == 0 && len(p.live()) > 0):
		// Nothing is missing of it: it made none, or such as are not to be recorded.
		ended = ended || strings.HasSuffix(d.End, abruptly)
		d.End = strings.TrimSuffix(d.End, abruptly) + ", made no call that is recorded"
	case p.calls() == 0:
		d.End = strings.TrimPrefix(d.End+", "+archive.EndNoCall, ", ")
	}
	if !ended && p.calls() > 0 && !p.died.IsZero() {
		d.Info[archive.EndedAt] = p.died.UTC().Format(archive.EndedFormat)
	}
	if why := c.unrecorded(p); why != "" {
		d.Info[archive.Unrecorded] = why
	}
	if p.missing > 0 {
		d.Info[archive.Missing] = "files of its state were lost: removed, made shorter, or not readable"
	}
	problems := slices.Clone(p.problems)
	if n := p.misfits(); n > 0 {
		problems = append(
			problems,
			fmt.Sprintf("internal error of tabard: the values of %s did not fit their function",
				render.Plural(n, "call")),
		)
	}
	d.Complete = ended && d.LostCalls == 0 && p.missing == 0 && len(problems) == 0
	if len(problems) > 0 {
		d.Info["problems"] = strings.Join(problems, "; ")
	}
	d.Modules = modules(p.syms)
	c.names.fill(&d, p.syms)
	for _, k := range p.syms.Clocks() {
		d.Clocks = append(d.Clocks, archive.Clock{Ticks: k.Ticks, RealNS: int64(k.RealNS), MonoNS: int64(k.MonoNS)})
	}
	var streams []archive.StreamData
	for _, ch := range p.live() {
		data, err := ch.s.data(ch.thread, c.moved)
		if err != nil {
			return err
		}
		streams = append(streams, data)
		c.report.Calls += ch.s.calls - ch.s.own
	}
	if err := b.Add(d, streams); err != nil {
		return err
	}
	c.report.Ranks++
	c.report.Lost += d.LostCalls
	if !ended && p.calls() > 0 {
		c.report.Abnormal++
	}
	if !d.Complete {
		c.report.Unfinished++
	}
	for _, s := range problems {
		c.report.Problems = append(c.report.Problems, fmt.Sprintf("rank %d: %s", id.rank, s))
	}
	return nil
}

// unrecorded says why nothing was recorded of a process, "" if that is as it should be. MPI_Init is for all ranks of
// a job: where one has made it, all have.
func (c *collector) unrecorded(p *process) string {
	if p.reg == nil || p.calls() > 0 || !c.snapshot.IsZero() { // in a snapshot, it may still come
		return ""
	}
	inMPI := 0
	for _, q := range c.order {
		if _, _, ok := q.syms.Rank(); ok && (q.reg == nil || !q.reg.Spawned) {
			inMPI++
		}
	}
	switch {
	case !p.reg.Traced:
		return "the program " + p.reg.Reason
	case p.reg.Spawned || c.control.Initialized() == 0 || c.silent(p):
		return ""
	case c.control.Initialized() <= inMPI:
		return strings.TrimSuffix("no MPI call of it came to Tabard's library; it "+p.end, "; it ")
	case len(p.problems) > 0:
		return strings.Join(p.problems, "; ")
	}
	return "it was in MPI_Init, but its records could not be stored: no room in " + filepath.Dir(c.dir.Path()) +
		", or a limit on the size of files"
}

// silent says that a process has initialised MPI, which is known whatever is recorded, and that it was not asked for
// more.
func (c *collector) silent(p *process) bool {
	_, _, ok := p.syms.Rank()
	return ok && p.calls() == 0 && c.control.Partial() && len(p.problems) == 0
}

// withoutMPI says that no process has initialised MPI, and that there are calls all the same.
func (c *collector) withoutMPI() bool {
	return c.control.Initialized() == 0 && c.calls() > 0 &&
		!slices.ContainsFunc(c.order, func(p *process) bool { _, _, in := p.syms.Rank(); return in })
}

// modules lists a process's modules by number; signatures refer to them.
func modules(syms *symbol.Process) []archive.Module {
	var ms []archive.Module
	for n, m := range syms.Modules() {
		for len(ms) <= int(n) && n < 1<<20 {
			ms = append(ms, archive.Module{})
		}
		ms[n] = archive.Module{Path: m.Path, BuildID: m.BuildID, Base: m.Base, Size: m.Size}
	}
	return ms
}

// PeakMemory is the largest resident size of this process so far, in bytes.
func PeakMemory() uint64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "VmHWM:" {
			kb, _ := strconv.ParseUint(f[1], 10, 64)
			return kb << 10
		}
	}
	return 0
}

// archive writes all that is known to the output, or if that fails to the
// state directory.
func (c *collector) archive() error {
	for _, p := range c.order {
		p.changed = false
	}
	c.written = false
	b, err := c.build()
	if err == nil {
		b, err = c.whole(b)
	}
	if err != nil {
		return err
	}
	c.job.Part = c.partFile()
	b.SetBundles(&c.bundles)
	size, err := c.publish(b)
	if err == nil {
		c.written, c.report.Bytes = true, size
		c.job.Archive, c.job.Problem = "", ""
		c.dir.Remove(KeptArchive)
		c.report.Incomplete = archive.Incomplete(b.Gaps())
		if e := c.job.write(c.dir); e != nil {
			c.logf("job.json: %v", e)
		}
		return nil
	}
	problem := fmt.Sprintf("%s could not be written: %v", c.job.target(), err)
	c.logf("%s", problem)
	kept, err2 := writeArchive(c.dir.Join(KeptArchive), PrivateMode, b, c.moved)
	c.job.Problem = problem
	if err2 != nil {
		// Checkpoints and segments stay: they hold everything.
		c.job.write(c.dir)
		return errors.Join(err, err2)
	}
	c.written, c.report.Bytes, c.job.Archive = true, kept, KeptArchive
	c.report.Incomplete = archive.Incomplete(b.Gaps())
	c.report.Problems = append(c.report.Problems, problem)
	return c.job.write(c.dir)
}

type countWriter struct {
	w    io.Writer
	n    int64
	tick func()
}

func (w *countWriter) Write(b []byte) (int, error) {
	n, err := w.w.Write(b)
	w.n += int64(n)
	w.tick()
	return n, err
}

// bringHome moves an archive that could not be written to its output there,
// if that is possible now. Otherwise it stays, and its path is returned.
func bringHome(dir string, job *Job) (string, Report, error) {
	kept := filepath.Join(dir, KeptArchive)
	st, err := os.Stat(kept)
	if err != nil {
		return "", Report{}, err
	}
	r := Report{Bytes: st.Size()}
	if err := publishFile(job, kept); err != nil {
		r.Problems = []string{
			fmt.Sprintf("%s could not be written: %v; the archive is safe in %s", job.target(), err, kept),
		}
		r.Kept = true
		return kept, r, nil
	}
	r.Moved = dir
	if d, e := safefile.OpenPrivate(dir); e == nil {
		err = removeState(d)
		d.Close()
	}
	tidyRoot(filepath.Dir(dir), job.Output)
	return job.target(), r, err
}
