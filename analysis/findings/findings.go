// Package findings says in plain words what is worth improving in a program, from the results of
// other analyses. Each finding has a cost: the time that it concerns, summed over all processes. It
// also has the command that shows more.
package findings

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/clocks"
	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/consistency"
	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/faults"
	"github.com/tabard-hpc/tabard/analysis/files"
	"github.com/tabard-hpc/tabard/analysis/growth"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/analysis/whatif"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// Kind says what sort of finding it is. The names are stable. docs/findings.md has them all, with what shows them.
type Kind string

// Kinds of findings.
const (
	Deadlock     Kind = "deadlock"         // processes wait for each other, or for a message that does not come
	Hang         Kind = "hang"             // processes wait in a collective that others do not come to
	Crash        Kind = "crash"            // a process ended in an unusual way
	CallError    Kind = "error"            // calls returned an error
	Mismatch     Kind = "mismatch"         // members call a collective with what does not fit together
	Leak         Kind = "leak"             // objects or requests are made again and again and never freed
	Unmatched    Kind = "unmatched"        // messages without a receive, receives without a message
	Growth       Kind = "growth"           // something grows from step to step
	LateRank     Kind = "late rank"        // others wait for a process
	Serial       Kind = "serialisation"    // processes work one after the other
	Jitter       Kind = "jitter"           // processes are late in turn, now and then
	Imbalance    Kind = "load imbalance"   // a process computes longer than the others
	SlowStep     Kind = "slow time step"   // a step takes unusually long
	WrongOrder   Kind = "wrong order"      // messages are received in another order than they come
	LateReceiver Kind = "late receiver"    // senders wait for receivers
	Variation    Kind = "varying duration" // like calls take different times
	Clocks       Kind = "clocks"           // messages are received before they are sent
	Contention   Kind = "contention"       // accesses to files slow each other down
	Metadata     Kind = "metadata"         // opening files and asking about them takes much of the time
	SmallAccess  Kind = "small accesses"   // files are accessed in many small pieces
	RandomAccess Kind = "random accesses"  // files are accessed in no order
	Strided      Kind = "strided accesses" // files are accessed in pieces with gaps
	SharedFile   Kind = "shared blocks"    // ranks write into the same blocks of a file

	Unexpected Kind = "unexpected messages" // a sender is far ahead of its receiver
	Barrier    Kind = "needless barrier"    // processes wait for each other where nothing needs it
	Small      Kind = "small collectives"   // many in a row, where one could do
	Overlap    Kind = "no overlap"          // what could go on meanwhile is waited for at once

	ManualCollective Kind = "collective of messages" // sends and receives do what a collective does
	LockContention   Kind = "lock contention"        // threads wait for locks that others hold
)

// Severity says how much a finding matters.
type Severity string

// Severities.
const (
	Error   Severity = "error"   // the run did not do what it should have done
	Warning Severity = "warning" // it costs much, or will in a longer run
	Note    Severity = "note"    // it costs little, or need not be a fault
)

var severities = []Severity{Error, Warning, Note}

// Finding is something worth improving.
type Finding struct {
	Kind     Kind     `json:"kind"`
	Severity Severity `json:"severity"`
	// Cost is the time that it concerns, summed over processes, and Share its part of the time of all.
	Cost  time.Duration `json:"cost_ns"`
	Share float64       `json:"share"`
	// Process is the one to look at, -1 if it is not one; Func and Site are the call, Step the time
	// step, -1 for none.
	Process int32  `json:"process"`
	Func    string `json:"func,omitempty"`
	Site    string `json:"site,omitempty"`
	Step    int64  `json:"step"`
	// Text says it, Command is what shows more: arguments of tabard without the file.
	Text    string   `json:"text"`
	Command []string `json:"command"`
	// Without is what the run would take without it, as computed from the dependencies in the recording (package
	// whatif); 0 where that is not known.
	Without time.Duration `json:"without_ns,omitempty"`
	// weight is the part of the time of all that a finding counts for among those of its severity where that is not
	// Share.
	weight float64
	// Sends tells growth of messages from that of times.
	Sends  bool `json:"-"`
	circle bool // of a deadlock
}

func (n *Finding) rank() float64 { return max(n.Share, n.weight) }

