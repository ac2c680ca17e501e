package program

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// What random programs say of their files is what going through all of their calls says.
func TestFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var b strings.Builder
		b.WriteString("abi mpich\nrank 0 of 3 on node\nMPI_Init()\n")
		column := ""
		if round%2 == 1 {
			column = "?"
		}
		calls(&b, rng, 12, 0, column)
		b.WriteString("MPI_Finalize()\n")
		a := archivetest.Archive(t, b.String())
		var got Files
		again := map[uint32]bool{}
		if err := got.Add(a.Stream(0), again); err != nil {
			t.Fatal(err)
		}
		names := Files{NamesOnly: true}
		if err := names.Add(a.Stream(0), nil); err != nil {
			t.Fatal(err)
		}
		want, wantAgain := reference(t, a.Stream(0))
		for name, f := range want {
			if x := names.Files[name]; x == nil || x.Found != f.Found || x.Deleted != f.Deleted ||
				x.Created != f.Created || x.Size() != 0 {
				t.Fatalf("round %d: names only: %s: %+v instead of %+v", round, name, x, f)
			}
		}
		if !reflect.DeepEqual(got.Files, want) || !maps.Equal(again, wantAgain) {
			t.Fatalf("round %d: again %v instead of %v\n%s\n%s", round, again, wantAgain, describe(got.Files, want),
				b.String())
		}
	}
}

func describe(got, want map[string]*File) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(want)) {
		fmt.Fprintf(&b, "%s: %+v instead of %+v\n", name, got[name], want[name])
	}
	return b.String()
}

// calls writes calls on a few files, in loops.
func calls(b *strings.Builder, rng *rand.Rand, n, depth int, column string) {
	for range n {
		if depth < 3 && rng.IntN(4) == 0 {
			fmt.Fprintf(b, "loop %d\n", 1+rng.IntN(3))
			calls(b, rng, 1+rng.IntN(4), depth+1, column)
			b.WriteString("end\n")
			continue
		}
		name, object, line := "abc"[rng.IntN(3):][:1], rng.IntN(2), 10*depth+rng.IntN(3)
		modes := []string{"MPI_MODE_RDONLY", "MPI_MODE_CREATE|MPI_MODE_RDWR",
			"MPI_MODE_CREATE|MPI_MODE_EXCL|MPI_MODE_RDWR"}
		comm := []string{"MPI_COMM_SELF", "MPI_COMM_WORLD"}[rng.IntN(2)]
		failed := ""
		if rng.IntN(6) == 0 {
			failed = " ; ret 37"
		}
		switch rng.IntN(7) {
		case 0, 1:
			if failed == "" {
				failed = fmt.Sprintf(" ; fh=file#%d", object)
			}
			fmt.Fprintf(b, "MPI_File_open(comm=%s, filename=%s\"%s\", amode=%s) @ a.c:%d [main]%s\n", comm, column,
				name, modes[rng.IntN(3)], line, failed)
		case 2:
			fmt.Fprintf(b, "MPI_File_delete(filename=%s\"%s\") @ a.c:%d [main]%s\n", column, name, line, failed)
		case 3:
			fmt.Fprintf(b, "MPI_File_get_size(fh=file#%d) @ a.c:%d [main] ; size=%s%d\n", object, line, column,
				rng.IntN(100))
		case 4:
			fmt.Fprintf(b, "MPI_File_read(fh=file#%d, count=3) @ a.c:%d [main] ; status=%s{source=0 tag=0 bytes=%d}\n",
				object, line, column, rng.IntN(50))
		case 5:
			fmt.Fprintf(b, "MPI_File_read_at(fh=file#%d, offset=%s%d, count=%d) @ a.c:%d [main]\n", object, column,
				rng.IntN(100), rng.IntN(20), line)
		case 6:
			fmt.Fprintf(b, "MPI_File_write(fh=file#%d, count=3) @ a.c:%d [main]\n", object, line)
		}
	}
}

