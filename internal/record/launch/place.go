package launch

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Place is this process's place among the processes that an MPI launcher started.
type Place struct {
	// Rank and Size are those in MPI_COMM_WORLD, -1 if unknown.
	Rank, Size int
	// Job is the same for the processes of one job on a node, and different for any other job.
	Job string
	// Launcher is the executable of the launcher that started this process, as far as it is on this
	// machine; empty if unknown.
	Launcher string
	// OpenMPI and Hydra tell by which variables of the environment the place was found: those of
	// Open MPI, or those of MPICH's launcher and its relatives.
	OpenMPI, Hydra bool
	// Alone says that nobody started this process as one of several.
	Alone bool
}

// PlaceOf finds out the place of this process before MPI is initialised.
func PlaceOf() Place {
	e := readRankEnv(os.Getenv)
	p := Place{Rank: e.rank, Size: e.size, OpenMPI: os.Getenv("OMPI_COMM_WORLD_SIZE") != ""}
	p.Hydra = !p.OpenMPI && os.Getenv("PMI_SIZE") != ""
	p.Job, p.Alone = jobIdentity(e)
	if pid, _ := launcherOf(os.Getppid()); pid > 0 {
		p.Launcher, _ = os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	}
	return p
}

// Speaks says that this process is the one of those that run the same command line which says what is wrong with it: the
// first rank, as far as the launcher tells. All speak where they may run different command lines. It returns late to
// those that do not speak: launchers kill the others when one rank has failed.
func Speaks() bool {
	if readRankEnv(os.Getenv).speaks(os.Getenv("OMPI_APP_CTX_NUM_PROCS")) {
		return true
	}
	time.Sleep(time.Second)
	return false
}

// speaks decides by how many ranks each command line has, in order, if that is known.
func (e rankEnv) speaks(counts string) bool {
	if e.rank <= 0 {
		return true
	}
	first := 0
	for _, n := range strings.Fields(counts) {
		if first == e.rank {
			return true
		}
		count, _ := strconv.Atoi(n)
		first += count
	}
	programs := e.programs
	if programs < 0 {
		_, programs = jobName(e)
	}
	return programs > 1 && counts == ""
}

// Extract writes an executable or library into a directory of this user that nobody else can
// change, which it makes.
func Extract(path string, data []byte) error {
	return install(path, data)
}

// StartHelper starts a command of this executable that goes on beside the program: with files as
// its descriptors from 3 on, standard error, and nothing else of what the launcher gave to this
// process. Launchers that end a rank end its session, too. So the helper has a session of its own,
// in order to clean up, and has to see for itself when the program has ended.
func StartHelper(args []string, files []*os.File) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	restore := closeOnExec()
	defer restore()
	cmd := exec.Command(exe, args...)
	cmd.ExtraFiles, cmd.Stderr = files, os.Stderr
	cmd.Env = slicesWithout(os.Environ(), "LD_PRELOAD=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	bind := anyCPU() // the program waits for what the helper feeds it, in loops that leave it no time
	err = cmd.Start()
	bind()
	if err != nil {
		return err
	}
	return cmd.Process.Release()
}

// becomesAnother tells whether a command is a replay by this executable, which becomes a program
// that can be traced, even if it is itself statically linked.
func becomesAnother(path string, command []string) bool {
	if len(command) < 2 || command[1] != "replay" {
		return false
	}
	self, err := os.Open("/proc/self/exe") // opened, since emulators of processors answer a mere stat with themselves
	if err != nil {
		return false
	}
	defer self.Close()
	exe, err := self.Stat()
	if err != nil {
		return false
	}
	st, err := os.Stat(path)
	return err == nil && os.SameFile(st, exe)
}
