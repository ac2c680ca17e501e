package cli

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tabard/analysis/compare"
	"tabard/analysis/selection"
)

// diffSchema names the form of what `tabard diff --json` prints.
const diffSchema = "tabard.diff/1"

// exitDifferent is the exit code for recordings that differ.
const exitDifferent = 1

const diffLong = `Compare two recordings: are they the same in structure, parameters, or time?

Structure is which calls are made in which order, by function and call site. Loops are compared as loops:
one that was repeated once more is one difference. Parameters are compared in calls that
correspond, constants by name, so that recordings of different MPIs and of moved or rebuilt
programs can be compared. Differences that explain others come first: what few ranks
did before what many did, what was given to a call before what came out of it.

What differs from run to run by nature counts as order and is no difference: which request
completes first, who sent to MPI_ANY_SOURCE, how often a poll fails, addresses, names of hosts. Nor is what
follows from that, if all ranks together still make the same calls: a master that serves its workers in another
order. Where the order differs first is said. (With --comm, --time or --steps nothing is laid to it, as
what went before is not compared.) Call sites that are at other lines of an edited source are
found by the sequence of calls in each function.
Times are shown, if there are any, and are no difference unless --what time is given.

Memory is compared up to renaming: which block malloc gives means nothing, how far into a block a buffer begins does, and
which buffers of a call share one. With --ignore-sites calls are told apart by function and order, wherever they
are made. With --rerun B may be a replay or a proxy of A: then neither are call sites
compared, nor calls that callbacks made, callbacks and their state, values of attributes,
arguments of programs, and the directories of files.

If the numbers of ranks differ, those that are in both are compared.

The exit code is 0 if the recordings are the same, 1 if they differ, and 2 after an error.`

// diffFlags are the flags of `tabard diff`.
type diffFlags struct {
	what      *choice
	limit     int
	strict    bool
	sites     bool // call sites are ignored
	rerun     bool
	json      bool
	selection selection.Flags
}

func diffCommand(a *app) *cobra.Command {
	f := &diffFlags{}
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Show in what two recordings differ",
		Long:  diffLong,
		Example: `  tabard diff good.tabard bad.tabard
  tabard diff openmpi.tabard mpich.tabard --what structure
  tabard diff before.tabard after.tabard --what time
  tabard diff original.tabard replayed.tabard --rerun
  tabard diff a.tabard b.tabard --rank 0-3 --function p2p --json
  tabard diff a.tabard b.tabard --steps 40-49 --comm cart0`,
		Args:              exactArgs("A", "B"),
		ValidArgsFunction: completeTwoFiles,
	}
	f.what = addChoice(cmd, "what", "compare only this `WHAT`: structure, params or time", "all", "structure", "params", "time")
	fl := cmd.Flags()
	fl.BoolVar(&f.strict, "strict", false, "count differences of order, and call sites that moved, as differences")
	fl.IntVar(&f.limit, "limit", 20, "show at most `N` differences, 0 for all")
	fl.BoolVar(&f.sites, "ignore-sites", false, "tell calls apart by function and order, wherever they are made")
	fl.BoolVar(&f.rerun, "rerun", false, "B repeats A from another program (replay, proxy): also leave out what that cannot have")
	value := func(text *string, check func(string) error) *selectValue {
		return &selectValue{text, true, "LIST", check}
	}
	fl.Var(value(&f.selection.Ranks, parsed(selection.ParseRanks)), "rank", "these ranks only, e.g. 0,4-7")
	fl.Var(value(&f.selection.Functions, parsed(selection.ParseFunctions)), "function", "these functions and groups only, e.g. p2p,MPI_Allreduce")
	fl.Var(value(&f.selection.Comms, parsed(selection.ParseComms)), "comm", "calls on these communicators only, e.g. MPI_COMM_WORLD,3")
	fl.Var(&selectValue{&f.selection.Time, false, "WINDOW", parsed(selection.ParseWindow)}, "time", "this window of time only, e.g. 1.5s..2s or 10%..30%")
	fl.Var(&selectValue{&f.selection.Steps, false, "STEPS", parsed(selection.ParseSteps)}, "steps", "these time steps only, e.g. 10-19")
	fl.BoolVar(&f.json, "json", false, "print JSON (schema "+diffSchema+")")
	if err := cmd.RegisterFlagCompletionFunc("function", completeFunctions); err != nil {
		panic(err) // the flag was defined above
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		different, err := f.run(a, args)
		var usage *usageError
		switch {
		case errors.As(err, &usage):
			return err
		case err != nil: // 1 says that the recordings differ
			fmt.Fprintf(a.err, "%s: %v\n", cmd.CommandPath(), err)
			return exitCode(exitUsage)
		case different:
			return exitCode(exitDifferent)
		}
		return nil
	}
	return cmd
}

