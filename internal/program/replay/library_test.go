package replay

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/record/launch"
	"github.com/tabard-hpc/tabard/spec"
)

// fakeLibrary makes a shared library with the given functions.
func fakeLibrary(t *testing.T, path, soname string, names ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, n := range names {
		b.WriteString("int " + n + "(void) { return 0; }\n")
	}
	cmd := exec.Command("gcc", "-shared", "-fPIC", "-Wl,-soname,"+soname, "-o", path, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(b.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestOpenLibrary(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		soname string
		names  []string
		abi    spec.ABI
		err    string
	}{
		{"libmpi.so.40", []string{"MPI_Init", "MPI_Send", "ompi_mpi_comm_world"}, spec.OpenMPI, ""},
		{"libmpich.so.12", []string{"MPI_Init", "MPI_Send", "MPII_Version_string"}, spec.MPICH, ""},
		{"libmpi.so.12", []string{"MPI_Init", "MPI_Send"}, spec.MPICH, ""},
		{"libmpi_abi.so.0", []string{"MPI_Init", "MPI_Send"}, spec.MPI5, ""},
		{"libother.so", []string{"MPI_Init"}, 0, "unknown kind"},
		{"libc.so", []string{"open"}, 0, "no MPI library"},
	} {
		path := filepath.Join(dir, c.soname)
		fakeLibrary(t, path, c.soname, c.names...)
		l, err := OpenLibrary(path)
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v", c.soname, err)
		case c.err == "" && (err != nil || l.ABI != c.abi || !l.Has("MPI_Send") || l.Has("MPI_Recv")):
			t.Errorf("%s: %+v %v", c.soname, l, err)
		}
	}
}

// The library beside the launcher comes before those on the search path, and is that of the
// launcher. Libraries of other machines are passed over, and what is named is found in the same
// place later.
func TestLibraryOfOtherMachine(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "libmpi.so.40")
	fakeLibrary(t, path, "libmpi.so.40", "MPI_Init", "ompi_mpi_comm_world")
	t.Chdir(dir)
	if l, err := OpenLibrary("libmpi.so.40"); err != nil || l.Path != path {
		t.Errorf("%+v %v", l, err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[18] = byte(elf.EM_386) // e_machine
	if err := os.WriteFile(path, b, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLibrary(path); err == nil || !strings.Contains(err.Error(), "another machine") {
		t.Errorf("%v", err)
	}
}

func TestFindLibrary(t *testing.T) {
	dir := t.TempDir()
	fakeLibrary(t, filepath.Join(dir, "near/lib/libmpi.so.40"), "libmpi.so.40", "MPI_Init", "ompi_mpi_comm_world")
	fakeLibrary(t, filepath.Join(dir, "path/libmpi.so.40"), "libmpi.so.40", "MPI_Init", "ompi_mpi_comm_world")
	fakeLibrary(t, filepath.Join(dir, "path/libmpich.so.12"), "libmpich.so.12", "MPI_Init", "MPII_Version_string")
	t.Setenv("LD_LIBRARY_PATH", filepath.Join(dir, "path"))
	near := filepath.Join(dir, "near/bin/mpirun")
	for _, c := range []struct {
		place    launch.Place
		recorded spec.ABI
		want     string
	}{
		{launch.Place{OpenMPI: true, Launcher: near}, spec.MPICH, "near/lib/libmpi.so.40"},
		{launch.Place{OpenMPI: true}, spec.MPICH, "path/libmpi.so.40"},
		{launch.Place{Hydra: true, Launcher: near}, spec.OpenMPI, "path/libmpich.so.12"},
		{launch.Place{Rank: -1}, spec.MPICH, "path/libmpich.so.12"},
		{launch.Place{Rank: -1}, spec.OpenMPI, "path/libmpi.so.40"},
	} {
		l, err := FindLibrary(c.place, c.recorded)
		if err != nil || l.Path != filepath.Join(dir, c.want) {
			t.Errorf("%+v: %+v %v", c.place, l, err)
		}
	}
}

const skipping = `
abi openmpi
rank 0 of 2 on node1
MPI_Init()
MPI_Comm_spawn(command="x", maxprocs=2, root=0, comm=MPI_COMM_WORLD) ; intercomm=comm#0
MPI_Comm_rank(comm=MPI_COMM_WORLD) ; nested
loop 3
  MPI_Get(origin_addr=heap#0+0, origin_count=1, target_rank=1, target_disp=94797788459200, target_count=1, win=win#0)
end
MPI_Get(origin_addr=heap#0+0, origin_count=1, target_rank=1, target_disp=100, target_count=1, win=win#0)
MPI_Iprobe(source=1, tag=0, comm=MPI_COMM_WORLD) ; flag=1
MPI_Recv(source=1, tag=0, comm=MPI_COMM_WORLD) ; unfinished
rank 1 of 2 on node1
MPI_Init()
MPI_Abort(comm=MPI_COMM_WORLD, errorcode=1) ; unfinished
`

func TestTell(t *testing.T) {
	a := archivetest.Archive(t, skipping)
	target := program.Target{Translation: program.Translation{From: spec.OpenMPI, To: spec.MPICH},
		Has: func(name string) bool { return name != "MPI_Iprobe" }}
	r, err := program.Survey(a, target)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	Tell(&b, a, r)
	want := `tabard: not replayed: MPI_Comm_rank (1 call): a callback of the program made it, and callbacks are replaced
tabard: not replayed: MPI_Abort (1 call): it would end the run
tabard: not replayed: MPI_Iprobe (1 call): the MPI library has no such function
tabard: not replayed: MPI_Recv (1 call): the process ended before it returned
tabard: not replayed: MPI_Comm_spawn (1 call): the program that it starts is not there
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	if r.Size != 2 || r.Ranks != 2 || r.Calls != 11 {
		t.Errorf("%+v", r)
	}
	// What is said is what is left out.
	o := same(a, true)
	o.Target = target
	skipped, remote := 0, 0
	for s := range a.Streams() {
		for _, m := range madeBy(t, s, o) {
			if m.flags&callSkip != 0 {
				skipped++
			}
			if m.flags&callRemote != 0 {
				remote++
			}
		}
	}
	if skipped != 5 {
		t.Errorf("%d calls skipped", skipped)
	}
	if remote != 3 {
		t.Errorf("%d calls with an address in another process", remote)
	}
}

// Files that are opened without being created are there before, as large as is read of them.
func TestFiles(t *testing.T) {
	a := archivetest.Archive(t, `
abi mpich
rank 0 of 1 on node1
MPI_Init()
MPI_File_open(comm=MPI_COMM_SELF, filename="in/data", amode=MPI_MODE_RDONLY) ; fh=file#0
loop 4
  MPI_File_read(fh=file#0, count=25, datatype=MPI_INT) ; status={source=0 tag=0 bytes=100}
end
MPI_File_open(comm=MPI_COMM_SELF, filename="new", amode=MPI_MODE_CREATE|MPI_MODE_EXCL|MPI_MODE_WRONLY) ; fh=file#1
MPI_File_open(comm=MPI_COMM_SELF, filename="new", amode=MPI_MODE_RDONLY) ; fh=file#2
MPI_File_open(comm=MPI_COMM_SELF, filename="out", amode=MPI_MODE_CREATE|MPI_MODE_WRONLY) ; fh=file#3
MPI_File_delete(filename="old") 
MPI_Finalize()
`)
	x, err := filesOf(a, streamsOf(a, 0))
	if err != nil || !x.used {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := x.make(dir); err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	st, err := os.Stat(filepath.Join(dir, "in%data"))
	if strings.Join(names, " ") != "in%data old" || err != nil || st.Size() != 400 {
		t.Errorf("%v, %+v, %v", names, st, err)
	}
}

// What failed when it was recorded may succeed here: it must not get at the file itself either.
func TestFailedCallsUseScratch(t *testing.T) {
	for _, call := range []string{
		`MPI_File_open(comm=MPI_COMM_SELF, filename="/data/x", amode=MPI_MODE_CREATE|MPI_MODE_WRONLY) ; ret 42`,
		`MPI_File_delete(filename="/data/x") ; ret 42`,
	} {
		a := archivetest.Archive(t, "abi mpich\nrank 0 of 1 on node1\nMPI_Init()\n"+call+"\nMPI_Finalize()\n")
		sigs, err := a.Stream(0).Signatures()
		if err != nil || sigs[1].Flags&archive.Failed == 0 {
			t.Fatalf("%s: %v", call, err)
		}
		if x, err := filesOf(a, streamsOf(a, 0)); err != nil || !x.used || len(x.present) > 0 {
			t.Errorf("%s: %+v %v", call, x, err)
		}
	}
}

// Names stay in the directory, whatever the MPI library makes of them, and are not too long for it.
func TestFileName(t *testing.T) {
	long := strings.Repeat("x", 300)
	for name, want := range map[string]string{
		"/a/b": "%a%b", "ufs:out": "ufs%out", "..": "%%", ".": "%", "../a": "..%a", long + "/end": long[:250] + "%end",
		"": "",
	} {
		if got := fileName(name); got != want {
			t.Errorf("%q: %q instead of %q", name, got, want)
		}
	}
}

// filesArchive is of a program that reads a file.
func filesArchive(t *testing.T) *archive.Archive {
	return archivetest.Archive(t, `
abi openmpi
rank 0 of 1 on node1
MPI_Init()
MPI_File_open(comm=MPI_COMM_WORLD, filename="data", amode=MPI_MODE_RDONLY, info=MPI_INFO_NULL) ; fh=file#0
MPI_File_get_size(fh=file#0) ; size=77
MPI_Finalize()
`)
}

// scratchOf makes the scratch directory of a replay and says where; share is that of the replay.
func scratchOf(t *testing.T, a *archive.Archive, named string) (dir string, share *os.File, err error) {
	t.Helper()
	s := &starter{r: &Request{Archive: a, Scratch: named}, place: launch.Place{Job: "job"}, streams: streamsOf(a, 0)}
	made := make(chan error, 1)
	go func() { made <- s.scratch() }()
	select {
	case err := <-made:
		return s.options.Scratch, s.share, err
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for the lock of somebody else")
	}
	return "", nil, nil
}

// Others may guess the name of the scratch directory and make it first.
func TestForeignScratch(t *testing.T) {
	a := filesArchive(t)
	for kind, plant := range map[string]func(path string) error{
		"link": func(p string) error { return os.Symlink(t.TempDir(), p) },
		"mode": func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o777)) },
		"foreign": func(p string) error {
			return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o755), os.Chown(p, 20001, 20001))
		},
	} {
		if kind == "foreign" && os.Getuid() != 0 {
			continue
		}
		tmp := t.TempDir()
		t.Setenv("TMPDIR", tmp)
		guess := filepath.Join(tmp, fmt.Sprintf("tabard-replay-%d-%s", os.Getuid(), collect.Hash("job")))
		for _, name := range []string{guess, guess + ".0"} {
			if err := plant(name); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(name)
			if err == nil {
				defer f.Close()
				err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		first, share, err := scratchOf(t, a, "")
		if err != nil || first == guess || first == guess+".0" || filepath.Dir(first) != tmp {
			t.Errorf("%s: %s, %v", kind, first, err)
		}
		if st, err := os.Stat(filepath.Join(first, "data")); err != nil || st.Size() != 77 {
			t.Errorf("%s: %v, %v", kind, st, err)
		}
		second, other, err := scratchOf(t, a, "")
		if err != nil || second != first {
			t.Errorf("%s: another rank has %s instead of %s, %v", kind, second, first, err)
		}
		removedByLast(t, first, share, other)
	}
}

// removedByLast has the helpers of ranks remove their scratch directory, which the last of them does.
func removedByLast(t *testing.T, dir string, shares ...*os.File) {
	t.Helper()
	for i, share := range shares {
		fd, err := unix.Dup(int(share.Fd())) // as a helper has it
		if err == nil {
			j := &helperJob{Scratch: dir, Streams: fd - 3}
			err = errors.Join(j.removeScratch(), share.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) != (i == len(shares)-1) {
			t.Errorf("%s after %d of %d helpers: %v", dir, i+1, len(shares), err)
		}
	}
}

// A directory that the user named is one that others can neither change nor exchange.
func TestNamedScratch(t *testing.T) {
	a, top := filesArchive(t), t.TempDir()
	open := filepath.Join(top, "open")
	if err := errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o770)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{open, filepath.Join(open, "mine")} {
		if dir, _, err := scratchOf(t, a, name); err == nil || !strings.Contains(err.Error(), "--scratch") {
			t.Errorf("%s, %v", dir, err)
		}
	}
	mine := filepath.Join(top, "a", "mine")
	if dir, _, err := scratchOf(t, a, mine); err != nil || dir != mine {
		t.Errorf("%s, %v", dir, err)
	}
}

func BenchmarkFeed(b *testing.B) {
	a := archivetest.Archive(b, `
abi openmpi
rank 0 of 1 on node1
MPI_Init()
loop 100000
  MPI_Irecv(buf=heap#0+0, count=10, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=?3, comm=MPI_COMM_WORLD) ; request=request#0
  MPI_Wait(request=request#0) ; request=MPI_REQUEST_NULL ; status=?{source=1 tag=3 bytes=40}
end
MPI_Finalize()
`)
	for b.Loop() {
		p, err := Lower(a.Stream(0), same(a, true))
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Feed(func([]uint64) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200000, "ns/call")
}
