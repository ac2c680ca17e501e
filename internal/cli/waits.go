package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tabard/analysis/waits"
	"tabard/internal/render"
)

// waitsSchema names the form of what `tabard waits --json` prints.
const waitsSchema = "tabard.waits/1"

const waitsLong = `Find where processes waited for one another, and who made them wait.

Sends are matched with receives, and the calls of a collective with one another. The part
of a call's time counts as waiting in which it could not go on because another process had
not made its call yet:

  late sender      a receive, or the call that completes it, began before the send
  wrong order      likewise, while another message was there that was received later
  late receiver    a send that waits for its receive began before the receive was posted
  early reduce     the root of a reduction or gather came before the last sender
  late broadcast   the receivers of a broadcast or scatter came before the root
  early scan       a rank came to MPI_Scan or MPI_Exscan before a lower one
  wait at NxN      a member of MPI_Allreduce, MPI_Alltoall, ... came before the last one
  wait at barrier  likewise for MPI_Barrier
  wait for neighbours
                   a member of MPI_Neighbor_... came before one that it receives from

A process that tests a request again and again, and calls nothing else until it is
complete, waits in these tests, too. Collectives of intercommunicators wait for the other
group.

Who comes late may have waited itself. Causes are found by following waits back to the
process whose delay, by computation or by calls that did not wait, set them off.

`

// waitsFlags are the flags of `tabard waits`.
type waitsFlags struct {
	selectFlags
	kind  string
	cause int
	limit int
}

func waitsCommand(a *app) *cobra.Command {
	f := &waitsFlags{cause: -1}
	cmd := &cobra.Command{
		Use:   "waits FILE",
		Short: "Show who waits for whom, where, and why",
		Long:  waitsLong + selectHelp + "\nThe call that waits is what is chosen.",
		Example: `  tabard waits app.tabard
  tabard waits app.tabard --kind late-sender --limit 50
  tabard waits app.tabard --cause 3
  tabard waits app.tabard --steps 100-199 --json`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.kind, "kind", "", "this `KIND` of wait only, e.g. late-sender")
	fl.IntVar(&f.cause, "cause", -1, "what the process with this number (the rank, in the launched world) causes only")
	fl.IntVar(&f.limit, "limit", 10, "show at most `N` lines of each table, 0 for all")
	f.add(cmd, waitsSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		kind, err := f.check()
		if err != nil {
			return err
		}
		archive, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
		t, err := a.timed(archive, &f.selectFlags)
		if err != nil {
			return err
		}
		if err := t.needTimes(); err != nil {
			return err
		}
		r, err := t.waits(nil)
		if err != nil {
			return err
		}
		f.narrow(r, kind)
		if f.json {
			return a.printJSON(waitsJSON(args[0], r))
		}
		w := bufio.NewWriter(a.out)
		f.print(w, r)
		return w.Flush()
	}
	return cmd
}

// check understands --kind; -1 is all kinds.
func (f *waitsFlags) check() (int, error) {
	if f.limit < 0 {
		return 0, usagef("--limit %d is less than 0", f.limit)
	}
	if f.kind == "" {
		return -1, nil
	}
	var names []string
	for k := range waits.NumKinds {
		name := strings.ReplaceAll(k.String(), " ", "-")
		if strings.EqualFold(name, strings.ReplaceAll(f.kind, " ", "-")) {
			return int(k), nil
		}
		names = append(names, name)
	}
	return 0, usagef("--kind %q is none of %s", f.kind, strings.Join(names, ", "))
}

// narrow leaves out what --kind and --cause do not ask for. The sums stay.
func (f *waitsFlags) narrow(r *waits.Result, kind int) {
	if kind >= 0 {
		r.Groups = slices.DeleteFunc(r.Groups, func(g waits.Group) bool { return int(g.Kind) != kind })
	}
	if f.cause < 0 {
		return
	}
	is := func(s waits.Share) bool { return int(s.Process) == f.cause }
	r.Groups = slices.DeleteFunc(r.Groups, func(g waits.Group) bool { return !slices.ContainsFunc(g.Causers, is) })
	kept := make([]int, len(r.Roots))
	var roots []waits.Root
	for i, x := range r.Roots {
		if kept[i] = -1; int(x.Process) == f.cause {
			kept[i] = len(roots)
			roots = append(roots, x)
		}
	}
	r.Roots = roots
	steps := r.Steps[:0]
	for _, s := range r.Steps {
		if s.Root >= 0 && kept[s.Root] >= 0 {
			s.Root = kept[s.Root]
			steps = append(steps, s)
		}
	}
	r.Steps = steps
}

