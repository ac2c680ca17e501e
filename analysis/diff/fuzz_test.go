package diff_test

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/choices"
	"github.com/tabard-hpc/tabard/internal/testkit/cputime"
)

// variants are options that take different ways.
var variants = func() []diff.Options {
	sel, err := selection.Parse(selection.Flags{Steps: "1-3", Time: "10%..90%"})
	if err != nil {
		panic(err)
	}
	return []diff.Options{everything, {Structure: true, Parameters: true, Rerun: true},
		{Parameters: true, IgnoreSites: true},
		{Structure: true, Parameters: true, Steps: sel.Steps}, {Structure: true, Parameters: true, Window: sel.Window}}
}()

// hostile compares two archives that may say anything: an error or a result, never a panic, in
// bounded time.
func hostile(t *testing.T, a, b *archive.Archive, ways ...diff.Options) {
	for _, o := range ways {
		o.Calls = 1 << 14
		begin := cputime.Used()
		if _, err := diff.Of(a, b, o); err != nil {
			continue
		}
		if took := cputime.Since(begin); took > 20*time.Second {
			t.Fatalf("took %v", took)
		}
	}
}

func open(b []byte) (*archive.Archive, error) {
	return archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.MaxSection(1<<22), archive.MaxWork(1<<16))
}

// checkPair compares two programs and damaged forms of both.
func checkPair(t *testing.T, seed uint64, damage int) {
	r := rand.New(rand.NewPCG(seed, 7))
	p := newProgram(r, 1+r.IntN(4))
	q := p.clone()
	for range r.IntN(3) {
		q.mutate(r)
	}
	texts := []string{p.String(), q.String()}
	var files [2][]byte
	for i, text := range texts {
		files[i] = archivetest.Bytes(t, text)
	}
	hostile(t, archivetest.Open(t, files[0]), archivetest.Open(t, files[1]), variants...)
	for i := range files {
		d, err := archivetest.NewDamager(seed+uint64(i), files[i])
		if err != nil {
			t.Fatal(err)
		}
		for range damage {
			broken, _ := d.Next()
			x, err := open(broken)
			if err != nil {
				continue
			}
			hostile(t, archivetest.Open(t, files[0]), x, variants...)
			hostile(t, x, archivetest.Open(t, files[1]), variants...)
			hostile(t, x, x, variants...)
		}
	}
}

func TestHostilePairs(t *testing.T) {
	for seed := range uint64(6) {
		checkPair(t, seed, 12)
	}
}

// FuzzPairs compares two small programs, in one of the ways.
func FuzzPairs(f *testing.F) {
	f.Add([]byte("some bytes"))
	f.Add([]byte("700\xc77\xc7")) // a rank of nothing but polls is changed
	f.Fuzz(func(t *testing.T, in []byte) {
		p, q, way := smallPair(in)
		a := archivetest.InMemory(t, p)
		b := a
		if q != p {
			b = archivetest.InMemory(t, q)
		}
		hostile(t, a, b, way)
	})
}

// FuzzDamagedPairs compares a small program with a damaged form of another one. The programs are always the same: what
// programs may be like is what FuzzPairs tries, and to write one takes longer than all the rest.
func FuzzDamagedPairs(f *testing.F) {
	sound, damagers := damagedPrograms(f)
	for i := range sound {
		f.Add(byte(i), byte(i), []byte("others"))
	}
	f.Fuzz(func(t *testing.T, program, how byte, damage []byte) {
		k := int(program) % len(sound)
		broken, _ := damagers[k].With(choices.Rand(damage)).Next()
		x, err := open(broken)
		if err != nil {
			return
		}
		other, way := sound[k^1], variants[int(how/3)%len(variants)]
		switch how % 3 {
		case 0:
			hostile(t, other, x, way)
		case 1:
			hostile(t, x, other, way)
		default:
			hostile(t, x, x, way)
		}
	})
}

// damagedPrograms are small programs, each one followed by another that may differ from it, and what damages them.
// Those of every other pair have times.
func damagedPrograms(f *testing.F) (sound []*archive.Archive, damagers []*archivetest.Damager) {
	const pairs = 16
	for seed := range uint64(pairs) {
		p, q := mutants(rand.New(rand.NewPCG(seed, 7)))
		for _, x := range []*randomProgram{p, q} {
			file := archivetest.Bytes(f, x.text(seed%2 == 0))
			d, err := archivetest.NewDamager(0, file)
			if err != nil {
				f.Fatal(err)
			}
			sound, damagers = append(sound, archivetest.Open(f, file)), append(damagers, d)
		}
	}
	return sound, damagers
}

// smallPair is a program, another that may differ from it, and a way to compare them. They have times where that way
// looks at them: to code and to read times takes as long as a comparison.
func smallPair(in []byte) (p, q string, way diff.Options) {
	r := choices.Rand(in)
	way = variants[r.IntN(len(variants))]
	timed := way.Time || way.Window != nil
	a, b := mutants(r)
	return a.text(timed), b.text(timed), way
}

// mutants are a small program and another that may differ from it.
func mutants(r *rand.Rand) (a, b *randomProgram) {
	a = newProgramOf(r, 1+r.IntN(3), 2, 3)
	b = a.clone()
	for range r.IntN(3) {
		b.mutate(r)
	}
	return a, b
}

// A program that makes the same calls from one place is a rerun; no mutant of it is.
func TestRerunOfRandomPrograms(t *testing.T) {
	site := regexp.MustCompile(`@ r\.c:\d+ \[\w\]`)
	elsewhere := func(p *randomProgram) string { return site.ReplaceAllString(p.String(), "@ player.c:7 [play]") }
	o := diff.Options{Structure: true, Parameters: true, Rerun: true}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 11))
		p := newProgram(r, 1+r.IntN(5))
		if got := texts(with(t, p.String(), elsewhere(p), o)); got != "" {
			t.Errorf("seed %d: %s", seed, got)
		}
		q := p.clone()
		q.mutate(r)
		if got := texts(with(t, p.String(), elsewhere(q), o)); got == "" {
			t.Errorf("seed %d: a mutant is not found\n%s\n%s", seed, p, q)
		}
	}
}
