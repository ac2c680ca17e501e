package view_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/view"
	"github.com/tabard-hpc/tabard/internal/view/api"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// read asks for a document.
func read[T any](t testing.TB, s *view.Server, c *http.Cookie, path string) (doc T) {
	t.Helper()
	w := get(t, s, c, path)
	if err := json.Unmarshal(w.Body.Bytes(), &doc); w.Code != 200 || err != nil {
		t.Fatalf("%s: code %d, %v: %.300s", path, w.Code, err, w.Body)
	}
	return doc
}

func TestLanes(t *testing.T) {
	s, c := server(t, archivetest.Archive(t, pair))
	all := read[api.Lane](t, s, c, "/api/lanes?rank=1")
	if all.Total != 42 || len(all.Calls) != 42 || all.Calls[1].Func != "MPI_Recv" || all.Calls[1].Index != 1 ||
		all.Sites[all.Calls[1].Site] != "a.c:9 [main]" || all.Calls[1].Category != "point_to_point" {
		t.Errorf("%+v", all)
	}
	if len(all.Loops) != 20 {
		t.Errorf("%d iterations", len(all.Loops))
	}
	for i, l := range all.Loops {
		a, b := all.Calls[1+2*i], all.Calls[2+2*i]
		if l.Iteration != uint64(i) || l.Of != 20 || !l.Step || l.Start != a.Start || l.End != b.End {
			t.Errorf("iteration %d: %+v, calls %+v %+v", i, l, a, b)
		}
	}
	third := all.Calls[3]
	some := read[api.Lane](t, s, c, "/api/lanes?rank=1&t0="+itoa(third.Start+1)+"&t1="+itoa(third.End-1))
	if len(some.Calls) != 1 || some.Calls[0].Index != third.Index {
		t.Errorf("%+v", some)
	}
	if few := read[api.Lane](t, s, c, "/api/lanes?rank=1&max=5"); len(few.Calls) != 0 || few.Total != 42 {
		t.Errorf("%+v", few)
	}
}

// TestKernels: queues of GPUs and what is done in them have their names, which are hostile text.
func TestKernels(t *testing.T) {
	const rest = "grid_x=1, grid_y=1, grid_z=1, block_x=1, block_y=1, block_z=1, shared=0, registers=8)\n"
	s, c := server(t, archivetest.Archive(t, "rank 0 of 1 on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n"+
		"50+900 MPI_Barrier(comm=MPI_COMM_WORLD)\nthread 1\n100+0 cuda_queue(device=1, context=1, stream=7)\n"+
		"100+100 cuda_kernel(kernel=\"_Z5sweepPdi\", "+rest+"300+100 cuda_copy(kind=1, bytes=64)\n"+
		"600+50 cuda_kernel(kernel=\"<script>\\x1b[1m\", "+rest))
	lane := read[api.Lane](t, s, c, "/api/lanes?rank=0&thread=1")
	want := []api.Kernel{{Name: "sweep(double*, int)", Short: "sweep"}, {Name: "<script>\x1b[1m", Short: `<script>\x1b[1m`}}
	if lane.Queue != "GPU 1, stream 7" || !slices.Equal(lane.Kernels, want) || len(lane.Calls) != 3 ||
		lane.Calls[0].Kernel != 0 || lane.Calls[1].Kernel != -1 || lane.Calls[2].Kernel != 1 {
		t.Errorf("%+v", lane)
	}
	lines := read[api.Lines](t, s, c, "/api/lines?first=0&count=9")
	if len(lines.Lines) != 2 || lines.Lines[0].Queue != "" || lines.Lines[1].Queue != lane.Queue {
		t.Errorf("%+v", lines)
	}
	hits := read[api.Hits](t, s, c, "/api/search?q=sweep").Hits
	if len(hits) != 2 || hits[0].Kind != "kernel" || hits[0].Thread != 1 {
		t.Errorf("%+v", hits)
	}
}

