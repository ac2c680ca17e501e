package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/cputime"
)

// damaged is the number of broken files that TestDamage reads, unless
// TABARD_DAMAGE says another (make test reads 20000, make damage 1000000): see archivetest.SoakOf.
const damaged = 4000

// samples are the archives that are damaged.
func samples(t testing.TB) [][]byte {
	t.Helper()
	descs := []string{long, ranks(3), archivetest.Varied(7), archivetest.Varied(12), irregular(3, 20),
		vectorJob(3, 12, nil), unordered(2, 300), ""}
	descs = append(descs, archivetest.Descriptions(t, "testdata/*.txtar")...)
	var out [][]byte
	for _, d := range descs {
		out = append(out, archivetest.Bytes(t, d))
	}
	return append(out, relative(t))
}

// relative is an archive in which peers are relative to the ranks in a communicator.
func relative(t testing.TB) []byte {
	t.Helper()
	const n = 32
	own := func(r int) int { return r * r * 5 % n % 7 }
	var d strings.Builder
	for r := range n {
		fmt.Fprintf(&d, "rank %d of %d on n\nMPI_Send(dest=%d, comm=comm#0)\nMPI_Send(dest=%d, tag=1, comm=comm#0)\n",
			r, n, (own(r)+1)%7, (own(r)+2)%7)
	}
	p, err := archivetest.Part(d.String())
	if err != nil {
		t.Fatal(err)
	}
	p.SetMembers(func(_, rank int, _ int64) (int, int, bool) { return own(rank), 7, true })
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text(t, archivetest.Open(t, out.Bytes())), "~0") {
		t.Fatal("no peer is relative")
	}
	return out.Bytes()
}

// maxTime is how long reading one of them may take, of the processor's time; milliseconds are usual.
const maxTime = 5 * time.Second

// Limits for reading damaged archives: the memory bound under test.
var limits = []archive.Option{archive.FileName("x.tabard"), archive.MaxSection(1 << 20), archive.Cache(1 << 20),
	archive.MaxWork(1 << 16)}

// readDamaged reads all that can be read. Whatever is wrong must come out as a
// *FormatError that says where and what to do.
func readDamaged(t *testing.T, b []byte, what string) (opened bool) {
	t.Helper()
	begin, cpu := time.Now(), cputime.Used()
	var hung *time.Timer
	hung = time.AfterFunc(maxTime, func() {
		if cputime.Since(cpu) < maxTime && time.Since(begin) < 20*maxTime {
			hung.Reset(maxTime) // others compute
			return
		}
		path := t.ArtifactDir() + "/hang.tabard"
		os.WriteFile(path, b, 0o600)
		panic(fmt.Sprintf("%s takes longer than %v; it is in %s", what, maxTime, path))
	})
	defer hung.Stop()
	defer func() {
		if p := recover(); p != nil {
			path := t.TempDir() + "/damaged.tabard"
			os.WriteFile(path, b, 0o600)
			t.Fatalf("%s: panic: %v\n%s", what, p, debug.Stack())
		}
	}()
	a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), limits...)
	if err == nil {
		err = archivetest.ReadAll(a, 300)
		opened = true
	}
	if err == nil {
		err = archive.WriteText(&limited{n: 1 << 20}, a)
		if errors.Is(err, errLimited) {
			err = nil
		}
	}
	var fe *archive.FormatError
	if err != nil && (!errors.As(err, &fe) || fe.Hint == "" || fe.Section == "" || fe.File == "") {
		t.Errorf("%s: %T %v: want a FormatError with file, section and hint", what, err, err)
	}
	return opened
}

var errLimited = errors.New("enough text")

// limited is a writer that fails after n bytes.
type limited struct{ n int }

func (l *limited) Write(b []byte) (int, error) {
	if l.n -= len(b); l.n < 0 {
		return 0, errLimited
	}
	return len(b), nil
}

