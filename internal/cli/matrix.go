package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tabard/analysis/traffic"
	"tabard/internal/comms"
	"tabard/internal/render"
	"tabard/trace"
)

// matrixSchema names the form of what `tabard matrix --json` prints.
const matrixSchema = "tabard.matrix/1"

// Limits of `tabard matrix`: how many pairs are listed one by one, and how many bins are drawn of more.
const (
	maxPairs    = 1 << 22
	defaultBins = 512
)

const matrixLong = `Show which ranks send how much to which: the communication matrix, as a heat map with
senders as rows and receivers as columns, and the pairs that exchange most.

Messages point to point count where they are sent, to their real partner: also on
sub-communicators and intercommunicators, for persistent requests and derived datatypes;
MPI_PROC_NULL is nobody. --kind collective shows what ranks need from one another by
the definition of collectives, whatever algorithm the library uses: from the root of a
broadcast to each other rank, from each rank to each other one in an all-reduce, and so
on. --kind rma shows puts, gets and accumulates, in the direction of the data.

It works on the compressed structure: the time it takes does not depend on the number
of messages of a regular program. --value time needs all time stamps: it shows
how long ranks are in the calls that send.

`

// matrixFlags are the flags of `tabard matrix`.
type matrixFlags struct {
	selectFlags
	pictureFlags
	kind, value *choice
	csv         bool
	bins, top   int
}

