package launch

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/tabard-hpc/tabard/internal/record/collect"
)

// Jobs that a recorded script starts have recordings of their own. A process whose launcher is not
// the one that was noted when the script began starts anew through `tabard __job`
// (capture/core/job.c), which is `tabard record` with the options of the script's recording.

// JobCommand is the hidden command of tabard whose arguments go to Join.
const JobCommand = "__job"

// Variables of the environment of what is recorded, beside those that capture names.
const (
	signatureVariable = "TABARD_JOB"    // of the launcher that was noted
	optionsVariable   = "TABARD_RECORD" // Options as JSON
	launchedVariable  = "TABARD_RANK"   // the process that is the rank, as ring.ProcessID
)

// signature tells the launchers apart that the environment of a rank names, empty if it names none: as signature in
// capture/core/job.c.
func signature(getenv func(string) string) string {
	for _, name := range []string{"PMIX_NAMESPACE", "PMI_PORT", "PALS_APID"} {
		if v := getenv(name); v != "" {
			return v
		}
	}
	if fd, err := strconv.Atoi(getenv("PMI_FD")); err == nil {
		var st syscall.Stat_t
		if syscall.Fstat(fd, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFSOCK {
			return fmt.Sprintf("socket %d", st.Ino)
		}
	}
	if job, step := getenv("SLURM_JOB_ID"), getenv("SLURM_STEP_ID"); job != "" && step != "" {
		return job + "." + step
	}
	if getenv("RANK") != "" && getenv("WORLD_SIZE") != "" {
		return meeting(getenv)
	}
	return ""
}

// forJobs are the options for jobs that the program starts, wherever it does.
func (o *Options) forJobs(output string) string {
	c := *o
	c.Output = output
	for _, dir := range []*string{&c.KeepRaw, &c.State} {
		if abs, err := filepath.Abs(*dir); err == nil && *dir != "" {
			*dir = abs
		}
	}
	b, err := json.Marshal(&c)
	if err != nil {
		return ""
	}
	return string(b)
}

// Join becomes the program of a rank that a recorded script started: args are "--", its path and its command;
// runtime is the library to preload. It only returns if that is impossible.
func Join(args []string, runtime []byte) int {
	if len(args) < 3 || args[0] != "--" {
		fmt.Fprintln(stderr, "tabard: "+JobCommand+" is for internal use: -- PATH PROGRAM [ARGS...]")
		return 2
	}
	o := new(Options)
	err := json.Unmarshal([]byte(os.Getenv(optionsVariable)), o)
	o.Command, o.Runtime = args[2:], runtime
	l := &launcher{o: o, env: readRankEnv(os.Getenv), environ: os.Environ(), err: stderr, path: args[1], joins: true}
	if isLauncher(filepath.Base(l.path)) { // it has what it inherited; its ranks will have their own
		return l.exec()
	}
	if err == nil {
		l.takeOver(os.Getenv("TABARD_DIR"))
		err = l.setUp()
	}
	if err != nil {
		l.environ = slicesWithout(l.environ, "TABARD_DIR=")
		l.tell("recording is off, %s runs without it: %v", o.Command[0], err)
	}
	return l.exec()
}

// takeOver tells the recording of the script in dir that its jobs have theirs, and gives up its place for them.
func (l *launcher) takeOver(dir string) {
	id, _ := jobIdentity(l.env)
	// What is replaced is what was there before the script, not what its first job has recorded.
	l.o.Force = collect.HandOver(dir, collect.Hash(id)) && l.o.Force
	wd, err := os.Getwd()
	if err != nil {
		return
	}
	if near, err := filepath.Rel(wd, l.o.Output); err == nil && !strings.HasPrefix(near, "..") {
		l.o.Output = near
	}
}