func TestSteps(t *testing.T) {
	s, c := server(t, archivetest.Archive(t, pair))
	all := read[api.Steps](t, s, c, "/api/steps")
	if all.Total != 20 || len(all.Begin) != 20 || all.Stride != 1 {
		t.Fatalf("%+v", all)
	}
	for _, k := range []int{0, 7, 19} {
		x := read[api.StepAt](t, s, c, "/api/step?k="+itoa(int64(k)))
		if x.Total != 20 || x.Begin != all.Begin[k] || x.End-x.Begin < all.Length[k] || x.Ranks != 2 || x.Of != 2 ||
			x.From != uint64(1+2*k) || x.To != x.From+2 {
			t.Errorf("step %d: %+v, begin %d, length %d", k, x, all.Begin[k], all.Length[k])
		}
	}
	if w := get(t, s, c, "/api/step?k=20"); w.Code != 404 {
		t.Errorf("code %d: %s", w.Code, w.Body)
	}
}

func TestArrows(t *testing.T) {
	s, c := server(t, archivetest.Archive(t, pair))
	all := read[api.Arrows](t, s, c, "/api/arrows")
	if all.Total != 20 || len(all.Arrows) != 20 || len(all.Bundles) != 0 {
		t.Fatalf("%+v", all)
	}
	if a := all.Arrows[0]; a.From != 0 || a.To != 1 || a.Bytes != 12 || a.Tag != 2 || a.Send != 1 || a.Recv != 1 {
		t.Errorf("%+v", a)
	}
	few := read[api.Arrows](t, s, c, "/api/arrows?max=3")
	if few.Total != 20 || len(few.Arrows) != 0 || len(few.Bundles) != 1 || few.Bundles[0].Messages != 20 ||
		few.Bundles[0].Bytes != 240 {
		t.Errorf("%+v", few)
	}
	a := all.Arrows[5]
	if one := read[api.Arrows](t, s, c, "/api/arrows?t0="+itoa(a.Begin+1)+"&t1="+itoa(a.Begin+2)); one.Total != 1 ||
		one.Arrows[0].Send != a.Send {
		t.Errorf("%+v", one)
	}
}

func TestInFlight(t *testing.T) {
	s, c := server(t, archivetest.Archive(t, `abi mpich
rank 0 of 2 on n
0+10 MPI_Init()
100+10 MPI_Irecv(count=5, datatype=MPI_INT, source=1, tag=1, comm=MPI_COMM_WORLD) ; request=request#0
300+100 MPI_Wait(request=request#0) ; status={source=1 tag=1 bytes=4}
990+10 MPI_Finalize()
rank 1 of 2 on n
0+10 MPI_Init()
200+10 MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD)
990+10 MPI_Finalize()
`))
	x := read[api.InFlight](t, s, c, "/api/inflight?bins=4")
	if x.From != 0 || x.To != 1000 || x.Width != 250 || len(x.Rows) != 2 {
		t.Fatalf("%+v", x)
	}
	a, b := x.Rows[0], x.Rows[1]
	if !slices.Equal(a.Mean, []float64{12, 12, 0, 0}) || !slices.Equal(a.Peak, []int64{20, 20, 0, 0}) || a.Most != 20 ||
		a.MostRank != 0 || a.MostAt != 100 || a.Requests != 1 || b.Requests != 0 || b.MostRank != -1 || b.Rank != 1 {
		t.Errorf("%+v\n%+v", a, b)
	}
	one := read[api.InFlight](t, s, c, "/api/inflight?rows=1&t0=390&t1=400&bins=1")
	if r := one.Rows[0]; len(one.Rows) != 1 || r.Processes != 2 || r.LastRank != 1 || r.Mean[0] != 20 {
		t.Errorf("%+v", one)
	}
}

// Several windows are asked for at once, of what was opened once.
func TestArrowsAtOnce(t *testing.T) {
	s, c := server(t, archivetest.Archive(t, pair))
	var wg sync.WaitGroup
	for most := range 16 {
		wg.Go(func() {
			w := get(t, s, c, "/api/arrows?max="+itoa(int64(most)))
			if !strings.Contains(w.Body.String(), `"total":20,`) {
				t.Errorf("max %d: code %d: %.300s", most, w.Code, w.Body)
			}
		})
	}
	wg.Wait()
}