func matrixCommand(a *app) *cobra.Command {
	f := &matrixFlags{}
	cmd := &cobra.Command{
		Use:   "matrix FILE",
		Short: "Show which ranks send how much to which",
		Long:  matrixLong + selectHelp,
		Example: `  tabard matrix app.tabard
  tabard matrix app.tabard --kind collective --value messages
  tabard matrix app.tabard --steps 10-19 --comm 3 --svg matrix.svg
  tabard matrix app.tabard --csv > matrix.csv
  tabard matrix app.tabard --json --bins 64`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	f.kind = addChoice(cmd, "kind", "what to show: messages point to point, what collectives imply, one-sided operations, or all", "p2p", "collective", "rma", "all")
	f.value = addChoice(cmd, "value", "what of it: bytes, numbers of messages, or time of the senders", "bytes", "messages", "time")
	fl.IntVar(&f.bins, "bins", 0, "sum up the ranks in `N` groups of neighbours")
	fl.IntVar(&f.top, "top", 10, "list the `N` greatest pairs, 0 for none")
	fl.BoolVar(&f.csv, "csv", false, "print CSV: from, to, messages, bytes, and time_ns with --value time")
	f.pictureFlags.add(cmd)
	f.selectFlags.add(cmd, matrixSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		archive, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
		return f.run(a, archive)
	}
	return cmd
}

func (f *matrixFlags) check() error {
	switch {
	case f.bins < 0 || f.bins > 1<<13:
		return usagef("--bins %d is not in 0 to %d", f.bins, 1<<13)
	case f.top < 0:
		return usagef("--top %d is negative", f.top)
	case f.csv && (f.json || f.wanted()):
		return usagef("--csv does not go with --json and pictures")
	case f.value.value == "time" && f.kind.value != "p2p" && f.kind.value != "rma":
		return usagef("--value time goes with --kind p2p and rma only: collectives have no time for each pair")
	}
	return f.pictureFlags.check(f.json)
}

// matrixView is what is shown of a matrix.
type matrixView struct {
	f       *matrixFlags
	m       *traffic.Matrix
	archive *trace.Archive
	kinds   []traffic.Kind
	// rows is the number of rows and columns, bins that of groups of ranks, 0 for none.
	rows, bins int
	binned     []traffic.Volume
	received   traffic.Volume // known from receives only
}

func (f *matrixFlags) run(a *app, archive *trace.Archive) error {
	chosen, err := f.resolve(archive)
	if err != nil {
		return err
	}
	done := a.showProgress(chosen)
	m, err := traffic.MatrixOf(chosen)
	done()
	if err != nil {
		return err
	}
	v := &matrixView{f: f, m: m, archive: archive, rows: m.Processes, kinds: []traffic.Kind{traffic.PointToPoint, traffic.Collective, traffic.OneSided}}
	if k := slices.Index(f.kind.allowed, f.kind.value); k < len(v.kinds) {
		v.kinds = v.kinds[k : k+1]
	}
	if m.Missing > 0 && chosen.Selection.Ranks == nil && slices.Contains(v.kinds, traffic.PointToPoint) {
		if v.received, err = m.AddReceived(chosen); err != nil {
			return err
		}
	}
	if f.value.value == "time" {
		progress := a.meter("reading times", "events", 0)
		n, err := m.AddTimes(chosen, progress.Add)
		progress.Done()
		if err != nil {
			return err
		}
		if v.total().Messages > 0 && n == 0 {
			return fmt.Errorf("%s has no times of single calls: --value time needs them", archive.File())
		}
	}
	if err := v.group(); err != nil {
		return err
	}
	switch {
	case f.json:
		return json.NewEncoder(a.out).Encode(v.json()) // on one line: most of it is a long list of numbers
	case f.csv:
		return v.csv(a.out)
	case f.wanted():
		return f.pictureFlags.write(a, v.chart().Picture())
	}
	w := bufio.NewWriter(a.out)
	if err := v.print(w, a.terminal()); err != nil {
		return err
	}
	return w.Flush()
}

// group sums up ranks if that was asked for, or if there are too many pairs to draw.
func (v *matrixView) group() error {
	v.bins = v.f.bins
	if pairs := v.m.Pairs(v.kinds...); v.bins == 0 && pairs > maxPairs {
		if v.f.json || v.f.csv {
			return fmt.Errorf("there are %s pairs: choose --kind p2p, --bins N or fewer ranks", count(pairs))
		}
		v.bins = defaultBins
	}
	if v.bins == 0 || v.bins >= v.m.Processes {
		v.bins = 0
		return nil
	}
	v.rows = v.bins
	v.binned = v.m.Binned(v.bins, v.kinds...)
	return nil
}

// cells yields what is shown: processes, or bins.
func (v *matrixView) cells() iter.Seq[traffic.Cell] {
	if v.bins == 0 {
		return v.m.Cells(v.kinds...)
	}
	return func(yield func(traffic.Cell) bool) {
		for i, b := range v.binned {
			if b.Messages > 0 && !yield(traffic.Cell{From: int32(i / v.bins), To: int32(i % v.bins), Volume: b}) {
				return
			}
		}
	}
}

func (v *matrixView) total() (sum traffic.Volume) {
	for _, k := range v.kinds {
		t := v.m.Total(k)
		sum.Messages += t.Messages
		sum.Bytes += t.Bytes
		sum.Time += t.Time
	}
	return sum
}

// value is what of a volume is shown.
func (v *matrixView) value(x traffic.Volume) float64 {
	switch v.f.value.value {
	case "messages":
		return float64(x.Messages)
	case "time":
		return float64(x.Time)
	}
	return float64(x.Bytes)
}

func (v *matrixView) unit() render.Unit {
	return map[string]render.Unit{"messages": render.Number, "time": render.Nanos, "bytes": render.Bytes}[v.f.value.value]
}

// name names row i.
func (v *matrixView) name(i int) string {
	if v.bins == 0 {
		return processShort(v.m.Worlds, i)
	}
	// The first process p with p*bins/Processes = i.
	first := func(i int) int { return (i*v.m.Processes + v.bins - 1) / v.bins }
	lo, hi := first(i), first(i+1)-1
	if lo == hi {
		return processShort(v.m.Worlds, lo)
	}
	return processShort(v.m.Worlds, lo) + "-" + processShort(v.m.Worlds, hi)
}

// processShort names a process: its rank, and its world if that is not the first.
func processShort(worlds []comms.World, p int) string {
	for i := len(worlds) - 1; i > 0; i-- {
		if w := worlds[i]; p >= w.First {
			return rankName(w.Number, p-w.First)
		}
	}
	return strconv.Itoa(p)
}

var kindTitles = map[string]string{"p2p": "Messages point to point", "collective": "What collectives imply", "rma": "One-sided operations",
	"all": "Messages, collectives and one-sided operations"}

// chart makes the heat map.
func (v *matrixView) chart() *render.Heatmap {
	t := v.total()
	h := &render.Heatmap{Title: fmt.Sprintf("%s, %s", kindTitles[v.f.kind.value], plural(uint64(v.m.Processes), "rank")),
		Note: fmt.Sprintf("%s: %s, %s", v.archive.File(), plural(t.Messages, "message"), byteSize(t.Bytes)),
		Rows: v.rows, Cols: v.rows, RowAxis: "sender (rank)", ColAxis: "receiver (rank)", Unit: v.unit(),
		Value: map[string]string{"messages": "messages", "time": "time in calls that send", "bytes": "bytes sent"}[v.f.value.value]}
	if v.bins > 0 || len(v.m.Worlds) > 1 {
		h.RowLabel, h.ColLabel = v.name, v.name
	}
	if v.bins > 0 {
		h.Note += fmt.Sprintf("; a row is about %d ranks", v.m.Processes/v.bins)
	}
	h.Each = func(yield func(row, col int, x float64) bool) {
		for c := range v.cells() {
			if !yield(int(c.From), int(c.To), v.value(c.Volume)) {
				return
			}
		}
	}
	return h
}

func (v *matrixView) print(w io.Writer, t render.Terminal) error {
	if v.total().Messages == 0 {
		fmt.Fprintf(w, "%s: no such messages\n", kindTitles[v.f.kind.value])
	} else {
		if err := v.chart().WriteText(w, t); err != nil {
			return err
		}
		if err := v.printTop(w); err != nil {
			return err
		}
	}
	return v.printNotes(w)
}

// top are the greatest cells, by what is shown.
func (v *matrixView) top(n int) []traffic.Cell {
	var best []traffic.Cell
	for c := range v.cells() {
		if len(best) == n && v.value(c.Volume) <= v.value(best[n-1].Volume) {
			continue
		}
		i, _ := slices.BinarySearchFunc(best, c, func(a, b traffic.Cell) int {
			if v.value(a.Volume) >= v.value(b.Volume) { // equal ones stay in order
				return -1
			}
			return 1
		})
		if best = slices.Insert(best, i, c); len(best) > n {
			best = best[:n]
		}
	}
	return best
}

func (v *matrixView) printTop(w io.Writer) error {
	if v.f.top == 0 {
		return nil
	}
	heads := []string{">FROM", ">TO", ">MESSAGES", ">BYTES", ">MEAN SIZE"}
	if v.f.value.value == "time" {
		heads = append(heads, ">TIME")
	}
	t := render.NewTable(heads...)
	for _, c := range v.top(v.f.top) {
		cells := []string{v.name(int(c.From)), v.name(int(c.To)), count(c.Messages), byteSize(c.Bytes), byteSize(c.Bytes / int64(c.Messages))}
		if v.f.value.value == "time" {
			cells = append(cells, render.Duration(c.Time))
		}
		t.Row(cells...)
	}
	fmt.Fprintln(w)
	return t.WriteText(w)
}

// printNotes says what else there is, and what is not known.
func (v *matrixView) printNotes(w io.Writer) error {
	var notes []string
	for k := range traffic.File {
		if t := v.m.Total(k); !slices.Contains(v.kinds, k) && t.Messages > 0 {
			notes = append(notes, fmt.Sprintf("--kind %s shows %s, %s", k, plural(t.Messages, "message"), byteSize(t.Bytes)))
		}
	}
	for _, k := range v.kinds {
		if n := v.m.Nowhere[k]; n.Messages > 0 {
			notes = append(notes, fmt.Sprintf("%s (%s) not shown: the recording does not say to whom", plural(n.Messages, k.String()+" message"), byteSize(n.Bytes)))
		}
		if n := v.m.Unsized[k]; n > 0 {
			notes = append(notes, fmt.Sprintf("%s of unknown size", plural(n, k.String()+" message")))
		}
	}
	if n := v.received; n.Messages > 0 {
		notes = append(notes, fmt.Sprintf("%s, %s, are known from their receipt only: their senders were not recorded", plural(n.Messages, "message"), byteSize(n.Bytes)))
	}
	if n := v.m.Missing; n > 0 {
		notes = append(notes, fmt.Sprintf("%s not recorded or not selected: what they send to one another is not known", plural(uint64(n), "rank")))
	}
	if len(notes) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(notes, "\n"))
	}
	return nil
}

// csv writes a line for each pair.
func (v *matrixView) csv(out io.Writer) error {
	w := bufio.NewWriter(out)
	timed := v.f.value.value == "time"
	fmt.Fprint(w, "from,to,messages,bytes")
	if timed {
		fmt.Fprint(w, ",time_ns")
	}
	fmt.Fprintln(w)
	for c := range v.cells() {
		fmt.Fprintf(w, "%s,%s,%d,%d", v.name(int(c.From)), v.name(int(c.To)), c.Messages, c.Bytes)
		if timed {
			fmt.Fprintf(w, ",%d", c.Time)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
