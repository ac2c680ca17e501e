package view_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/view/api"
)

// uneven is seven ranks, of which rank 0 is a class of its own. The others wait for different times.
func uneven(t *testing.T) *archive.Archive {
	var b strings.Builder
	b.WriteString("abi mpich\n")
	for r := range 7 {
		fmt.Fprintf(&b, "rank %d of 7 on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n0+10 MPI_Init()\n", r)
		for k := range 60 {
			if r == 0 && k == 7 {
				fmt.Fprintf(&b, "%d+5 MPI_Comm_rank(comm=MPI_COMM_WORLD)\n", 94+101*k)
			}
			fmt.Fprintf(&b, "%d+%d MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:8 [main]\n", 100+101*k, 1+(13*k+29*r)%90)
		}
		b.WriteString("9000+1000 MPI_Finalize()\n")
	}
	return archivetest.Archive(t, b.String())
}

// plainShares is the share of a bin's time that each thread of a class is in calls, sorted, found by a look at each
// call.
func plainShares(t *testing.T, a *archive.Archive, class int, from, to time.Duration, wanted func(string) bool) []byte {
	t.Helper()
	var list []byte
	for s := range a.Streams() {
		if s.Class() != a.Classes()[class] {
			continue
		}
		in := time.Duration(0)
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			if wanted(c.Func.Name) {
				in += max(0, min(to, c.End)-max(from, c.Start))
			}
		}
		list = append(list, byte(math.Round(255*float64(in)/float64(to-from))))
	}
	slices.Sort(list)
	return list
}

// Bands say what a plain look at each call of each thread says.
func TestBands(t *testing.T) {
	a := uneven(t)
	s, c := server(t, a)
	list := read[api.Classes](t, s, c, "/api/classes")
	if list.Total != 2 || len(list.Classes) != 2 || list.Classes[0].Lines+list.Classes[1].Lines != 7 {
		t.Fatalf("%+v", list)
	}
	times := read[api.Classes](t, s, c, "/api/spent").Classes[1] // six threads: 60 barriers, begin and end
	in := 6 * 1010.0
	for r := 1; r < 7; r++ {
		for k := range 60 {
			in += float64(1 + (13*k+29*r)%90)
		}
	}
	if times.Calls != 6*62 || times.InCalls != in || times.InCalls+times.Computation != 6*10000 {
		t.Errorf("%+v, want %g ns in calls", times, in)
	}
	last := list.Classes[1]
	lines := read[api.Lines](t, s, c, "/api/lines?order=class")
	if last.Ranks != "1-6" || lines.Lines[last.First].Rank != 1 || lines.Lines[last.First].Class != last.Class {
		t.Errorf("%+v, of the lines %+v", last, lines.Lines)
	}
	differ := 0
	for _, of := range []struct {
		name   string
		wanted func(string) bool
	}{{"mpi", func(string) bool { return true }},
		{"lifecycle", func(f string) bool { return f == "MPI_Init" || f == "MPI_Finalize" }}} {
		for _, at := range [][2]int64{{6, 0}, {5, 0}, {5, 1}, {3, 2}, {20, 0}} {
			w := get(t, s, c, fmt.Sprintf("/api/bands?rows=2&level=%d&x=%d&of=%s", at[0], at[1], of.name))
			if w.Code != 200 {
				t.Fatalf("code %d: %s", w.Code, w.Body)
			}
			b := w.Body.Bytes()
			n := binary.LittleEndian.Uint32(b)
			var head api.BandHead
			if err := json.Unmarshal(b[4:4+n], &head); err != nil || len(head.Rows) != 2 || !head.Exact {
				t.Fatalf("%v %+v", err, head)
			}
			cells := b[4+n:]
			for row, r := range head.Rows {
				for bin := range 256 {
					from := time.Duration((at[1]*256 + int64(bin)) << at[0])
					want := plainShares(t, a, r.Class, from, from+1<<time.Duration(at[0]), of.wanted)
					for k, v := range []byte{want[0], want[(len(want)-1)/2], want[len(want)-1]} {
						if got := cells[(row*3+k)*256+bin]; got != v {
							t.Fatalf("%s, level %d, class %d, bin %d: value %d is %d, want %d of %v", of.name, at[0],
								r.Class,
								bin, k, got, v, want)
						}
					}
					if m := want[(len(want)-1)/2]; want[0] < m && m < want[len(want)-1] {
						differ++
					}
				}
			}
		}
	}
	if differ < 20 {
		t.Errorf("only %d bins have different values: nothing was compared", differ)
	}
}
