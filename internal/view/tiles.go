package view

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabard-hpc/tabard/analysis/gpus"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/view/api"
)

// tileTime is how long a tile may take that is not exact yet.
const tileTime = 80 * time.Millisecond

// maxTilers is how many selections and orders keep what was found for their tiles.
const maxTilers = 4

// tilers are those of a recording.
type tilers struct {
	mu     sync.Mutex
	memory *timeline.Memory
	all    map[string]*timeline.Tiler
	asked  []string // the latest last
}

// What the cells of a tile are: shares of time, calls that begin, or bytes or messages that are sent or received.
var tileValues = []string{"time", "calls", "bytes_sent", "bytes_received", "messages_sent", "messages_received"}

// isVolume tells whether a value is of data that calls move.
func isVolume(value string) bool { return value != "time" && value != "calls" }

// tiler is that of a selection and an order, of times or of volumes.
func (r *recording) tiler(flags selection.Flags, order string, volume bool) (*timeline.Tiler, error) {
	timed, length, err := r.times()
	if err != nil {
		return nil, err
	}
	if !timed {
		return nil, absent("%v", timeline.ErrUntimed)
	}
	sel, err := selection.Parse(flags)
	if err != nil {
		return nil, wrong("%v", err)
	}
	key := tilerKey(flags, order, volume)
	t := &r.tiles
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.asked, key); i >= 0 {
		t.asked = append(slices.Delete(t.asked, i, i+1), key)
		return t.all[key], nil
	}
	if t.memory == nil {
		t.memory, t.all = timeline.NewMemory(), map[string]*timeline.Tiler{}
	}
	open := timeline.NewTiler
	if volume {
		open = timeline.NewVolumeTiler
	}
	x, err := open(t.memory, r.calls, sel, order, length)
	if err != nil {
		return nil, wrong("%v", err)
	}
	if len(t.asked) == maxTilers {
		i := slices.IndexFunc(t.asked, func(k string) bool { return k != wholeRun })
		delete(t.all, t.asked[i])
		t.asked = slices.Delete(t.asked, i, i+1)
	}
	if key == wholeRun {
		if r.first != nil {
			if err := x.UseOverview(r.first); err != nil {
				return nil, err
			}
		}
		r.warm(x)
	}
	t.all[key] = x
	t.asked = append(t.asked, key)
	return x, nil
}

// warm reads in the background what is not in the cache.
func (r *recording) warm(t *timeline.Tiler) {
	g := r.firstGrid()
	r.background.Go(func() {
		_, _ = guarded(func() (any, error) { return nil, r.readAll(t, g) }) // whoever asks for a tile gets the error
	})
}

// readAll reads what is not in the cache, and keeps it there.
func (r *recording) readAll(t *timeline.Tiler, g *api.Grid) error {
	loaded := r.load(t)
	ahead := func() bool { return !r.closed.Load() }
	if err := t.Warm(ahead, nil); err != nil || !ahead() {
		return err
	}
	r.exactly(t.Ends())
	if !loaded {
		r.save(t)
		r.saveFirst(t, g, ahead)
	}
	return nil
}

// firstGrid is the grid that the page asks by when it begins.
func (r *recording) firstGrid() *api.Grid {
	_, length, err := r.times()
	if err != nil {
		return nil
	}
	return r.grid(length)
}

func tilerKey(flags selection.Flags, order string, volume bool) string {
	return fmt.Sprintf("%+v %s %v", flags, order, volume)
}

// wholeRun is the key of what is shown first.
var wholeRun = tilerKey(selection.Flags{}, timeline.TileOrders[0], false)

