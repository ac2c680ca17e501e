package launch

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/collect"
)

// maxCollectors bounds the collectors of a node.
const maxCollectors = 1024

// share is this process's collector among those of its node.
type share struct {
	index, count int
	ranks        int // how many it has, 0 unknown
}

// share says which collector records this process: consecutive local ranks have the same.
func (l *launcher) share() share {
	e, n := &l.env, max(1, l.o.Collectors)
	switch {
	case n == 1:
		return share{0, 1, max(0, e.localSize)}
	case e.localSize > 0 && e.localRank >= 0 && e.localRank < e.localSize:
		n = min(n, e.localSize)
		s := share{index: e.localRank * n / e.localSize, count: n}
		for r := range e.localSize {
			if r*n/e.localSize == s.index {
				s.ranks++
			}
		}
		return s
	case e.rank >= 0:
		return share{index: e.rank % n, count: n}
	}
	return share{0, 1, max(0, e.localSize)}
}

// shared says that the job has several collectors.
func (l *launcher) shared() bool {
	return l.share().count > 1 || l.env.localSize > 0 && l.env.size > l.env.localSize
}

// Times for ranks to come to MPI_Finalize.
const (
	// waitTraced is for jobs all of whose ranks run the same command, with tabard.
	waitTraced = time.Minute
	// waitUnsure is for jobs that may have ranks without tabard, which will not take part.
	waitUnsure = 20 * time.Second
	// waitClocks is for jobs whose archives stay apart.
	waitClocks = 5 * time.Second
)

// meets says whether the collectors unite their archives inside MPI_Finalize, whether they measure
// their nodes' clocks there, and how long they wait for each other.
func (l *launcher) meets() (merge, clocks bool, wait time.Duration) {
	together, wait := l.together()
	if l.o.NoMerge && l.o.MergeWait == 0 {
		wait = min(wait, waitClocks)
	}
	return together && !l.o.NoMerge, together && !l.o.NoTiming, wait
}

// together says whether there are several collectors, and probably all of their ranks are recorded.
// All processes must come to the same answer, so it rests only on what is the same for all of them.
func (l *launcher) together() (bool, time.Duration) {
	if !l.shared() || l.o.Ranks != "" || os.Getenv("SLURM_HET_SIZE") != "" {
		return false, 0
	}
	programs := l.env.programs
	if programs < 0 {
		_, programs = jobName(l.env)
	}
	switch {
	case programs > 1:
		return false, 0
	case l.o.MergeWait > 0:
		return true, l.o.MergeWait
	case programs == 1:
		return true, waitTraced
	}
	return true, waitUnsure
}

// shareJob fills in what collectors need to know of each other.
func (l *launcher) shareJob(j *collect.Job) {
	s := l.share()
	j.Shared = l.shared()
	if !j.Shared {
		return
	}
	j.Node = j.Host
	if s.count > 1 {
		j.Node = fmt.Sprintf("%s-%d", j.Host, s.index)
	}
	if id, _ := jobName(l.env); id != "" {
		j.Run = collect.Hash(fmt.Sprintf("%s %d", id, l.env.size))
	}
}

// jobName is what the launcher calls the job on all nodes alike, empty if that is not known; and
// the number of its command lines, -1 if unknown.
func jobName(e rankEnv) (name string, programs int) {
	if e.world != "" || e.step != "" {
		return e.world + " " + e.step, -1
	}
	if e.meeting != "" {
		return e.meeting, -1
	}
	// Hydra's proxies are told where the launcher listens. On its own node it is their parent.
	programs = -1
	self, err := collect.ReadProcStat(os.Getpid())
	if err != nil {
		return "", programs
	}
	for pid := self.Parent; pid > 1; {
		b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		args := strings.Split(string(b), "\x00")
		for i, a := range args {
			if a == "--control-port" && i+1 < len(args) && name == "" {
				name = args[i+1]
			}
		}
		st, err := collect.ReadProcStat(pid)
		if err != nil {
			break
		}
		if name != "" && (strings.HasPrefix(st.Comm, "mpiexec") || strings.HasPrefix(st.Comm, "mpirun")) {
			return name, commandLines(args)
		}
		pid = st.Parent
	}
	return name, programs
}

// commandLines counts the command lines that mpiexec was given, -1 if they are in a file.
func commandLines(args []string) int {
	n := 1
	for _, a := range args {
		switch a {
		case ":":
			n++
		case "-configfile", "--configfile":
			return -1
		}
	}
	return n
}
