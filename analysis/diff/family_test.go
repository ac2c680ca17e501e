package diff

import (
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// A message that arrives may be taken by one receive or another, so these are counted together. A persistent receive is
// made before anything arrives, and a send is none.
func TestFamilies(t *testing.T) {
	for name, want := range map[string]string{
		"MPI_Recv": "receive", "MPI_Irecv": "receive", "MPI_Recv_c": "receive", "MPI_Mrecv": "matched receive",
		"MPI_Imrecv": "matched receive", "MPI_Recv_init": "MPI_Recv_init", "MPI_Send": "MPI_Send",
		"MPI_Probe": "MPI_Probe",
	} {
		if got := family(spec.ByName(name)); got != want {
			t.Errorf("%s is of %q, want %q", name, got, want)
		}
	}
}

// Where messages came from is left out of statuses, alone and in lists; the call's own value stays as it was.
func TestWithoutSources(t *testing.T) {
	status := func(source int32) archive.Value {
		return archive.Value{Kind: archive.Stat, Stat: archive.Status{Source: source, Tag: 3, Bytes: 8}}
	}
	one := status(5)
	if got := anySource(&one); got.Stat != status(0).Stat || one.Stat.Source != 5 {
		t.Errorf("%+v of %+v", got, one)
	}
	several := archive.Value{Kind: archive.List, List: []archive.Value{status(5), status(6)}}
	got := anySource(&several)
	for i := range got.List {
		if got.List[i].Stat != status(0).Stat {
			t.Errorf("element %d: %+v", i, got.List[i])
		}
	}
	if several.List[0].Stat.Source != 5 || several.List[1].Stat.Source != 6 {
		t.Errorf("the list itself has changed: %+v", several)
	}
	for _, v := range []archive.Value{{Kind: archive.Int, N: 4}, {Kind: archive.List}} {
		if anySource(&v) != &v {
			t.Errorf("%+v is copied", v)
		}
	}
}

// What call sites have in common if lines were inserted above them: the files and functions where lines are known, and
// the module where nothing else is. The lines, or offsets, are what may move, the outermost first.
func TestPlaces(t *testing.T) {
	modules := []archive.Module{{Path: "/opt/app/bin/solver", BuildID: "b1"}, {Path: "/lib/libc.so.6", BuildID: "b2"}}
	site := func(frames ...archive.Frame) *archive.Site { return &archive.Site{Frames: frames} }
	known := archive.Frame{Func: "step", File: "/src/a.c", Line: 7, Offset: 100}
	named := archive.Frame{Func: "main", Offset: 200}
	bare := archive.Frame{Module: 1, Offset: 300}
	for _, c := range []struct {
		site  *archive.Site
		key   string
		lines []int64
		build string
	}{
		{site(known, named), "a.c\x00step\x00solver\x00main", []int64{0, 7}, "b1"},
		{site(known, known), "a.c\x00step\x00a.c\x00step", []int64{7, 7}, "b1"},
		{site(bare, known), "libc.so.6\x00a.c\x00step", []int64{7, 300}, "b2"},
		{site(archive.Frame{Module: 9, Offset: 1}), "?", []int64{1}, ""},
		{site(archive.Frame{Module: -1, Offset: 1}), "?", []int64{1}, ""},
	} {
		key, p := placeOf(c.site, modules)
		if key != c.key || !slices.Equal(p.lines, c.lines) || p.build != c.build {
			t.Errorf("%+v: %q, lines %v, build %q, want %q, %v, %q", c.site, key, p.lines, p.build, c.key, c.lines,
				c.build)
		}
	}
}

// Parameters that mean the same at other ranks are one: their encoding is equal only if the values are.
func TestEncodeParam(t *testing.T) {
	set := func(ranks ...int) *archive.RankSet { return newSet(ranks) }
	params := []archive.Param{
		{N: 1}, {N: -1}, {N: 300},
		{Str: &archive.Cases[string]{Sets: []*archive.RankSet{set(0, 1), set(2)}, Values: []string{"a", "b"}}},
		{Str: &archive.Cases[string]{Sets: []*archive.RankSet{set(0, 1), set(2)}, Values: []string{"a", "c"}}},
		{Str: &archive.Cases[string]{Sets: []*archive.RankSet{set(0), set(1, 2)}, Values: []string{"a", "b"}}},
		{Str: &archive.Cases[string]{Sets: []*archive.RankSet{set(0, 1), set(2)}, Values: []string{`a" "b`, ""}}},
	}
	seen := map[string]int{}
	for i := range params {
		b := string(encodeParam(&params[i]))
		if k, ok := seen[b]; ok {
			t.Errorf("%+v is encoded like %+v", params[i], params[k])
		}
		if seen[b] = i; string(encodeParam(&params[i])) != b {
			t.Errorf("%+v is encoded in two ways", params[i])
		}
	}
}