func TestSearch(t *testing.T) {
	s, c := server(t, archivetest.Archive(t, pair))
	for _, x := range []struct{ q, kind, text, flag, value string }{
		{"send", "function", "MPI_Send", "function", "MPI_Send"},
		{"RECV", "function", "MPI_Recv", "function", "MPI_Recv"},
		{"a.c:10", "site", "MPI_Barrier at a.c:10 [main]", "function", "MPI_Barrier"},
		{"rank 1", "rank", "rank 1 (1 rank)", "rank", "1"},
		{"0-5", "rank", "rank 0-5 (2 ranks)", "rank", "0-5"},
		{"tag=2 recv", "value", "MPI_Recv(tag=2) at a.c:9 [main]", "function", "MPI_Recv"},
		{"step 7", "step", "step 7", "steps", "7"},
		{"comm_world", "communicator", "MPI_COMM_WORLD", "comm", "0"},
	} {
		h := read[api.Hits](t, s, c, "/api/search?q="+strings.ReplaceAll(x.q, " ", "+"))
		i := slices.IndexFunc(h.Hits, func(h api.Hit) bool { return h.Kind == x.kind && h.Text == x.text })
		if i < 0 || h.Hits[i].Select[x.flag] != x.value {
			t.Errorf("%q: %+v", x.q, h.Hits)
		} else if x.kind == "site" && (h.Hits[i].Rank != 1 || h.Hits[i].Call != 2 || h.Hits[i].Calls != 20) {
			t.Errorf("%q: %+v", x.q, h.Hits[i])
		}
	}
	for _, q := range []string{"", "nothing+like+that", "rank+99"} {
		if h := read[api.Hits](t, s, c, "/api/search?q="+q); len(h.Hits) > 0 || h.More {
			t.Errorf("%q: %+v", q, h)
		}
	}
}

func TestCode(t *testing.T) {
	s, c := server(t, archivetest.Archive(t, pair))
	if x := read[api.Code](t, s, c, "/api/code"); !strings.Contains(x.Text, "int main(") {
		t.Error(x.Text)
	}
	x := read[api.Code](t, s, c, "/api/code?times=20&call=MPI_Send")
	if !strings.HasPrefix(x.Text, "for (long i = 0; i < 20; i++) {\n    MPI_Send(") ||
		strings.Contains(x.Text, "main(") {
		t.Error(x.Text)
	}
	if x := read[api.Code](t, s, c, "/api/code?times=21"); !strings.Contains(x.Text, "int main(") || len(x.Notes) == 0 {
		t.Errorf("%+v", x)
	}
}

