//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/browser"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/internal/testkit/planted"
)

// serveView starts tabard view and gives the address that it prints.
func serveView(t *testing.T, files ...string) string {
	t.Helper()
	s, err := browser.Serve(tabardBin, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s.Address
}

// chromium starts it. Tests that use it look at one page after the other.
func chromium(t *testing.T) context.Context {
	t.Helper()
	ctx, stop, err := browser.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return ctx
}

// viewerPage is the page in a tab of its own.
type viewerPage struct {
	t *testing.T
	*browser.Page
}

func openViewer(t *testing.T, parent context.Context, url string) *viewerPage {
	t.Helper()
	p, err := browser.Open(parent, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, b := range p.Close() {
			t.Errorf("the browser complains: %s", b)
		}
	})
	return &viewerPage{t, p}
}

func (p *viewerPage) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *viewerPage) run(a ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	p.must(p.Do(a...))
}

// text is the value of an expression as text.
func (p *viewerPage) text(js string) string {
	p.t.Helper()
	s, err := p.Text(js)
	p.must(err)
	return s
}

// wait waits until an expression is true.
func (p *viewerPage) wait(js string) {
	p.t.Helper()
	p.must(p.Wait(js))
}

// ready waits until the map and the panel are drawn.
func (p *viewerPage) ready() {
	p.t.Helper()
	p.must(p.Ready())
}

func (p *viewerPage) keys(keys string) {
	p.t.Helper()
	p.run(chromedp.KeyEvent(keys))
}

// click clicks the first element of a selector whose text begins with something.
func (p *viewerPage) click(selector, text string) {
	p.t.Helper()
	p.must(p.Click(selector, text))
}

// selection is what the page selects, by its fragment.
func (p *viewerPage) selection(key string) string {
	p.t.Helper()
	return p.text(fmt.Sprintf("new URLSearchParams(location.hash.slice(1)).get(%q) ?? ''", key))
}

func viewerRecording(t *testing.T, fault string) string {
	m, err := mpirun.Find("mpich")
	if err != nil {
		t.Fatal(err)
	}
	for _, have := range mpis {
		if have.Name == m.Name {
			m = have
		}
	}
	return record(t, m, 4, nil, "faulty_steps", fault).File()
}

