package roundtrip

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// Scaled compares the job that is inferred from the recordings in some folders with the one that
// was recorded in another. took is the processor time of tabard scale: on a machine that
// does nothing else the answer takes no longer.
func (r *Runner) Scaled(from []string, to string, ranks int) (o *Outcome, took time.Duration, err error) {
	inferred := filepath.Join(to, "inferred.tabard")
	args := []string{"scale"}
	for _, dir := range from {
		args = append(args, Archive(dir))
	}
	args = append(args, "--ranks", fmt.Sprint(ranks), "--force", "-o", inferred)
	why, took, err := r.timed(to, r.Tabard, args...)
	if o := outcome("scale", why); o != nil || err != nil {
		return o, took, err
	}
	o = &Outcome{}
	return o, took, r.diff(Archive(to), inferred, o)
}

// sanitized runs a proxy that was compiled with AddressSanitizer. The outcome is nil if it ended
// well.
func (r *Runner) sanitized(dir string, ranks int) (*Outcome, error) {
	binary := Program(dir) + ".asan"
	why, err := r.command(dir, r.MPI.CC, "-O1", "-g", "-fsanitize=address", "-fno-omit-frame-pointer",
		filepath.Join(dir, source), "-o", binary, "-pthread")
	if err != nil || why != "" {
		return outcome("compile", why), err
	}
	j := &mpirun.Job{MPI: r.MPI, Ranks: ranks, Args: []string{binary}, Dir: dir, Timeout: r.Timeout,
		Env: []string{"ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0"}}
	done, err := j.Start()
	if err != nil {
		return nil, err
	}
	return failed("sanitizer", done), nil
}