// completeTwoFiles offers the archives for both arguments.
func completeTwoFiles(cmd *cobra.Command, args []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 1 {
		args = nil
	}
	return completeFiles(cmd, args, to)
}

// run compares and prints; it tells whether the recordings differ.
func (f *diffFlags) run(a *app, args []string) (different bool, err error) {
	if f.limit < 0 {
		return false, usagef("--limit %d is less than 0", f.limit)
	}
	sel, err := selection.Parse(f.selection)
	if err != nil {
		return false, usagef("%v", err)
	}
	o := compare.Options{Structure: true, Parameters: true, Time: true, Ranks: sel.Ranks, Functions: sel.Functions,
		Comms: sel.Comms, Window: sel.Window, Steps: sel.Steps, IgnoreSites: f.sites, Rerun: f.rerun}
	switch f.what.value {
	case "structure":
		o.Parameters, o.Time = false, false
	case "params":
		o.Structure, o.Time = false, false
	case "time":
		o.Structure, o.Parameters = false, false
	}
	x, err := a.open(args[0])
	if err != nil {
		return false, err
	}
	defer x.Close()
	y, err := a.open(args[1])
	if err != nil {
		return false, err
	}
	defer y.Close()
	r, err := compare.Of(x, y, o)
	if err != nil {
		return false, err
	}
	different = f.differs(r)
	if f.json {
		return different, a.printJSON(f.asJSON(args, r, different))
	}
	w := bufio.NewWriter(a.out)
	f.print(w, args, r, different)
	return different, w.Flush()
}

// differs tells whether a result counts as a difference.
func (f *diffFlags) differs(r *compare.Result) bool {
	if len(r.Differences) > 0 || f.strict && len(r.Order)+len(r.Follows)+len(r.Arrivals)+len(r.Moved) > 0 {
		return true
	}
	t := r.Times
	return f.what.value == "time" && t != nil && len(t.Sites)+len(t.Slower)+len(t.Faster) > 0
}

// differenceJSON is a difference as JSON.
type differenceJSON struct {
	Kind     string          `json:"kind"`
	Text     string          `json:"text"`
	World    int             `json:"world,omitempty"`
	Thread   int             `json:"thread,omitempty"`
	Ranks    string          `json:"ranks"`
	NumRanks int             `json:"num_ranks"`
	Func     string          `json:"func,omitempty"`
	Site     string          `json:"site,omitempty"`
	Calls    []diffCallJSON  `json:"calls,omitempty"`
	More     uint64          `json:"more_calls,omitempty"`
	Param    string          `json:"param,omitempty"`
	A        string          `json:"a,omitempty"`
	B        string          `json:"b,omitempty"`
	Varies   bool            `json:"varies,omitempty"`
	Count    uint64          `json:"count"`
	Of       uint64          `json:"of,omitempty"`
	Onwards  bool            `json:"from_there_on,omitempty"`
	OnlyA    bool            `json:"only_a,omitempty"`
	CallA    uint64          `json:"call_a"`
	CallB    uint64          `json:"call_b"`
	Loops    []diffPlaceJSON `json:"loops,omitempty"`
}

type diffCallJSON struct {
	Func  string `json:"func"`
	Site  string `json:"site,omitempty"`
	Count uint64 `json:"count"`
}

type diffPlaceJSON struct {
	Place      string `json:"place,omitempty"`
	Step       bool   `json:"step,omitempty"`
	Iteration  uint64 `json:"iteration"`
	Iterations uint64 `json:"iterations"`
}

type diffOrderJSON struct {
	Func  string `json:"func"`
	Site  string `json:"site,omitempty"`
	Param string `json:"param"`
	Ranks int    `json:"ranks"`
	Count uint64 `json:"count"`
}

// diffArrivalJSON is the first outcome that differs of those that the standard leaves open.
type diffArrivalJSON struct {
	World int    `json:"world,omitempty"`
	Rank  int    `json:"rank"`
	Func  string `json:"func"`
	Site  string `json:"site,omitempty"`
	Param string `json:"param"`
	A     string `json:"a"`
	B     string `json:"b"`
	CallA uint64 `json:"call_a"`
	CallB uint64 `json:"call_b"`
}

// diffMovedJSON is a call site of A, and where it is in B.
type diffMovedJSON struct {
	Func string `json:"func"`
	A    string `json:"a"`
	B    string `json:"b"`
}

type diffTimesJSON struct {
	ElapsedA int64          `json:"elapsed_a_ns"`
	ElapsedB int64          `json:"elapsed_b_ns"`
	CallsA   int64          `json:"calls_a_ns"`
	CallsB   int64          `json:"calls_b_ns"`
	Sites    []siteTimeJSON `json:"sites"`
	Slower   []rankTimeJSON `json:"slower_ranks"`
	Faster   []rankTimeJSON `json:"faster_ranks"`
}

