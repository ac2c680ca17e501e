package launch

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// rankEnv is what the environment tells of this process's place in the job
// before MPI is initialised. Numbers are -1 if unknown.
type rankEnv struct {
	rank, size, localRank, localSize int
	// world tells the MPI_COMM_WORLDs of a job apart.
	world string
	// step names the job where its scheduler does.
	step string
	// programs is how many command lines the job has, -1 if unknown.
	programs int
	// plain says that the rank is RANK of WORLD_SIZE: any program may have started it. meeting is where its ranks meet.
	plain   bool
	meeting string
}

// readRankEnv reads the variables that launchers set. This is all that is known of ranks that never call MPI, and what
// is known of others before they do. In this order:
//
//   - torchrun: RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE. First, as MPI or Slurm may have started torchrun.
//   - PMIx, Open MPI, MPICH's Hydra and its relatives
//   - Slurm
//   - any launcher that sets RANK and WORLD_SIZE alone
func readRankEnv(getenv func(string) string) rankEnv {
	num := func(names ...string) int {
		for _, n := range names {
			if v, err := strconv.Atoi(getenv(n)); err == nil && v >= 0 {
				return v
			}
		}
		return -1
	}
	e := rankEnv{
		rank: num("PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PALS_RANKID"),
		size: num("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "PALS_NRANKS"),
		localRank: num(
			"OMPI_COMM_WORLD_LOCAL_RANK",
			"MPI_LOCALRANKID",
			"MV2_COMM_WORLD_LOCAL_RANK",
			"PALS_LOCAL_RANKID",
		),
		programs:  num("OMPI_NUM_APP_CTX"),
		localSize: num("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE", "PALS_LOCAL_SIZE"),
		world:     getenv("PMIX_NAMESPACE"),
	}
	if job, step := getenv("SLURM_JOB_ID"), getenv("SLURM_STEP_ID"); job != "" && step != "" {
		e.step = job + "." + step
		if e.rank < 0 {
			e.rank, e.size = num("SLURM_PROCID"), num("SLURM_STEP_NUM_TASKS")
		}
		if e.localRank < 0 {
			e.localRank = num("SLURM_LOCALID")
		}
		if e.localSize < 0 && e.size >= 0 {
			e.localSize = slurmLocal(getenv("SLURM_STEP_TASKS_PER_NODE"), num("SLURM_NODEID"))
		}
	}
	rank, size, local := num("RANK"), num("WORLD_SIZE"), num("LOCAL_RANK")
	if rank >= 0 && size > rank && (local >= 0 || e.rank < 0) {
		e.rank, e.size, e.localRank, e.localSize, e.plain = rank, size, local, num("LOCAL_WORLD_SIZE"), true
		e.meeting = meeting(getenv)
		if e.localSize < 0 && isLocal(getenv("MASTER_ADDR")) {
			e.localSize = size
		}
	}
	return e
}

// meeting names the ranks of RANK and WORLD_SIZE that belong together, on all nodes alike: as in signature of
// capture/core/job.c.
func meeting(getenv func(string) string) string {
	return fmt.Sprintf("ranks %s %s %s %s", getenv("TORCHELASTIC_RUN_ID"), getenv("MASTER_ADDR"), getenv("MASTER_PORT"),
		getenv("WORLD_SIZE"))
}

// isLocal says that ranks which meet at an address are all on this machine. Those that have none are.
func isLocal(address string) bool {
	return address == "" || address == "localhost" || address == "::1" || strings.HasPrefix(address, "127.")
}

// launcher finds the process on this machine that started the ranks, 0 if it is not known.
func (e rankEnv) launcher() (pid int, start uint64) {
	pid, start = launcherOf(os.Getppid())
	if pid > 0 || !e.plain {
		return pid, start
	}
	return starterOf(os.Getppid())
}

// starterOf finds the first of pid and its ancestors that is not this rank itself, by the variables that tell the rank.
func starterOf(pid int) (starter int, start uint64) {
	for range 64 {
		st, err := collect.ReadProcStat(pid)
		if err != nil {
			break
		}
		starter, start = pid, st.Start
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		has := strings.Split(string(env), "\x00")
		for _, name := range []string{"RANK", "WORLD_SIZE", "LOCAL_RANK"} {
			if v, set := os.LookupEnv(name); set && !slices.Contains(has, name+"="+v) {
				return starter, start
			}
		}
		if pid = st.Parent; pid <= 1 || err != nil {
			break
		}
	}
	return starter, start
}

// slurmLocal reads Slurm's list of tasks per node, such as "2(x3),1".
func slurmLocal(list string, node int) int {
	for _, part := range strings.Split(list, ",") {
		count, times, repeated := strings.Cut(part, "(x")
		n, err := strconv.Atoi(count)
		k := 1
		if repeated {
			k, _ = strconv.Atoi(strings.TrimSuffix(times, ")"))
		}
		if err != nil || node < 0 || k < 1 {
			return -1
		}
		if node < k {
			return n
		}
		node -= k
	}
	return -1
}

// launchers are the names of processes that start the ranks of a job on a node, as the
// kernel shows them: cut at 15 characters.
var launchers = []string{
	"mpirun",
	"mpiexec",
	"orterun",
	"prterun",
	"orted",
	"prted",
	"hydra_pmi_proxy",
	"pmi_proxy",
	"slurmstepd",
	"palsd",
	"jsrun",
}

// daemons are launchers that others start on the nodes of a job.
var daemons = []string{"orted", "prted", "hydra_pmi_proxy", "pmi_proxy", "slurmstepd", "palsd"}

func isLauncher(comm string) bool {
	for _, l := range launchers {
		if comm == l || strings.HasPrefix(comm, l+".") || strings.HasPrefix(comm, l+"-") {
			return true
		}
	}
	return false
}

// jobIdentity names the job of this process: equal for the ranks of one job on a node, different
// for any other job. alone says that nobody started this process as one of several.
func jobIdentity(e rankEnv) (identity string, alone bool) {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	id := strings.TrimSpace(string(boot)) + " " + e.step
	self, err := collect.ReadProcStat(os.Getpid())
	if err != nil {
		return id + " " + e.world + " " + strconv.Itoa(os.Getpid()), false
	}
	if pid, start := launcherOf(self.Parent); pid > 0 {
		// The launcher's own life is what cannot repeat: its job numbers do.
		return id + " " + strconv.Itoa(pid) + " " + strconv.FormatUint(start, 10), false
	}
	if e.world != "" || e.step != "" {
		return id + " " + e.world, false
	}
	if e.plain {
		pid, start := starterOf(self.Parent)
		return fmt.Sprintf("%s %s %d %d", id, e.meeting, pid, start), false
	}
	return id + " " + strconv.Itoa(os.Getpid()) + " " + strconv.FormatUint(self.Start, 10), e.rank < 0
}

// launcherOf finds the launcher among pid and its ancestors, 0 if there is none on this machine. Of launchers that
// start each other it is the first: MPICH's has a process for each group of ranks that is spawned.
func launcherOf(pid int) (launcher int, start uint64) {
	for range 64 {
		st, err := collect.ReadProcStat(pid)
		if pid <= 1 || err != nil {
			break
		}
		if isLauncher(st.Comm) {
			launcher, start = pid, st.Start
		} else if launcher > 0 {
			break
		}
		pid = st.Parent
	}
	return launcher, start
}

// console is where the collector says what no rank lives to say, -1 for nowhere: standard error of
// the launcher that the user started, or of a program without one. It is never what a rank writes
// to, as launchers wait until nobody has that open.
func console() int {
	pid, start := readRankEnv(os.Getenv).launcher()
	if pid == 0 {
		if place := PlaceOf(); !place.Alone {
			return -1
		}
		pid = os.Getpid()
	}
	if st, err := collect.ReadProcStat(pid); err != nil || slices.Contains(daemons, st.Comm) {
		return -1
	}
	return collect.OpenConsole(ring.ProcessID{PID: pid, Start: start})
}
