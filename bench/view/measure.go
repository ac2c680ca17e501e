package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/cli"
	"github.com/tabard-hpc/tabard/internal/testkit/cputime"
	"github.com/tabard-hpc/tabard/internal/view"
	"github.com/tabard-hpc/tabard/internal/view/api"
	"github.com/tabard-hpc/tabard/internal/workers"
)

// client asks a server as a page does.
type client struct {
	s      *view.Server
	cookie *http.Cookie
}

// get asks once.
func (c *client) get(path string) (body []byte, code int, took time.Duration) {
	w := httptest.NewRecorder()
	if c.cookie != nil {
		path = c.cookie.Path + path[1:]
	}
	r := httptest.NewRequest("GET", "http://localhost"+path, nil)
	if c.cookie != nil {
		r.AddCookie(c.cookie)
	}
	begin := time.Now()
	c.s.ServeHTTP(w, r)
	took = time.Since(begin)
	for _, k := range w.Result().Cookies() {
		c.cookie = k
	}
	return w.Body.Bytes(), w.Code, took
}

// whole asks until the answer is there.
func (c *client) whole(path string) (body []byte, took time.Duration, err error) {
	begin := time.Now()
	for {
		body, code, _ := c.get(path)
		if code == http.StatusOK {
			return body, time.Since(begin), nil
		}
		if code != http.StatusAccepted {
			return nil, 0, fmt.Errorf("%s: code %d: %s", path, code, body)
		}
	}
}

func headOf(tile []byte) (h api.TileHead, err error) {
	n := binary.LittleEndian.Uint32(tile)
	return h, json.Unmarshal(tile[4:4+n], &h)
}

// jumps is how many are asked for.
const jumps = 25

func measure(file string) (r result, err error) {
	fi, err := os.Stat(file)
	if err != nil {
		return r, err
	}
	r.File = fi.Size()
	bound := cli.Bounds()["view"]
	debug.SetMemoryLimit(bound.Limit()) // as tabard view does
	debug.SetGCPercent(bound.Percent())
	begin, used := time.Now(), cputime.Used()
	a, err := archive.Open(file)
	if err != nil {
		return r, err
	}
	defer a.Close()
	s, err := view.New(a)
	if err != nil {
		return r, err
	}
	defer s.Close()
	r.Open = time.Since(begin)
	c := &client{s: s}
	if _, code, _ := c.get("/?token=" + s.Token()); code != 200 {
		return r, fmt.Errorf("code %d", code)
	}
	begin = time.Now()
	body, _, err := c.whole("/api/overview")
	if err != nil {
		return r, err
	}
	var o api.Overview
	if err := json.Unmarshal(body, &o); err != nil {
		return r, err
	}
	if err := c.first(&r, &o, begin, used); err != nil {
		return r, err
	}
	if r.ExactMemory, err = peak(); err != nil || os.Getenv(firstVariable) != "" {
		return r, err
	}
	if err := c.tiles(&r, o.Grid); err != nil {
		return r, err
	}
	if err := c.jumps(&r); err != nil {
		return r, err
	}
	if r.Memory, err = peak(); err != nil {
		return r, err
	}
	if os.Getenv(tablesVariable) == "" {
		return r, nil
	}
	begin, used = time.Now(), cputime.Used()
	if err := c.tables(); err != nil {
		return r, err
	}
	r.Tables, r.TablesCPU = time.Since(begin), cputime.Since(used)
	r.TablesMemory, err = peak()
	return r, err
}