// needTimes is the error for an archive that has no times of calls.
func (t *timed) needTimes() error {
	for s := range t.archive.Streams() {
		if s.Timed() {
			return nil
		}
	}
	return fmt.Errorf("%s has no times of calls: record with --timing=lossy or --timing=lossless", t.archive.File())
}

// print shows the waits as text.
func (f *waitsFlags) print(w io.Writer, r *waits.Result) {
	fmt.Fprintf(w, "%s waiting in %s, %s of the time of all processes\n", render.Duration(r.Total.Time), render.Plural(r.Total.Count, "call"), timeShare(r.Total.Time, r.Elapsed))
	if r.Short.Count > 0 {
		fmt.Fprintf(w, "%s of that, in waits of up to %s, without a search for causes: there are too many\n", render.Duration(r.Short.Time), render.Duration(r.Longest))
	}
	if r.Backwards.Count > 0 {
		fmt.Fprintf(w, "%s received before they are sent, by up to %s: the clocks differ\n", render.Plural(r.Backwards.Count, "message"), render.Duration(r.Backwards.Max))
	}
	if r.Total.Count == 0 {
		return
	}
	fmt.Fprintln(w)
	t := render.NewTable("pattern", ">waits", ">time", ">share", ">longest")
	for k, s := range r.Kinds {
		if s.Count > 0 {
			t.Row(waits.Kind(k).String(), render.Count(s.Count), render.Duration(s.Time), timeShare(s.Time, r.Elapsed), render.Duration(s.Max))
		}
	}
	t.WriteText(w)
	f.roots(w, r)
	f.groups(w, r)
	f.processes(w, r)
	f.steps(w, r)
}

func (f *waitsFlags) limited(n int) int {
	if f.limit == 0 {
		return n
	}
	return min(n, f.limit)
}

// rest says how much of a table was left out.
func (f *waitsFlags) rest(w io.Writer, shown, all int) {
	if shown < all {
		fmt.Fprintf(w, "... %d more (--limit 0 shows all)\n", all-shown)
	}
}

func (f *waitsFlags) roots(w io.Writer, r *waits.Result) {
	fmt.Fprintln(w, "\nCauses: who came late, where, and how much waiting goes back to that")
	t := render.NewTable("process", "comes late to", ">waiting", ">share", ">waits", ">steps", ">worst step")
	n := f.limited(len(r.Roots))
	for i := range r.Roots[:n] {
		x := &r.Roots[i]
		steps, worst := "-", "-"
		if x.Worst >= 0 {
			steps, worst = render.Count(uint64(x.Steps)), fmt.Sprintf("%d (%s)", x.Worst, render.Duration(x.WorstTime))
		}
		t.Row(processName(r.Worlds, x.Process), placeText(x.Late.Func, x.Late.Site), render.Duration(x.Time), timeShare(x.Time, r.Total.Time), render.Count(x.Waits), steps, worst)
	}
	t.WriteText(w)
	f.rest(w, n, len(r.Roots))
}

func (f *waitsFlags) groups(w io.Writer, r *waits.Result) {
	fmt.Fprintln(w, "\nWhere they wait")
	t := render.NewTable("pattern", "waiting in", "for", ">waits", ">time", ">longest", "most")
	n := f.limited(len(r.Groups))
	for i := range r.Groups[:n] {
		g := &r.Groups[i]
		most := ""
		if len(g.Waiters) > 0 && len(g.Causers) > 0 {
			most = fmt.Sprintf("%s for %s", processName(r.Worlds, g.Waiters[0].Process), processName(r.Worlds, g.Causers[0].Process))
		}
		t.Row(g.Kind.String(), placeText(g.Waiting.Func, g.Waiting.Site), placeText(g.Late.Func, g.Late.Site), render.Count(g.Count),
			render.Duration(g.Time), render.Duration(g.Max), most)
	}
	t.WriteText(w)
	f.rest(w, n, len(r.Groups))
}

func (f *waitsFlags) processes(w io.Writer, r *waits.Result) {
	fmt.Fprintln(w, "\nProcesses, by the waiting that goes back to them")
	n := f.limited(len(r.Processes))
	all := greatest(r.Processes, n, func(p *waits.Process) time.Duration { return p.Root })
	t := render.NewTable("process", ">waits", ">others wait for it", ">goes back to it")
	for _, p := range all {
		t.Row(processName(r.Worlds, p.Process), render.Duration(p.Total()), render.Duration(p.Caused), render.Duration(p.Root))
	}
	t.WriteText(w)
	f.rest(w, n, len(r.Processes))
}