// Input is what other analyses found; a nil one was not made.
type Input struct {
	Usage *efficiency.Result
	Waits *waits.Result
	// Archive and Clocks say how the clocks of hosts differ, and how times were corrected.
	Archive *archive.Archive
	Clocks  *clocks.Correction
	// Standstill is that of consistency.Stuck. Now is when a job was looked at that was running, since the start of the
	// trace; 0 if it had ended.
	Standstill *consistency.Standstill
	Now        time.Duration
	Worlds     []comms.World
	// Step is the time step of a call, -1 if it is in none; nil: not known.
	Step func(stream int32, call uint64) int64
	// Faults are processes that died, calls that failed, and objects that were not freed.
	Faults *faults.Result
	// Growth is what is sent more and more of. Compared is set if that was looked for.
	Growth   []growth.Growth
	Compared bool
	// Barriers are those that nothing recorded needs, SmallCollectives those that could be one, EarlyWaits waits that
	// could be made later, those first without which the run would take least.
	Barriers, SmallCollectives, EarlyWaits []whatif.Gain
	// Grown is the call site before which processes compute more and more, or that takes more and more of their time;
	// nil: not known.
	Grown func(computes bool) (efficiency.Key, bool)
	// Preceding is the call after which a process computes most of what it does before a call; nil, or not ok: not
	// known.
	Preceding func(process int32, at efficiency.Key) (efficiency.Key, bool)
	// Without is what the run would take without a finding that names its call or process; nil, or not ok: not known.
	Without func(n *Finding) (elapsed time.Duration, ok bool)
	// More are what other analyses have found: they get their share and place among the rest.
	More []Finding
	// Locks are where threads wait for locks, the dearest first.
	Locks []Lock
	// Collectives are those that the program makes of messages.
	Collectives *collectives.Result
	// Process is the index in Archive of a process, -1 if it was not recorded; nil: not known.
	Process func(number int32) int
	// Files are what was done to files.
	Files *files.Result
	// Name names a process; nil: see ProcessName.
	Name func(process int32) string
	// Duration renders times, Bytes sizes.
	Duration func(time.Duration) string
	Bytes    func(int64) string
}

// least is the least part of the time of all processes that is worth a finding, much that which is worth a warning.
const (
	least = 0.01
	much  = 0.05
)

// clockNoise is by how much messages may be out of order without a finding. Times are stored with
// an error of that order.
const clockNoise = 10 * time.Microsecond

// most bounds the number of findings.
const most = 12

// ProcessName names a process of one of the worlds: "rank 3", or "rank 3 of world 1".
func ProcessName(worlds []comms.World, process int32) string {
	for i := len(worlds) - 1; i >= 0; i-- {
		if w := worlds[i]; int(process) >= w.First {
			if w.Number == 0 {
				break
			}
			return fmt.Sprintf("rank %d of world %d", int(process)-w.First, w.Number)
		}
	}
	return fmt.Sprintf("rank %d", process)
}

// Of makes the findings: errors first, where the job hangs before all, then the most expensive ones.
func Of(in Input) []Finding {
	f := &finder{Input: in, told: map[int32]bool{}, grown: map[place]bool{}}
	if f.Name == nil {
		f.Name = func(p int32) string {
			if f.Waits != nil {
				return ProcessName(f.Waits.Worlds, p)
			}
			return ProcessName(nil, p)
		}
	}
	if f.Duration == nil {
		f.Duration = time.Duration.String
	}
	if f.Usage != nil {
		f.total = f.Usage.Elapsed() * time.Duration(len(f.Usage.Processes))
	} else if f.Waits != nil {
		f.total = f.Waits.Elapsed
	}
	first := f.broken()
	for i := range first {
		f.total += first[i].Cost
	}
	for i := range first {
		first[i].Share = f.share(first[i].Cost)
	}
	f.growing()
	f.queues()
	f.avoidable()
	f.lateRanks()
	f.imbalance()
	f.slowSteps()
	f.patterns()
	f.variation()
	f.suspicious()
	f.files()
	f.manual()
	f.locked()
	f.faults(len(first) > 0)
	for _, n := range f.More {
		f.add(n)
	}
	slices.SortStableFunc(f.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity)),
			cmp.Compare(b.rank(), a.rank()))
	})
	f.found = append(first, f.found...)
	return f.found[:min(len(f.found), most)]
}