// TestDamage reads many damaged archives. It fails on panics, on errors of
// another kind, on files that take too long, and on memory above the bound.
func TestDamage(t *testing.T) {
	soak := archivetest.SoakOf(t, damaged)
	all, err := archivetest.NewDamager(soak.Seed, samples(t)...)
	if err != nil {
		t.Fatal(err)
	}
	opened := uint64(0)
	var worst time.Duration
	var before, after runtime.MemStats
	for i := soak.First; i < soak.First+soak.N; i++ {
		d := all.With(soak.Rand(i))
		b, what := d.Next()
		if i%8 == 0 {
			b, what = d.Forge()
		}
		start := time.Now()
		runtime.ReadMemStats(&before)
		if readDamaged(t, b, soak.File(i)+": "+what) {
			opened++
		}
		runtime.ReadMemStats(&after)
		if took := time.Since(start); took > worst {
			worst = took
		}
		// All that was ever allocated is an upper bound of what was in use.
		if alloc := after.TotalAlloc - before.TotalAlloc; alloc > 128<<20 {
			t.Errorf("%s: %s: allocated %d MiB", soak.File(i), what, alloc>>20)
		}
		if t.Failed() {
			path := t.ArtifactDir() + "/damaged.tabard"
			os.WriteFile(path, b, 0o600)
			t.Fatalf("the file is %s (keep it with -artifacts)", path)
		}
	}
	t.Logf("%d damaged files from %d on of seed %d, %d could be opened, the slowest took %v", soak.N, soak.First,
		soak.Seed, opened, worst)
	if opened < soak.N/20 {
		t.Errorf("only %d of %d damaged files got past opening: the deep code was not reached", opened, soak.N)
	}
}

func FuzzOpen(f *testing.F) {
	for _, b := range samples(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { readDamaged(t, b, "fuzz") })
}

// FuzzContent fuzzes the content of the structure section behind right checksums.
func FuzzContent(f *testing.F) {
	for _, b := range samples(f) {
		file, err := archivetest.Split(b)
		if err != nil {
			f.Fatal(err)
		}
		var columns, timing []byte
		for _, s := range file.Sections {
			switch s.Type {
			case 3:
				columns = s.Raw
			case 4:
				timing = s.Raw
			}
		}
		f.Add(file.Sections[0].Raw, file.Sections[1].Raw, columns, timing)
	}
	f.Fuzz(func(t *testing.T, meta, structure, columns, timing []byte) {
		file := &archivetest.File{Sections: []archivetest.Section{{Type: 1, Version: 1, Raw: meta},
			{Type: 2, Version: 1, Raw: structure},
			{Type: 3, Version: 1, Raw: columns}, {Type: 4, Version: 1, Raw: timing}}}
		readDamaged(t, file.Bytes(), "fuzz")
	})
}

// FuzzText checks that what can be parsed as text and opened gives the same
// text again.
func FuzzText(f *testing.F) {
	for _, b := range samples(f) {
		f.Add(text(f, archivetest.Open(f, b)))
	}
	f.Fuzz(func(t *testing.T, in string) {
		if strings.Contains(in, "00000") {
			return // long runs in columns take long; other inputs have short ones
		}
		var out bytes.Buffer
		if archive.ParseText(&out, strings.NewReader(in)) != nil {
			return
		}
		a, err := archive.OpenReader(bytes.NewReader(out.Bytes()), int64(out.Len()), limits...)
		if err != nil {
			return
		}
		twin := text(t, a)
		var again bytes.Buffer
		if err := archive.ParseText(&again, strings.NewReader(twin)); err != nil {
			t.Fatalf("the text of an archive cannot be parsed: %v\n%s", err, twin)
		}
		b := archivetest.Open(t, again.Bytes(), limits...)
		if got := text(t, b); got != twin {
			t.Errorf("another text:\n%s\nwas\n%s", got, twin)
		}
	})
}

// FuzzSignature checks that a signature that can be parsed is coded alike.
func FuzzSignature(f *testing.F) {
	for _, b := range samples(f) {
		for s := range archivetest.Open(f, b).Streams() {
			sigs, err := s.Signatures()
			if err != nil {
				f.Fatal(err)
			}
			for _, sig := range sigs {
				f.Add(sig.Append(nil))
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := archive.ParseSignature(b)
		if err != nil {
			return
		}
		again, err := archive.ParseSignature(s.Append(nil))
		if err != nil || again.String() != s.String() {
			t.Errorf("%v: %s became %v", err, s, again)
		}
		back, err := archive.ParseSignatureText(s.String())
		if err == nil && !bytes.Equal(back.Append(nil), s.Append(nil)) {
			// Kinds that do not suit their parameter have no text of their own.
			t.Logf("%s has another encoding as text", s)
		}
	})
}