// reference goes through all calls of a stream.
func reference(t *testing.T, s *archive.Stream) (map[string]*File, map[uint32]bool) {
	t.Helper()
	type open struct {
		name string
		at   int64
		all  int64
	}
	files, again := map[string]*File{}, map[uint32]bool{}
	seen, exists, changed := map[string]bool{}, map[string]bool{}, map[string]bool{}
	opened := map[int64]*open{}
	for c, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Flags&archive.Failed != 0 || !strings.HasPrefix(c.Func.Name, "MPI_File_") {
			continue
		}
		number := func(name string) int64 {
			v, _ := c.In(name)
			if v.Kind == archive.Absent {
				v, _ = c.Out(name)
			}
			return v.N
		}
		if v, ok := c.In("filename"); ok {
			name := v.Str
			if files[name] == nil {
				files[name] = &File{asked: -1}
			}
			f, first := files[name], !seen[name]
			seen[name] = true
			if c.Func.Name == "MPI_File_delete" {
				f.Deleted = f.Deleted || first
				exists[name] = false
				continue
			}
			mode := number("amode")
			create, exclusive := mode&1 != 0, mode&64 != 0
			f.Created = f.Created || first && create
			f.Found = f.Found || first && !create
			if create && exclusive && exists[name] {
				again[c.Terminal] = true
			}
			exists[name] = true
			o := &open{name: name, all: 3}
			if comm, _ := c.In("comm"); comm.N == commSelf {
				o.all = 1
			}
			fh, _ := c.Out("fh")
			opened[fh.N] = o
			continue
		}
		fh, _ := c.In("fh")
		o := opened[fh.N]
		if o == nil {
			continue
		}
		f := files[o.name]
		switch c.Func.Name {
		case "MPI_File_get_size":
			if f.Found && !changed[o.name] {
				f.asked = max(f.asked, number("size"))
			}
		case "MPI_File_read":
			st, _ := c.Out("status")
			o.at += st.Stat.Bytes
			f.read = max(f.read, o.at*o.all)
		case "MPI_File_read_at":
			f.read = max(f.read, number("offset")+8*number("count"))
		case "MPI_File_write":
			changed[o.name] = true
		}
	}
	return files, again
}

// A file was there if it was found and nobody created it, or if it was deleted before anything
// else.
func TestFileThere(t *testing.T) {
	for _, c := range []struct {
		f    File
		want bool
	}{{File{}, false}, {File{Found: true}, true}, {File{Found: true, Created: true}, false},
		{File{Created: true}, false}, {File{Deleted: true, Created: true}, true}} {
		if c.f.There() != c.want {
			t.Errorf("%+v", c.f)
		}
	}
	if f := (File{asked: -1, read: 7}); f.Size() != 7 {
		t.Error(f.Size())
	}
	if f := (File{asked: 0, read: 7}); f.Size() != 0 {
		t.Error(f.Size())
	}
}

// A great many calls are not gone through to the last one.
func TestManyFileCalls(t *testing.T) {
	a := archivetest.Archive(t, `abi mpich
rank 0 of 1 on node
MPI_Init()
MPI_File_open(comm=MPI_COMM_SELF, filename="x", amode=MPI_MODE_RDONLY) ; fh=file#0
loop 50
  loop 10
    MPI_File_read(fh=file#0, count=3) ; status={source=0 tag=0 bytes=1}
    MPI_Barrier(comm=MPI_COMM_WORLD)
  end
end
MPI_Finalize()
`)
	defer func(n int) { mostFileCalls = n }(mostFileCalls)
	for _, most := range []int{mostFileCalls, 100} {
		mostFileCalls = most
		var x Files
		if err := x.Add(a.Stream(0), nil); err != nil {
			t.Fatal(err)
		}
		if n := x.Files["x"].Size(); most > 500 && n != 500 || most <= 500 && (n < 50 || n > 100) {
			t.Errorf("%d bytes, of up to %d calls", n, most)
		}
	}
}