// A person finds the way through a recording: with the mouse, with the keys alone, and with links.
func TestViewer(t *testing.T) {
	ctx := chromium(t)
	url := serveView(t, viewerRecording(t, "slowstep"))

	p := openViewer(t, ctx, url)
	t.Run("first paint", func(t *testing.T) {
		p.t = t
		p.ready()
		p.wait(`document.querySelectorAll(".findings button").length > 0`)
		for _, want := range []string{"parallel efficiency", "waiting for others"} {
			if s := p.text(`document.querySelector(".verdict").textContent`); !strings.Contains(s, want) {
				t.Errorf("the verdict %q lacks %q", s, want)
			}
		}
		// The map has more than one colour.
		p.wait(`(() => { const c = document.querySelector(".map canvas");
			const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
			const seen = new Set(); for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i+1] << 8 | d[i+2]);
			return seen.size > 8; })()`)
		if n := p.text(`document.querySelectorAll(".panel tbody tr").length`); n == "0" {
			t.Error("there are no call sites")
		}
		if s := p.text(`document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight`); s != "true" {
			t.Error("the page does not fit 1280 x 720")
		}
	})
	t.Run("select and go back", func(t *testing.T) {
		p.t = t
		p.click(".panel tbody tr", "")
		p.wait(`document.querySelector(".selection .function input").value.startsWith("MPI_")`)
		p.ready()
		p.text("history.back()")
		p.wait(`document.querySelector(".selection .function input").value === ""`)
		p.ready()
	})
	t.Run("change the selection before answers come", func(t *testing.T) {
		p.t = t
		p.text(`(async () => { for (let k = 0; k < 12; k++) { location.hash = "steps=" + k % 3;
			await new Promise((done) => setTimeout(done, 15)); } location.hash = ""; window.changed = true; })()`)
		p.wait("window.changed")
		p.ready()
		if s := p.text("document.body.innerText"); strings.Contains(s, "This page failed") {
			t.Errorf("what one part of the page no longer waits for, another one misses:\n%s", s)
		}
	})
	t.Run("jump to an outlier, zoom to a call", func(t *testing.T) {
		p.t = t
		for range 3 { // on a busy machine there are more slow steps than the one that is planted
			p.keys("o")
			p.wait(`location.hash.includes("steps=")`)
			if p.selection("steps") == "27" {
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
		if p.selection("steps") != "27" {
			p.click(`[role="tab"]`, "Steps")
			p.click(".panel tbody tr td:first-child", "27")
		}
		p.wait(`location.hash.includes("steps=27")`)
		p.keys("[")
		p.wait(`location.hash.includes("steps=26")`)
		p.keys("]")
		p.wait(`location.hash.includes("steps=27")`)
		p.wait(`tabard.calls().some(c => c.width > 20)`)
		var x, y float64
		var name string
		at := p.text(`(c => c.x + " " + c.y + " " + c.func)(tabard.calls().reduce((a, b) => a.width > b.width ? a : b))`)
		if _, err := fmt.Sscan(at, &x, &y, &name); err != nil {
			t.Fatal(err)
		}
		p.run(chromedp.MouseClickXY(x, y))
		p.wait(fmt.Sprintf(`document.querySelector("#tab-call").getAttribute("aria-selected") === "true" &&
			document.querySelector(".panel dl.call")?.textContent.includes(%q)`, name))
		p.ready()
	})
	t.Run("permalink", func(t *testing.T) {
		link := p.text("location.href")
		q := openViewer(t, ctx, link)
		q.ready()
		q.wait(`document.querySelector(".panel dl.call")`)
		if q.selection("steps") != "27" || q.selection("call") != p.selection("call") {
			t.Errorf("%s shows %s", link, q.text("location.hash"))
		}
	})
	t.Run("search", func(t *testing.T) {
		p.t = t
		p.keys(kb.Escape)
		p.keys("/")
		p.wait(`document.activeElement.type === "search"`)
		p.text(`document.activeElement.value = ""`) // the driver types the slash, too, which a browser does not
		p.keys("allred")
		p.wait(`document.querySelector('.hits [role="option"]')?.textContent.includes("MPI_Allreduce")`)
		p.keys(kb.Enter)
		p.wait(`document.querySelector(".selection .function input").value === "MPI_Allreduce"`)
		p.ready()
	})
	t.Run("bytes over time", func(t *testing.T) {
		p.t = t
		p.keys(kb.Escape)
		p.text(`(e => { e.value = "bytes_sent"; e.dispatchEvent(new Event("change")); })(document.querySelector(".bar-of-map select"))`)
		p.wait(`document.querySelector(".legend").textContent.includes("B a second and line")`)
		p.ready()
		p.keys("u")
		p.wait(`document.querySelector(".bar-of-map select").value === "activity" &&
			document.querySelector(".legend").textContent.includes("computation")`)
	})
	t.Run("panels", func(t *testing.T) {
		p.t = t
		p.keys(kb.Escape)
		for _, id := range strings.Fields(p.text(`[...document.querySelectorAll('[role="tab"]')].map(e => e.id).join(" ")`)) {
			p.text(fmt.Sprintf("document.getElementById(%q).click()", id))
			p.ready()
			if s := p.text(`document.querySelector(".panel").innerText.trim()`); len(s) < 20 {
				t.Errorf("%s shows %q", id, s)
			}
		}
	})
	t.Logf("script for a picture: %s ms, the slowest of each tenth", p.text(
		`(() => { const f = tabard.frames().sort((a, b) => a - b); return [0.5, 0.9, 1].map(q => f[Math.floor(q * (f.length - 1))].toFixed(1)).join(", "); })()`,
	))

	t.Run("keyboard only", func(t *testing.T) {
		q := openViewer(t, ctx, p.text(`location.origin + location.pathname`))
		q.ready()
		for range 60 { // to the rows of the table
			q.keys(kb.Tab)
			if q.text(`!!document.activeElement.closest(".panel tbody")`) == "true" {
				break
			}
		}
		q.keys(kb.ArrowDown)
		q.wait(`document.activeElement.dataset.row === "1"`)
		q.keys(kb.Enter)
		q.wait(`document.querySelector(".selection .function input").value.startsWith("MPI_")`)
		q.ready()
		q.text("document.activeElement.blur()")
		q.keys("u")
		q.wait(`document.querySelector(".selection .function input").value === ""`)
		q.keys("wwdd")
		q.wait(`location.hash.includes("view=")`)
		q.keys("0")
		q.wait(`!location.hash.includes("view=")`)
		q.keys("?")
		q.wait(`document.querySelector("dialog[open]")?.textContent.includes("outlier")`)
		q.keys(kb.Escape)
		q.wait(`!document.querySelector("dialog")`)
	})
}

// Planted faults are found from the first screen in three clicks; bench/view -faults does it with all.
func TestViewerFaults(t *testing.T) {
	m := mpis[0]
	ctx := chromium(t)
	for _, name := range []string{"circle", "comm-leak"} {
		t.Run(name, func(t *testing.T) {
			f := planted.View(name)
			file, err := f.Record(m, tabardBin, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			clicks, text, err := f.FindOnPage(openViewer(t, ctx, serveView(t, file)).Page)
			if err != nil || len(clicks) > 3 {
				t.Errorf("%v clicks: %v\n%s", clicks, err, text)
			}
		})
	}
}

// Classes of ranks are bands on the map, and unfold into their ranks: with the keys, the mouse, and from the table.
func TestViewerClasses(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("abi mpich\n")
	for r := range 9 { // rank 8 is a class of its own
		fmt.Fprintf(&text, "rank %d of 9 on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n0+10 MPI_Init()\n", r)
		if r == 8 {
			text.WriteString("50+9 MPI_Comm_rank(comm=MPI_COMM_WORLD)\n")
		}
		for k := range 50 {
			fmt.Fprintf(&text, "%d+%d MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:8 [main]\n", 100+100*k, 1+(13*k+29*r)%90)
		}
		text.WriteString("9000+1000 MPI_Finalize()\n")
	}
	file := filepath.Join(t.TempDir(), "classes.tabard")
	if err := os.WriteFile(file, archivetest.Bytes(t, text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := chromium(t)
	p := openViewer(t, ctx, serveView(t, file))
	p.ready()
	p.keys("x")
	p.wait(`tabard.bands().length === 1 && tabard.bands()[0].read === 8 && !tabard.bands()[0].open`)
	p.ready()
	band := p.text(`(b => b.x + " " + b.y + " " + b.class)(tabard.bands()[0])`)
	var x, y float64
	var class int
	if _, err := fmt.Sscan(band, &x, &y, &class); err != nil {
		t.Fatal(err)
	}
	p.run(chromedp.MouseClickXY(x+300, y)) // on the band: its ranks
	p.wait(`location.hash.includes("rank=0-7")`)
	p.run(chromedp.MouseClickXY(x, y)) // beside it
	p.wait(`tabard.bands()[0].open`)
	link := p.text("location.href")
	q := openViewer(t, ctx, link)
	q.ready()
	q.wait(`tabard.bands().length === 1 && tabard.bands()[0].open`)
	p.click(`[role="tab"]`, "Classes")
	p.ready()
	// Eight threads have 52 calls each.
	p.wait(`[...document.querySelectorAll(".panel tbody tr")].some(r => r.textContent.includes("416"))`)
	p.click(".panel tbody button", "fold")
	p.wait(`!tabard.bands()[0].open`)
	p.keys("u")
	p.wait(`tabard.bands()[0].open`)
}

// What takes a lot of memory is not worked out before somebody has asked for it.
func TestViewerAsksFirst(t *testing.T) {
	t.Parallel()
	const ranks = 18_000
	var text strings.Builder
	text.WriteString("abi mpich\n")
	for r := range ranks {
		fmt.Fprintf(&text, "rank %d of %d on n\n0+10 MPI_Init()\n%d+9 MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:8 [main]\n"+
			"900+100 MPI_Finalize()\n", r, ranks, 100+r%50)
	}
	file := filepath.Join(t.TempDir(), "many.tabard")
	if err := os.WriteFile(file, archivetest.Bytes(t, text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p := openViewer(t, chromium(t), serveView(t, file))
	p.ready()
	p.wait(`document.querySelector(".findings").textContent.includes("GB of memory")`)
	p.wait(`document.querySelector(".panel .controls").textContent.includes("on request")`)
	if got := p.text(`document.querySelector(".verdict").textContent`); strings.Contains(got, "waiting for others") {
		t.Errorf("the verdict is there without being asked for: %s", got)
	}
	p.click(".findings button", "Work it out")
	p.wait(`document.querySelector(".verdict").textContent.includes("waiting for others")`)
	p.wait(`!document.querySelector(".findings").textContent.includes("GB of memory")`)
}

// Functions of the program, once they are recorded, are an icicle.
func TestViewerFunctions(t *testing.T) {
	t.Parallel()
	m, err := mpirun.Find("mpich")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "steps")
	source := filepath.Join(mpirun.Root(), "testdata", "functions", "steps.cc")
	if err := m.Build(source, program, "-g", "-O2"); err != nil {
		t.Fatal(err)
	}
	// What is too narrow is not shown: exchanges take long, as the start of the program does on a busy machine.
	job := &mpirun.Job{MPI: m, Ranks: 2, Dir: dir, Args: []string{tabardBin, "record", "-q", "--functions=main",
		"--function-times=all", "-o", "f.tabard", program, "1000"}}
	if r, err := job.Start(); err != nil || r.Code != 0 {
		t.Fatal(err, r)
	}
	p := openViewer(t, chromium(t), serveView(t, filepath.Join(dir, "f.tabard")))
	p.ready()
	p.click(`[role="tab"]`, "Icicle")
	p.ready()
	p.text(`(e => { e.value = "functions:"; e.dispatchEvent(new Event("change")); })(
		document.querySelector(".panel select"))`)
	p.wait(`[...document.querySelectorAll(".icicle button")]
		.some(e => e.title.startsWith("exchange(") && e.title.includes("200 calls"))`)
	p.ready()
	p.text(`[...document.querySelectorAll(".icicle button")].find(e => e.title.startsWith("main:")).click()`)
	p.wait(`decodeURIComponent(location.hash).includes("detail=functions:main")`)
	p.keys("c")
	p.wait(`/^tabard functions f.tabard --tree$/.test(document.querySelector("dialog textarea")?.value)`)
}

// Two recordings are beside each other, coupled by iteration.
func TestViewerCompare(t *testing.T) {
	t.Parallel()
	p := openViewer(t, chromium(t), serveView(t, viewerRecording(t, "none"), viewerRecording(t, "sizestep")))
	p.ready()
	p.wait(`document.querySelectorAll(".map").length === 2`)
	p.click(`[role="tab"]`, "Compare")
	p.ready()
	p.wait(`document.querySelector(".panel").textContent.includes("65536")`)
	p.click(".panel tbody tr", "")
	p.wait(`location.hash.includes("rank=")`)
	p.ready()
}

// hostile is what a page obeys, what hides, and what turns text around.
const hostile = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>&lt;b&gt;\x1b[31m\u202eevil\u2066\u200b'\"`"

// All strings of a recording are text on the page, whatever is in them.
func TestViewerHostile(t *testing.T) {
	t.Parallel()
	clean, err := os.ReadFile(viewerRecording(t, "slowstep"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "<b>x.tabard")
	if err := os.WriteFile(file, archivetest.Poisoned(t, clean, hostile), 0o600); err != nil {
		t.Fatal(err)
	}
	p := openViewer(t, chromium(t), serveView(t, file))
	p.ready()
	p.wait(`document.querySelectorAll(".findings button").length > 0`)
	for _, id := range strings.Fields(p.text(`[...document.querySelectorAll('[role="tab"]')].map(e => e.id).join(" ")`)) {
		p.text(fmt.Sprintf("document.getElementById(%q).click()", id))
		p.ready()
		text := p.text(
			"document.body.textContent + [...document.querySelectorAll('*')].flatMap(e => [...e.attributes].map(a " +
				"=> a.value)).join()",
		)
		if i := strings.IndexFunc(text, func(r rune) bool {
			return r != '\n' &&
				unicode.In(r, unicode.Cc, unicode.Cf)
		}); i >= 0 {
			t.Errorf("%s: %q is on the page", id, text[max(0, i-20):i+4])
		}
		if !strings.Contains(text, `<img src=x onerror="window.hacked=1">`) || !strings.Contains(text, `\u202eevil`) {
			t.Errorf("%s: the strings are not shown as they are", id)
		}
		if n := p.text(`document.querySelectorAll("img, b[style], script:not([src]), iframe, form:not([method])").length + (window.hacked ?? 0)`); n != "0" {
			t.Errorf("%s: %s elements came from the recording", id, n)
		}
	}
}

// A page by itself shows the first screen without a server, and says what it lacks.
func TestViewerFile(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.html")
	if out, err := exec.Command(tabardBin, "view", "--html", page,
		viewerRecording(t, "slowstep")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := openViewer(t, chromium(t), "file://"+page)
	p.ready()
	p.wait(
		`document.querySelectorAll(".findings button").length > 0 && document.querySelectorAll(".panel tbody tr").length > 2`,
	)
	if s := p.text(`document.querySelector(".mapnote").textContent + document.querySelectorAll(".legend .key").length`); s < "3" ||
		s > "9" {
		t.Errorf("the map says %q", s)
	}
	p.click(`[role="tab"]`, "Call")
	p.text(`location.hash = "#panel=call&call=0.1.0.5"`)
	p.wait(`document.querySelector(".panel").textContent.includes("not in this file")`)
}