// broken are the findings of a job that did not come to its end. Of processes that died by themselves the others wait,
// in circles apart.
func (f *finder) broken() []Finding {
	var all []faults.Death
	if f.Faults != nil {
		all = f.Faults.Deaths
	}
	live := alive(all)
	if own(live) > 0 {
		return append(f.crashes(live, false), slices.DeleteFunc(f.hangs(),
			func(n Finding) bool { return !n.circle })...)
	}
	if hangs := f.hangs(); len(hangs) > 0 {
		return append(hangs, f.crashes(live, true)...)
	}
	return f.crashes(all, false)
}

type finder struct {
	Input
	total time.Duration
	found []Finding
	// told are the processes that are part of a finding, grown the call sites that send more and more.
	told  map[int32]bool
	grown map[place]bool
	// explained is the waiting that is part of the finding of a barrier, of small collectives, or of early waits.
	explained time.Duration
}

// saved is how much less time the run would take without a finding, if that is known.
func (f *finder) saved(n *Finding) (less time.Duration, known bool) {
	if f.Without == nil || f.Usage == nil {
		return 0, false
	}
	t, ok := f.Without(n)
	return f.Usage.Elapsed() - t, ok
}

func (f *finder) share(d time.Duration) float64 {
	if f.total <= 0 {
		return 0
	}
	return float64(d) / float64(f.total)
}

func (f *finder) add(n Finding) {
	n.Share = f.share(n.Cost)
	if n.Severity == "" {
		if n.Severity = Note; n.rank() >= much {
			n.Severity = Warning
		}
	}
	n.Text = upper(n.Text)
	f.found = append(f.found, n)
}

