// Package mpirun builds and starts the MPI programs of the end-to-end tests
// and of the benchmarks, with Open MPI and with MPICH, also as root and with
// more ranks than cores.
package mpirun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// MPI is an installed MPI.
type MPI struct {
	Name         string // "openmpi" or "mpich"
	CC, CXX, FC  string // compiler wrappers
	Run          string // the launcher
	YieldPreload string // library that makes idle ranks yield, "" if not needed
}

// Names are the MPIs that this package knows.
var Names = []string{"openmpi", "mpich"}

// Find looks for an MPI by its name, in the way that Debian installs several
// side by side.
func Find(name string) (*MPI, error) {
	m := &MPI{Name: name, CC: "mpicc." + name, CXX: "mpicxx." + name, FC: "mpifort." + name, Run: "mpirun." + name}
	for _, tool := range []string{m.CC, m.CXX, m.FC, m.Run} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("%s is not complete here: %w (make deps installs it)", name, err)
		}
	}
	return m, nil
}

// Root is the root of the repository: the nearest folder with a go.mod, from the working directory
// up.
func Root() string {
	dir, err := os.Getwd()
	if err != nil {
		panic("mpirun: " + err.Error())
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			panic("mpirun: run this inside of the repository")
		}
	}
}

// Programs is the folder of the MPI programs.
func Programs() string { return filepath.Join(Root(), "testdata", "mpi") }

// Build compiles one source file with the compiler for its extension. flags come last.
func (m *MPI) Build(source, output string, flags ...string) error {
	args := []string{"-g", "-O1", "-pthread"}
	var compiler string
	switch filepath.Ext(source) {
	case ".c":
		compiler = m.CC
		// MPICH's and Open MPI's sentinels look like short arrays to gcc.
		args = append(args, "-Wall", "-Werror", "-Wno-deprecated-declarations", "-Wno-stringop-overflow",
			"-Wno-stringop-overread")
	case ".cc":
		compiler = m.CXX
		args = append(args, "-Wall")
	case ".f", ".f90":
		compiler = m.FC
		args = append(args, "-w", "-fallow-argument-mismatch", "-J", filepath.Dir(output))
	default:
		return fmt.Errorf("%s: no compiler for this kind of file", source)
	}
	args = append(append(args, "-o", output, source), flags...)
	return command(compiler, args...)
}

// BuildLibrary compiles a C file to a shared library, without an MPI.
func BuildLibrary(source, output string, flags ...string) error {
	return command(
		"gcc",
		append([]string{"-O2", "-Wall", "-Werror", "-fPIC", "-shared", "-o", output, source, "-ldl"}, flags...)...)
}

// BuildYield compiles what MPI.YieldPreload names into a folder.
func BuildYield(dir string) (library string, err error) {
	library = filepath.Join(dir, "yield.so")
	return library, BuildLibrary(filepath.Join(Programs(), "yield.c"), library)
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// Job is one start of a parallel program.
type Job struct {
	MPI     *MPI
	Ranks   int
	Args    []string      // program and its arguments; tabard record may stand in front
	Dir     string        // working folder
	Env     []string      // additions to the environment, for launcher and ranks
	Launch  []string      // more arguments for the launcher
	Timeout time.Duration // defaultTimeout if it is 0

	session string // see sessions
}

// sessions is a folder for the files of Open MPI's launcher. By default all jobs of a user share
// one. The job that ends last removes it, while the next job may be about to use it.
func (j *Job) sessions() []string {
	if j.MPI.Name != "openmpi" {
		return nil
	}
	if j.session == "" {
		dir, err := os.MkdirTemp("", "tabard-job-")
		if err != nil {
			return nil
		}
		j.session = dir
	}
	return []string{"OMPI_MCA_orte_tmpdir_base=" + j.session}
}

// Close removes what a job that was started with Command leaves behind. Start does this itself.
func (j *Job) Close() {
	if j.session != "" {
		os.RemoveAll(j.session)
		j.session = ""
	}
}

// defaultTimeout is long for jobs that take a second on a quiet machine: it is to end those that
// hang, not those that other programs slow down.
const defaultTimeout = 4 * time.Minute

// Result is what a job left behind.
type Result struct {
	Stdout, Stderr string
	Code           int // exit code of the launcher; 128+n if signal n ended it
	TimedOut       bool
	Wall           time.Duration
	CPU            time.Duration // user and system time of the launcher and all processes it waited for
}

// Command gives the command that starts the job; the caller owns it, and closes the job after it.
func (j *Job) Command() *exec.Cmd {
	args := []string{"-n", strconv.Itoa(j.Ranks)}
	env := append(os.Environ(),
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_mpi_yield_when_idle=1",
		// osc/rdma of Open MPI 4.1 crashes on shared memory without CMA, and fcoll/vulcan does not end
		// one collective write in some hundred on a busy machine.
		"OMPI_MCA_osc=^rdma", "OMPI_MCA_fcoll=^vulcan")
	if j.MPI.Name == "mpich" && j.MPI.YieldPreload != "" {
		args = append(args, "-genv", "LD_PRELOAD", j.MPI.YieldPreload)
	}
	args = append(args, j.Launch...)
	c := exec.Command(j.MPI.Run, append(args, j.Args...)...)
	c.Dir, c.Env = j.Dir, slices.Concat(env, j.sessions(), j.Env)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

// Start runs the job to its end. A program that fails is no error; a launcher
// that cannot be started is.
func (j *Job) Start() (*Result, error) {
	var stdout, stderr bytes.Buffer
	c := j.Command()
	defer j.Close()
	c.Stdout, c.Stderr = &stdout, &stderr
	// A detached process that keeps the pipes open must not delay the result: the comparison of
	// times would show this as an error.
	c.WaitDelay = 10 * time.Second
	begin := time.Now()
	if err := c.Start(); err != nil {
		return nil, err
	}
	timeout := j.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	r := &Result{}
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		r.TimedOut = true
		err = stop(c, done)
	}
	r.Stdout, r.Stderr, r.Wall = stdout.String(), stderr.String(), time.Since(begin)
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil, fmt.Errorf("%s ended but something kept its output open", c)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	r.Code = code(c.ProcessState)
	r.CPU = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return r, nil
}

// stop ends a job as a user would, and kills it if that does not work.
func stop(c *exec.Cmd, done <-chan error) error {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		_ = syscall.Kill(-c.Process.Pid, s) // it may be gone already
		select {
		case err := <-done:
			return err
		case <-time.After(5 * time.Second):
		}
	}
	return <-done
}

func code(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return p.ExitCode()
}