// tiles answers /api/tiles.
func tiles(q *question) (any, error) {
	order, err := q.choice("order", timeline.TileOrders...)
	if err != nil {
		return nil, err
	}
	value, err := q.choice("value", tileValues...)
	if err != nil {
		return nil, err
	}
	var n [5]int64
	for i, p := range []struct {
		key         string
		least, most int64
	}{{"level", 0, timeline.MaxTileLevel}, {"x", 0, 1 << 54}, {"first", 0, archive.MaxProcesses * 16},
		{"group", 1, archive.MaxProcesses * 16}, {"rows", 1, maxRows}} {
		if n[i], err = q.number(p.key, p.least, p.least, p.most); err != nil {
			return nil, err
		}
	}
	if q.args.Get("rows") == "" {
		n[4] = maxRows
	}
	if group := n[3]; group&(group-1) != 0 || n[2]%group != 0 {
		return nil, wrong("group is no power of two, or first is no multiple of it")
	}
	if err := afterTime(n[0], n[1]); err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s %s %d", tilerKey(q.flags, order, isVolume(value)), value, n)
	q.rec.firstOnce.Do(q.rec.loadFirst)
	if b := q.rec.packed.get(key); b != nil {
		return b, nil
	}
	t, err := q.rec.tiler(q.flags, order, isVolume(value))
	if err != nil {
		return nil, err
	}
	x := &timeline.Tile{Level: int(n[0]), X: n[1], First: int(n[2]), Group: int(n[3]), Rows: int(n[4]),
		Until: time.Now().Add(tileTime)}
	if err := t.Fill(x); err != nil {
		return nil, err
	}
	b, err := packed(q.rec.calls, t, x, value)
	if err == nil && x.Exact() {
		q.rec.packed.put(key, b)
	}
	return b, err
}

// afterTime refuses tiles of times that no clock has.
func afterTime(level, x int64) error {
	if level > 0 && x > (1<<62)>>level>>8 {
		return wrong("this is after the end of time")
	}
	return nil
}

// firstKey is the key of the tile of the whole run, as the page asks for it first.
func firstKey(g *api.Grid) string {
	return fmt.Sprintf("%s time %d", wholeRun, [5]int64{int64(g.Level), 0, 0, int64(g.Group), maxRows})
}

// maxPacked is how many bytes of tiles are kept as they are sent: some 200 of them.
const maxPacked = 32 << 20

// packedTiles are the exact ones that were asked for last.
type packedTiles struct {
	mu    sync.Mutex
	all   map[string][]byte
	asked []string // the latest last
	bytes int
}

func (p *packedTiles) get(key string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.all[key]
	if i := slices.Index(p.asked, key); i >= 0 {
		p.asked = append(slices.Delete(p.asked, i, i+1), key)
	}
	return b
}

func (p *packedTiles) put(key string, b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all[key] != nil {
		return
	}
	if p.all == nil {
		p.all = map[string][]byte{}
	}
	p.all[key] = b
	p.asked = append(p.asked, key)
	for p.bytes += len(b); p.bytes > maxPacked; {
		oldest := p.asked[0]
		p.asked = p.asked[1:]
		p.bytes -= len(p.all[oldest])
		delete(p.all, oldest)
	}
}

// wholeTile is the tile of the whole run.
func wholeTile(g *api.Grid, until time.Time) *timeline.Tile {
	return &timeline.Tile{Level: g.Level, Group: g.Group, Rows: maxRows, Until: until}
}

// packed is a tile as it is sent.
func packed(a *archive.Archive, t *timeline.Tiler, x *timeline.Tile, value string) ([]byte, error) {
	head := api.TileHead{Level: x.Level, X: x.X, Bins: tileBins, Value: value, Categories: categories(),
		Exact: x.Exact(),
		Blur:  int64(x.Blur), Rows: make([]api.TileRow, x.Rows)}
	if isVolume(value) {
		head.Categories = kinds()
	}
	n := len(head.Categories)
	cells := make([]byte, 0, x.Rows*tileBins*n*4)
	for row := range x.Rows {
		r := &head.Rows[row]
		*r = rowOf(a, t, x, row)
		head.Pending += r.Threads - r.Read
		r.Sums = make([]float64, n)
		for bin := range tileBins {
			for c := range n {
				v := valueOf(x, row, bin, c, value)
				r.Sums[c] += v
				switch {
				case value == "time":
					cells = append(cells, timeline.Share(v, r.Read, x.Level))
				case value == "calls":
					cells = binary.LittleEndian.AppendUint32(cells, uint32(min(v, 1<<32-1)))
				default:
					cells = binary.LittleEndian.AppendUint32(cells, math.Float32bits(float32(v)))
				}
			}
		}
		if isVolume(value) {
			head.Unsized += x.Unsized(row)
		}
	}
	text, err := json.Marshal(&head)
	if err != nil {
		return nil, err
	}
	return append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...), cells...), nil
}