func (f *finder) part(d time.Duration) string {
	return fmt.Sprintf("%s, %.1f%% of all ranks' time", f.Duration(d), 100*f.share(d))
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

// call names a call of the program.
func call(fn, site string) string {
	if site == "" {
		return fn
	}
	return fn + " at " + site
}

// longer finds the call before which a process computes longer than the others by the greatest
// amount. The amount is the excess over the mean of all processes, including those that never make
// the call.
func (f *finder) longer(process int32) (where *efficiency.Place, more time.Duration) {
	if f.Usage == nil {
		return nil, 0
	}
	for i := range f.Usage.Places {
		p := &f.Usage.Places[i]
		if d := p.Before.Max - f.mean(p); p.Before.Most == process && d > more {
			where, more = p, d
		}
	}
	return where, more
}

// mean is the computation before a call, on the average of all processes.
func (f *finder) mean(p *efficiency.Place) time.Duration {
	return p.Before.Sum / time.Duration(max(len(f.Usage.Processes), 1))
}

// computes says how long a process computes before a call.
func (f *finder) computes(p *efficiency.Place) string {
	text := fmt.Sprintf("%s before %s", f.Duration(p.Before.Max), call(p.Func, p.Site))
	if f.Preceding != nil {
		if at, ok := f.Preceding(p.Before.Most, efficiency.Key{Func: p.Func, Site: p.Site}); ok {
			text = fmt.Sprintf("%s between %s and %s", f.Duration(p.Before.Max), call(at.Func, at.Site),
				call(p.Func, p.Site))
		}
	}
	if p.Before.Processes == 1 {
		return text + ", which no other process calls"
	}
	return text + fmt.Sprintf(", %.1f times the mean", ratio(p.Before.Max, f.mean(p)))
}

// imbalance reports the process that computes longest.
func (f *finder) imbalance() {
	if f.Usage == nil || len(f.Usage.Processes) < 2 {
		return
	}
	var u efficiency.Spread
	servers := f.servers()
	for i := range f.Usage.Processes {
		p := &f.Usage.Processes[i]
		if servers[p.Process] {
			continue
		}
		u.Sum += p.Useful()
		u.Processes++
		if u.Processes == 1 || p.Useful() > u.Max {
			u.Max, u.Most = p.Useful(), p.Process
		}
	}
	if u.Processes < 2 {
		return
	}
	cost := u.Imbalance() * time.Duration(u.Processes)
	if f.share(cost) < 0.03 || f.told[u.Most] {
		return
	}
	n := Finding{Kind: Imbalance, Cost: cost, Process: u.Most, Step: -1, Command: []string{"profile", "--by", "rank"}}
	n.Text = fmt.Sprintf("%s computes longest: %s, %.2f times the mean (%s)", f.Name(u.Most), f.Duration(u.Max),
		ratio(u.Max, u.Mean()), f.Duration(u.Mean()))
	if where, _ := f.longer(u.Most); where != nil {
		n.Func, n.Site = where.Func, where.Site
		n.Text += ", most of the difference before " + call(where.Func, where.Site)
	}
	if saved, known := f.saved(&n); known && len(servers) > 0 && float64(saved) < least*float64(f.Usage.Elapsed()) {
		n.Severity = Note // it took more tasks than others, while nobody had to wait for it
	}
	f.add(n)
}

// variation reports calls from one site that take different times although they do not wait for
// other processes.
func (f *finder) variation() {
	if f.Usage == nil {
		return
	}
	for i := range f.Usage.Places {
		p := &f.Usage.Places[i]
		d := &p.Durations
		if p.Group != "io" && p.Group != "rma" || d.Count() < 20 || f.share(d.Excess()) < least {
			continue
		}
		f.add(Finding{Kind: Variation, Cost: d.Excess(), Process: p.MPI.Most, Func: p.Func, Site: p.Site, Step: -1,
			Command: []string{"histogram", "--durations", "--by", "site", "--function", p.Func},
			Text: fmt.Sprintf("%s takes from %s (a tenth of the calls) to %s (the slowest hundredth): contention "+
				"may cost %s",
				call(p.Func, p.Site),
				f.Duration(d.Quantile(.1)), f.Duration(d.Quantile(.99)), f.part(d.Excess()))})
	}
}

// Clocks are worth a finding from these differences on.
const (
	skew  = 100 * time.Microsecond
	drift = 20 // parts per million
)

// skewed reports clocks that differ much from the reference. Times were corrected.
func (f *finder) skewed() {
	if f.Archive == nil || f.Clocks == nil {
		return
	}
	hosts := f.Archive.HostClocks()
	for i := range f.Clocks.Clocks {
		c := &f.Clocks.Clocks[i]
		if i >= len(hosts) || c.Reference {
			continue
		}
		ahead, speed := hosts[i].Ahead, c.Drift
		if hosts[i].Drift != 0 {
			speed += hosts[i].Drift
		}
		if ahead.Abs() < skew && math.Abs(speed) < drift {
			continue
		}
		text := fmt.Sprintf("the clock of host %s differs from that of %s: %s ahead", c.Host, f.reference(),
			f.Duration(ahead))
		if ahead < 0 {
			text = fmt.Sprintf("the clock of host %s differs from that of %s: %s behind", c.Host, f.reference(),
				f.Duration(-ahead))
		}
		if math.Abs(speed) >= 1 {
			text += fmt.Sprintf(", with a drift of %.0f ppm", speed)
		}
		if c.Known() {
			text += fmt.Sprintf("; times are corrected, with an error of at most %s", f.Duration(c.Residual))
		}
		f.add(Finding{Kind: Clocks, Process: -1, Step: -1, Command: []string{"info"}, Text: text})
	}
}

// reference names the host whose clock the others are compared with.
func (f *finder) reference() string {
	for i := range f.Clocks.Clocks {
		if c := &f.Clocks.Clocks[i]; c.Reference {
			return c.Host
		}
	}
	return "the first"
}

// were counts things that did something: "1 send was", "3 sends were".
func were(n uint64, noun, one, many string) string {
	if n == 1 {
		return "1 " + noun + " " + one
	}
	return fmt.Sprintf("%d %ss %s", n, noun, many)
}

// suspicious reports what casts doubt on the recording or the program.
func (f *finder) suspicious() {
	if f.Waits == nil {
		return
	}
	if b := f.Waits.Backwards; b.Max > clockNoise {
		// What it concerns is all that is said of times.
		f.add(Finding{Kind: Clocks, weight: much, Process: -1, Step: -1, Command: []string{"info"},
			Text: fmt.Sprintf("%d messages are received before they are sent, by up to %s: clocks differ", b.Count,
				f.Duration(b.Max))})
	}
	f.skewed()
	if m := f.Waits.Match; m != nil && m.UnmatchedSends+m.UnmatchedRecvs > 0 && !m.Partial && f.Standstill == nil {
		f.add(Finding{Kind: Unmatched, Process: -1, Step: -1, Command: []string{"messages"},
			Text: fmt.Sprintf("%s never received and %s no message", were(m.UnmatchedSends, "send", "was", "were"),
				were(m.UnmatchedRecvs, "receive", "got", "got"))})
	}
}
