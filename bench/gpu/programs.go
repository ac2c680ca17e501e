package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// buffers looks at what MPI is given in the memory of a GPU, whether its allocation can be seen or the driver is asked.
func buffers(b *bench) error {
	if b.mpi == "" {
		fmt.Println("  not tried: -mpi names no MPI")
		return nil
	}
	launcher := []string{filepath.Join(b.mpi, "bin", "mpiexec"), "-n", "2"}
	for _, runtime := range []string{"static", "shared"} {
		for _, events := range []string{"mpi", "mpi,cuda"} {
			program, file := b.path("buffers."+runtime), b.path("x.tabard")
			plain := b.run(nil, append(launcher, program, "200000")...)
			r := b.run(nil, append(append(append([]string{}, launcher...), b.record(file, events)...), program, "200000")...)
			off := b.run([]string{"TABARD_GPU=off"}, append(append(append([]string{}, launcher...),
				b.record(b.path("off.tabard"), events)...), program, "200000")...)
			if r.code != 0 || r.out != plain.out || off.out != plain.out {
				b.fail("%s %s: as it is %+v, recorded %+v, off %+v", runtime, events, plain, r, off)
			}
			for name, o := range map[string]outcome{"as it is": plain, "recorded": r, "TABARD_GPU=off": off} {
				fmt.Printf("  %s, %s, %s: %s\n", runtime, events, name, strings.ReplaceAll(strings.TrimSpace(o.err), "\n", " | "))
			}
			dump := b.run(nil, b.tabard, "dump", "--own", "--limit", "100", "--rank", "0", file).out
			for _, want := range []string{`kind=4, bytes=16384`, `kind=5, bytes=16384`, `kind=6, bytes=16384`,
				`kind=4, bytes=32768`, `MPI_Send\(buf(fer)?=heap#\d+\+4, count=10, .*tag=1,`,
				`MPI_Send\(buf(fer)?=heap#\d+\+8, count=10, .*tag=2,`, `MPI_Send\(buf(fer)?=heap#\d+\+16, count=10, .*tag=4,`} {
				if !regexp.MustCompile(want).MatchString(dump) {
					b.fail("%s, %s: %s is missing in\n%.3000s", runtime, events, want, dump)
				}
			}
		}
	}
	return nil
}

// libraries runs programs of Python that use the GPU, as they are and recorded.
func libraries(b *bench) error {
	script := filepath.Join(filepath.Dir(b.script()), "gpulibs.py")
	for _, what := range []string{"cupy", "jax", "triton", "graph", "loader", "profiler", "nvtx", "failing"} {
		plain := b.run(nil, b.python, script, what)
		r := b.run(nil, append(b.record(b.path("x.tabard"), "cuda,regions"), b.python, script, what)...)
		fmt.Printf("  %s: exit code %d: %s; %s\n", what, r.code, strings.TrimSpace(r.out), last(r.err))
		if r.out != plain.out || r.code != plain.code {
			b.fail("%s: as it is %d %q %.500s\nrecorded %d %q %.2000s", what, plain.code, plain.out, plain.err, r.code, r.out,
				r.err)
		}
		if what == "nvtx" {
			fmt.Println(b.run(nil, b.tabard, "profile", "--by", "region", b.path("x.tabard")).out)
		}
		if err := b.keepAs(what + ".tabard"); err != nil {
			return err
		}
	}
	return nil
}

// last is what comes last in a text, on one line.
func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-2):], " | ")
}