func TestCommand(t *testing.T) {
	a := archivetest.Archive(t, pair, archive.FileName("my file.tabard"))
	s, c := server(t, a, a)
	for path, want := range map[string]string{
		"panel=waits&kind=late-sender&rank=0-3":  "tabard waits FILE --kind late-sender --rank 0-3",
		"panel=profile&by=rank&steps=3":          "tabard profile FILE --by rank --steps 3",
		"panel=calls&rank=3&from=7&limit=2":      "tabard dump FILE --from 7 --limit 2 --rank 3",
		"panel=info&rank=3":                      "tabard info FILE",
		"panel=comms":                            "tabard info FILE --comms",
		"panel=report&in=a%27b%3B+rm+-rf&rank=1": `tabard report FILE --rank 1 --in 'a'\''b; rm -rf'`,
		"panel=diff&function=p2p":                "tabard diff FILE FILE --function p2p",
	} {
		x := read[api.Command](t, s, c, "/api/command?"+path)
		if got := strings.ReplaceAll(x.Line, "'my file.tabard'", "FILE"); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// The tiles of the whole run are sent as they are described.
func TestTiles(t *testing.T) {
	s, c := server(t, archivetest.Archive(t, pair))
	o := read[api.Overview](t, s, c, "/api/overview")
	g := o.Grid
	if g == nil || g.Lines != 2 || g.Group != 1 || len(g.First) != 1 || int64(g.Bins)<<g.Level < g.To {
		t.Fatalf("%+v", g)
	}
	b := get(t, s, c, g.First[0]).Body.Bytes()
	n := binary.LittleEndian.Uint32(b)
	var head api.TileHead
	if err := json.Unmarshal(b[4:4+n], &head); err != nil {
		t.Fatal(err)
	}
	cells := b[4+n:]
	if len(head.Rows) != 2 || !head.Exact || head.Rows[1].Rank != 1 || len(cells) != 2*g.Bins*len(g.Categories) {
		t.Fatalf("%+v, %d bytes", head, len(cells))
	}
	// Of rank 0: 20 sends of 10 ns.
	if got := head.Rows[0].Sums[slices.Index(g.Categories, "point_to_point")]; got != 200 {
		t.Errorf("%g ns", got)
	}
	for i := range cells {
		if i%len(g.Categories) == 0 {
			sum := 0
			for _, v := range cells[i : i+len(g.Categories)] {
				sum += int(v)
			}
			if sum > 255+len(g.Categories)/2 {
				t.Errorf("cell %d: %v", i, cells[i:i+len(g.Categories)])
			}
		}
	}
}

// Where a file has an overview, the first picture is what that says.
func TestOverviewIsFirst(t *testing.T) {
	collectives := [][]uint64{int(timeline.Collective): {0, 5000}}
	o := &archive.Overview{Length: 19000, Lines: 2, Group: 1, Level: 14,
		Rows: []archive.OverviewRow{{Time: collectives, Calls: collectives}, {}}}
	open := func(o *archive.Overview) *archive.Archive {
		var b bytes.Buffer
		if err := archivetest.Archive(t, pair).WriteOverview(&b, o); err != nil {
			t.Fatal(err)
		}
		return archivetest.Open(t, b.Bytes())
	}
	s, c := server(t, open(o))
	g := read[api.Overview](t, s, c, "/api/overview").Grid
	if g.To != 19000 || g.About {
		t.Fatalf("%+v", g)
	}
	var head api.TileHead
	b := get(t, s, c, "/api/tiles?group=1&level=14").Body.Bytes()
	if err := json.Unmarshal(b[4:4+binary.LittleEndian.Uint32(b)], &head); err != nil {
		t.Fatal(err)
	}
	if !head.Exact || head.Rows[0].Sums[timeline.Collective] != 5000 || head.Rows[1].Sums[timeline.Collective] != 0 {
		t.Errorf("%+v", head)
	}
	o.Lines, o.Rows = 3, append(o.Rows, archive.OverviewRow{})
	s, c = server(t, open(o))
	if w := get(t, s, c, "/api/tiles?group=1&level=14"); w.Code == 200 || !strings.Contains(w.Body.String(), "overview") {
		t.Errorf("an overview of other calls: code %d: %s", w.Code, w.Body)
	}
}

// volumes is a tile of data that calls move: its head, and a number for each row, bin and kind.
func volumes(t *testing.T, s *view.Server, c *http.Cookie, query string) (h api.TileHead, cells []float32) {
	t.Helper()
	w := get(t, s, c, "/api/tiles?"+query)
	if w.Code != 200 {
		t.Fatalf("%s: code %d: %s", query, w.Code, w.Body)
	}
	b := w.Body.Bytes()
	n := 4 + binary.LittleEndian.Uint32(b)
	if err := json.Unmarshal(b[4:n], &h); err != nil {
		t.Fatal(err)
	}
	cells = make([]float32, (len(b)-int(n))/4)
	for i := range cells {
		cells[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[int(n)+4*i:]))
	}
	if len(cells) != len(h.Rows)*h.Bins*len(h.Categories) {
		t.Fatalf("%s: %d cells of %+v", query, len(cells), h)
	}
	return h, cells
}

// What is sent and received is in tiles as well: what one rank sends the other receives, at every zoom.
func TestVolumeTiles(t *testing.T) {
	s, c := server(t, archivetest.Archive(t, pair))
	for _, what := range []string{"bytes", "messages"} {
		sums := map[string]float64{}
		for _, level := range []string{"4", "8", "20"} {
			for _, direction := range []string{"sent", "received"} {
				h, cells := volumes(t, s, c, "value="+what+"_"+direction+"&group=2&level="+level)
				cell := 0.0
				for _, v := range cells {
					cell += float64(v)
				}
				if sum := h.Rows[0].Sums[0]; !h.Exact || h.Categories[0] != "p2p" || cell != sum || sum == 0 {
					t.Errorf("%s %s at level %s: %g, its cells %g: %+v", what, direction, level, sum, cell, h)
				} else if level == "20" {
					sums[direction] = sum
				}
			}
		}
		if sums["sent"] != sums["received"] {
			t.Errorf("%s: %v", what, sums)
		}
	}
	if h, _ := volumes(t, s, c, "value=bytes_sent&function=MPI_Barrier&level=20"); h.Rows[0].Sums[0] != 0 {
		t.Errorf("barriers send %+v", h.Rows)
	}
}