// greatest are the n elements with the greatest values, the greatest first, and equal ones in order.
func greatest[T any](all []T, n int, value func(*T) time.Duration) []*T {
	of := make([]*T, 0, min(len(all), n+1))
	order := func(a, b *T) int { return cmp.Compare(value(b), value(a)) }
	if n > 100 {
		for i := range all {
			of = append(of, &all[i])
		}
		slices.SortStableFunc(of, order)
		return of[:min(n, len(of))]
	}
	for i := range all {
		x := &all[i]
		k := len(of)
		for k > 0 && order(x, of[k-1]) < 0 {
			k--
		}
		if k < n {
			of = slices.Insert(of, k, x)
			of = of[:min(n, len(of))]
		}
	}
	return of
}

func (f *waitsFlags) steps(w io.Writer, r *waits.Result) {
	if len(r.Steps) == 0 {
		return
	}
	fmt.Fprintln(w, "\nTime steps with the most waiting")
	n := f.limited(len(r.Steps))
	all := greatest(r.Steps, n, func(s *waits.Step) time.Duration { return s.Time })
	t := render.NewTable(">step", ">waiting", "mostly because")
	for _, s := range all {
		why := ""
		if s.Root >= 0 {
			x := &r.Roots[s.Root]
			why = fmt.Sprintf("%s comes late to %s (%s)", processName(r.Worlds, x.Process), placeText(x.Late.Func, x.Late.Site), render.Duration(s.RootTime))
		}
		t.Row(fmt.Sprint(s.Step), render.Duration(s.Time), why)
	}
	t.WriteText(w)
	f.rest(w, n, len(r.Steps))
}

// waitsRun is the schema of `tabard waits --json`. Times are in nanoseconds. Processes are numbered through all worlds;
// in the launched one the number is the rank.
type waitsRun struct {
	Schema    string               `json:"schema"`
	File      string               `json:"file"`
	Elapsed   time.Duration        `json:"elapsed_ns"` // of all processes together
	Total     waits.Sum            `json:"total"`
	Short     waits.Sum            `json:"short"`
	Backwards waits.Sum            `json:"received_before_sent"`
	Kinds     map[string]waits.Sum `json:"kinds"`
	Causes    []waitsCause         `json:"causes"`
	Waits     []waitsGroup         `json:"waits"`
	Processes []waitsProcess       `json:"processes"`
	Steps     []waitsStep          `json:"steps"`
}

type waitsCause struct {
	Process   int32         `json:"process"`
	Late      waits.Place   `json:"late"`
	Time      time.Duration `json:"time_ns"`
	Waits     uint64        `json:"waits"`
	Steps     int           `json:"steps"`
	Worst     int64         `json:"worst_step"` // -1 without time steps
	WorstTime time.Duration `json:"worst_step_ns"`
}

type waitsGroup struct {
	Kind waits.Kind `json:"kind"`
	waits.Sum
	Waiting waits.Place   `json:"waiting"`
	Late    waits.Place   `json:"late"`
	Waiters []waits.Share `json:"waiters"`
	Causers []waits.Share `json:"causers"`
}

type waitsProcess struct {
	Process int32                    `json:"process"`
	Waited  map[string]time.Duration `json:"waited_ns"`
	Caused  time.Duration            `json:"caused_ns"`
	Root    time.Duration            `json:"root_ns"`
}

type waitsStep struct {
	Step  uint64        `json:"step"`
	Time  time.Duration `json:"time_ns"`
	Cause int           `json:"cause"` // an index in causes, -1 if none
	Part  time.Duration `json:"cause_ns"`
}

func waitsJSON(file string, r *waits.Result) *waitsRun {
	j := &waitsRun{Schema: waitsSchema, File: file, Elapsed: r.Elapsed, Total: r.Total, Short: r.Short, Backwards: r.Backwards, Kinds: map[string]waits.Sum{},
		Causes: []waitsCause{}, Waits: []waitsGroup{}, Processes: []waitsProcess{}, Steps: []waitsStep{}}
	for k, s := range r.Kinds {
		j.Kinds[waits.Kind(k).String()] = s
	}
	for _, x := range r.Roots {
		j.Causes = append(j.Causes, waitsCause{x.Process, x.Late, x.Time, x.Waits, x.Steps, x.Worst, x.WorstTime})
	}
	for _, g := range r.Groups {
		j.Waits = append(j.Waits, waitsGroup{g.Kind, g.Sum, g.Waiting, g.Late, g.Waiters, g.Causers})
	}
	for _, p := range r.Processes {
		w := map[string]time.Duration{}
		for k, d := range p.Waited {
			if d > 0 {
				w[waits.Kind(k).String()] = d
			}
		}
		j.Processes = append(j.Processes, waitsProcess{p.Process, w, p.Caused, p.Root})
	}
	for _, s := range r.Steps {
		j.Steps = append(j.Steps, waitsStep{s.Step, s.Time, s.Root, s.RootTime})
	}
	return j
}