// tables asks for what the first screen has besides the map, as the page does: all at once.
func (c *client) tables() error {
	var g workers.Group
	failed := make(chan error, 4)
	for _, path := range []string{"/api/report?heavy=1", "/api/steps", "/api/profile?by=site", "/api/waits?heavy=1"} {
		g.Go(func() {
			_, _, err := c.whole(path)
			failed <- err
		})
	}
	g.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// askAgain is after how long the page asks again for the first picture.
const askAgain = 700 * time.Millisecond

// first asks for the first picture, and until it is exact.
func (c *client) first(r *result, o *api.Overview, begin time.Time, used time.Duration) error {
	for again := false; ; again = true {
		if again {
			time.Sleep(askAgain)
		}
		body, _, err := c.whole(o.Grid.First[0])
		if err != nil {
			return err
		}
		h, err := headOf(body)
		if err != nil {
			return err
		}
		if !again {
			r.FirstCPU = cputime.Since(used)
			r.First, r.Read, r.Blur = time.Since(begin), 1-float64(h.Pending)/float64(o.Grid.Lines),
				time.Duration(h.Blur)
		}
		if h.Exact {
			r.Exact, r.ExactCPU = time.Since(begin), cputime.Since(used)
			return nil
		}
	}
}

// untilExact is for how long a tile is asked for until it is exact. Fine tiles of 100,000 lines take longer, as a block
// of each line has to be decoded: they are not counted among the warm ones.
const untilExact = 2 * time.Second

// tiles asks for random tiles: first once, then until they are exact, and for those that are once more.
func (c *client) tiles(r *result, g *api.Grid) error {
	rnd := rand.New(rand.NewPCG(1, 2))
	n, err := strconv.Atoi(os.Getenv(tilesVariable))
	if err != nil {
		return err
	}
	var paths []string
	for range n {
		level := max(0, g.Level-rnd.IntN(14))
		group := max(1, g.Group>>rnd.IntN(6))
		first := rnd.IntN((g.Lines+group*g.MaxRows-1)/(group*g.MaxRows)) * group * g.MaxRows
		x := rnd.Int64N(g.To>>level/int64(g.Bins) + 1)
		paths = append(paths, fmt.Sprintf("/api/tiles?first=%d&group=%d&level=%d&rows=%d&x=%d", first, group, level,
			g.MaxRows, x))
	}
	var cold, warm, coldCPU, warmCPU []time.Duration
	var exact []string
	for _, path := range paths {
		used := cputime.Used()
		_, took, err := c.whole(path)
		if err != nil {
			return err
		}
		cold, coldCPU = append(cold, took), append(coldCPU, cputime.Since(used))
		for begin := time.Now(); time.Since(begin) < untilExact; {
			body, _, err := c.whole(path)
			if err != nil {
				return err
			}
			h, err := headOf(body)
			if err != nil {
				return err
			}
			if h.Exact {
				exact = append(exact, path)
				break
			}
		}
	}
	for _, path := range exact {
		used := cputime.Used()
		_, took, err := c.whole(path)
		if err != nil {
			return err
		}
		warm, warmCPU = append(warm, took), append(warmCPU, cputime.Since(used))
	}
	r.Cold, r.Warm, r.ColdCPU, r.WarmCPU = p95(cold), p95(warm), p95(coldCPU), p95(warmCPU)
	r.ExactTiles = float64(len(exact)) / float64(n)
	return nil
}

// jumps asks where random iterations are.
func (c *client) jumps(r *result) error {
	body, _, err := c.whole("/api/step?k=0")
	if err != nil {
		return err
	}
	var at api.StepAt
	if err := json.Unmarshal(body, &at); err != nil {
		return err
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	var all, cpu []time.Duration
	for range jumps {
		used := cputime.Used()
		_, took, err := c.whole(fmt.Sprintf("/api/step?k=%d", rnd.Uint64N(at.Total)))
		if err != nil {
			return err
		}
		all, cpu = append(all, took), append(cpu, cputime.Since(used))
	}
	r.Jump, r.JumpCPU = p95(all), p95(cpu)
	return nil
}

// p95 is the 95th percentile, 0 of none.
func p95(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)*95/100]
}

// peak is the greatest resident memory of this process.
func peak() (int64, error) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
			return kb << 10, nil
		}
	}
	return 0, fmt.Errorf("no VmHWM")
}
