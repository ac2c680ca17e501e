package capture_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// buildJumps compiles the fake MPI and testdata/programs/jumps.c into a folder of their
// own, which then serves as a flavour.
func buildJumps(t *testing.T, flavour, libFlags, flags string) string {
	t.Helper()
	home, err := os.MkdirTemp(built.dir, "jumps-")
	if err != nil {
		t.Fatal(err)
	}
	lib := filepath.Join(home, "libmpi.so.40")
	common := []string{"-Itestdata/fakempi", "-g", "-O2", "-Wall"}
	if flavour == "mpich" {
		common = append(common, "-DFAKEMPI_MPICH")
	}
	args := slices.Concat(common, strings.Fields(libFlags), []string{"-shared", "-fPIC", "testdata/fakempi/fakempi.c",
		"-Wl,-soname,libmpi.so.40", "-o", lib})
	if err := command("gcc", args...); err != nil {
		t.Fatal(err)
	}
	args = slices.Concat(common, strings.Fields(flags), []string{"testdata/programs/jumps.c", lib,
		"-Wl,-rpath," + home, "-o", filepath.Join(home, "jumps")})
	if err := command("gcc", args...); err != nil {
		t.Fatal(err)
	}
	return filepath.Base(home)
}

// TestJumps has callbacks that end in a jump to a function of MPI, so that the library seems
// to call it, and a library that does call functions of MPI, also by jumps.
func TestJumps(t *testing.T) {
	t.Parallel()
	protect := "-fcf-protection=full"
	if runtime.GOARCH == "arm64" {
		protect = "-mbranch-protection=standard"
	}
	for i, c := range []struct{ lib, program string }{
		{"", ""}, {"-fno-plt", "-fno-plt"}, {"-O1 -foptimize-sibling-calls", "-no-pie -fno-pie"},
		{protect, "-Wl,-z,now -s"}, {"", protect + " -Os"}, {"-fno-plt", ""},
	} {
		t.Run(c.lib+"/"+c.program, func(t *testing.T) {
			t.Parallel()
			testJumps(t, buildJumps(t, flavours[i%len(flavours)], c.lib, c.program))
		})
	}
}

func testJumps(t *testing.T, home string) {
	for _, mode := range []uint32{ring.SitesOff, ring.SitesCaller, ring.SitesStack} {
		r := (&run{t: t, flavour: home, program: "jumps", config: ring.Config{Callsites: mode}}).start()
		r.wantCode(0)
		nested := func(name string) []string {
			return []string{"Op_create", "Allreduce<", name + "~", "Allreduce>", "Allreduce<", name + "~", "Allreduce>"}
		}
		r.wantCalls(0, slices.Concat([]string{"Init"}, nested("Barrier"), nested("Initialized"),
			[]string{"Send", "Finalize"})...)
		if mode != ring.SitesOff {
			checkJumpSites(t, r)
		}
	}
}

// checkJumpSites wants the place of the jump as the call site, or as the innermost frame.
func checkJumpSites(t *testing.T, r *run) {
	t.Helper()
	var direct, further uint64
	var flag int
	if _, err := fmt.Sscanf(r.stdout, "0x%x 0x%x %d", &direct, &further, &flag); err != nil || flag != 1 {
		t.Fatalf("output %q: %v", r.stdout, err)
	}
	bias := map[uint64]uint64{}
	for _, m := range r.own(0, ring.RModule) {
		bias[m.Payload()[0]] = m.Payload()[1]
	}
	frames := map[uint64][]uint64{}
	for _, s := range r.own(0, ring.RStack) {
		frames[s.Payload()[0]] = s.Payload()[2:]
	}
	for _, rec := range r.of(0, "MPI_Barrier", "MPI_Initialized") {
		start, word := direct, rec.Site()
		if spec.ByID(rec.ID()).Name == "MPI_Initialized" {
			start = further
		}
		if rec.Flags()&ring.FStack != 0 {
			if len(frames[word]) < 3 { // the callback, reduce, main
				t.Fatalf("stack of %d frames", len(frames[word]))
			}
			word = frames[word][0]
		}
		a := ring.ParseAddress(word)
		if at := bias[uint64(a.ID)] + uint64(a.Off); a.Class != ring.WModule || at <= start || at > start+64 {
			t.Errorf("%s called from %#x (%v), its caller starts at %#x", spec.ByID(rec.ID()).Name, at, a, start)
		}
	}
}