// valueOf is a number of a cell: of a category, or of a way to move data.
func valueOf(x *timeline.Tile, row, bin, c int, value string) float64 {
	f := timeline.Flow{Kind: traffic.Kind(c), Received: strings.HasSuffix(value, "_received")}
	switch {
	case value == "time":
		return x.Time(row, bin, timeline.Category(c))
	case value == "calls":
		return float64(x.Calls(row, bin, timeline.Category(c)))
	case strings.HasPrefix(value, "messages_"):
		return float64(x.Messages(row, bin, f))
	}
	return x.Bytes(row, bin, f)
}

// kinds are the ways to move data that tiles of volumes tell apart.
func kinds() (names []string) {
	for k := range traffic.NumKinds {
		names = append(names, k.String())
	}
	return names
}

// rowOf says which lines a row is.
func rowOf(a *archive.Archive, t *timeline.Tiler, x *timeline.Tile, row int) api.TileRow {
	first := x.First + row*x.Group
	last := min(first+x.Group, t.Lines()) - 1
	s, e := a.Stream(t.Stream(first)), a.Stream(t.Stream(last))
	return api.TileRow{First: first, Last: last, Rank: s.Rank().Rank, LastRank: e.Rank().Rank, World: s.Rank().World,
		Thread: s.Thread(), Threads: x.Lines[row], Read: x.Read[row]}
}

// maxLines is how many lines are listed at once.
const maxLines = 4096

// lines answers /api/lines.
func lines(q *question) (any, error) {
	order, err := q.choice("order", timeline.TileOrders...)
	if err != nil {
		return nil, err
	}
	first, err := q.number("first", 0, 0, archive.MaxProcesses*16)
	if err != nil {
		return nil, err
	}
	count, err := q.number("count", maxLines, 1, maxLines)
	if err != nil {
		return nil, err
	}
	t, err := q.rec.tiler(selection.Flags{}, order, false)
	if err != nil {
		return nil, err
	}
	classes := map[*archive.Class]int{}
	for i, c := range q.rec.calls.Classes() {
		classes[c] = i
	}
	l := &api.Lines{Order: order, Total: t.Lines(), First: int(first), Lines: []api.Line{}}
	for i := int(first); i < min(t.Lines(), int(first+count)); i++ {
		line, err := lineOf(q.rec.calls.Stream(t.Stream(i)), classes)
		if err != nil {
			return nil, err
		}
		l.Lines = append(l.Lines, line)
	}
	return l, nil
}

func lineOf(s *archive.Stream, classes map[*archive.Class]int) (api.Line, error) {
	r := s.Rank()
	queue, err := queueOf(s)
	return api.Line{Rank: r.Rank, World: r.World, Thread: s.Thread(), Host: r.Host, Class: classes[s.Class()],
		Calls: s.Calls(), Queue: queue}, err
}

// queueOf names the queue of a GPU that a stream is of, "" if it is that of a thread.
func queueOf(s *archive.Stream) (string, error) {
	if s.Thread() == 0 { // the program's own; ranks are many, and signatures take time
		return "", nil
	}
	whole, _ := s.Whole() // what begins a queue is no call
	q, ok, err := gpus.QueueOf(whole)
	if !ok {
		return "", err
	}
	return q.String(), nil
}