type siteTimeJSON struct {
	Func   string `json:"func"`
	Site   string `json:"site,omitempty"`
	A      int64  `json:"a_ns"`
	B      int64  `json:"b_ns"`
	CallsA uint64 `json:"calls_a"`
	CallsB uint64 `json:"calls_b"`
}

type rankTimeJSON struct {
	World int   `json:"world,omitempty"`
	Rank  int   `json:"rank"`
	A     int64 `json:"outside_calls_a_ns"`
	B     int64 `json:"outside_calls_b_ns"`
}

// diffJSON is what --json prints.
type diffJSON struct {
	Schema      string            `json:"schema"`
	A           string            `json:"a"`
	B           string            `json:"b"`
	Same        bool              `json:"same"`
	What        string            `json:"what"`
	Ranks       int               `json:"ranks"`
	Calls       uint64            `json:"calls"`
	Total       int               `json:"total_differences"`
	Differences []differenceJSON  `json:"differences"`
	Order       []diffOrderJSON   `json:"order"`
	Arrivals    []diffArrivalJSON `json:"arrivals"`
	Follows     []differenceJSON  `json:"follows_from_arrivals"`
	Moved       []diffMovedJSON   `json:"moved"`
	Times       *diffTimesJSON    `json:"times,omitempty"`
	Notes       []string          `json:"notes"`
}

func (f *diffFlags) asJSON(args []string, r *compare.Result, different bool) *diffJSON {
	out := &diffJSON{Schema: diffSchema, A: args[0], B: args[1], Same: !different, What: f.what.value, Ranks: r.Ranks, Calls: r.Calls, Total: len(r.Differences),
		Differences: []differenceJSON{}, Order: []diffOrderJSON{}, Moved: []diffMovedJSON{}, Arrivals: []diffArrivalJSON{}, Follows: []differenceJSON{}, Notes: append([]string{}, r.Notes...)}
	for i, d := range r.Differences {
		if f.limit > 0 && i == f.limit {
			break
		}
		out.Differences = append(out.Differences, differenceAsJSON(d))
	}
	for i, d := range r.Follows {
		if f.limit > 0 && i == f.limit {
			break
		}
		out.Follows = append(out.Follows, differenceAsJSON(d))
	}
	for _, x := range r.Arrivals {
		out.Arrivals = append(out.Arrivals, diffArrivalJSON{x.World, x.Rank, x.Call.Func, x.Call.Site, x.Param, x.A, x.B, x.CallA, x.CallB})
	}
	for _, o := range r.Order {
		out.Order = append(out.Order, diffOrderJSON{o.Func, o.Site, o.Param, o.Ranks, o.Count})
	}
	for _, m := range r.Moved {
		out.Moved = append(out.Moved, diffMovedJSON(m))
	}
	if t := r.Times; t != nil {
		out.Times = &diffTimesJSON{ElapsedA: int64(t.ElapsedA), ElapsedB: int64(t.ElapsedB), CallsA: int64(t.CallsA), CallsB: int64(t.CallsB),
			Sites: []siteTimeJSON{}, Slower: rankTimes(t.Slower), Faster: rankTimes(t.Faster)}
		for _, s := range t.Sites {
			out.Times.Sites = append(out.Times.Sites, siteTimeJSON{s.Func, s.Site, int64(s.A), int64(s.B), s.CallsA, s.CallsB})
		}
	}
	return out
}

func differenceAsJSON(d *compare.Difference) differenceJSON {
	x := differenceJSON{Kind: d.Kind.String(), Text: diffText(d), World: d.World, Thread: max(d.Thread, 0), Ranks: d.Ranks.String(), NumRanks: d.Ranks.Len(), Func: d.Call.Func, Site: d.Call.Site,
		More: d.More, Param: d.Param, A: d.A, B: d.B, Varies: d.Varies, Count: d.Count, Of: d.Of, Onwards: d.FromThereOn, OnlyA: d.OnlyA, CallA: d.CallA, CallB: d.CallB}
	for _, c := range d.Calls {
		x.Calls = append(x.Calls, diffCallJSON{c.Func, c.Site, c.Count})
	}
	for _, p := range d.Places {
		x.Loops = append(x.Loops, diffPlaceJSON{p.Loop, p.Step, p.Iteration, p.Iterations})
	}
	return x
}

func rankTimes(list []compare.RankTime) []rankTimeJSON {
	out := []rankTimeJSON{}
	for _, r := range list {
		out = append(out, rankTimeJSON{r.World, r.Rank, int64(r.A), int64(r.B)})
	}
	return out
}

// diffWhat names what was compared.
func (f *diffFlags) diffWhat() string {
	switch f.what.value {
	case "structure":
		return "structure"
	case "params":
		return "parameters"
	case "time":
		return "time"
	}
	return strings.Join([]string{"structure", "parameters"}, " and ")
}
