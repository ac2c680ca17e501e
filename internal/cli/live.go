package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/render"
)

// live is the flag of commands that can look at a job while it runs.
const live = "live"

// withLive gives a command that reads recordings the flag --live. With it FILE may be left out where it is the only
// argument.
func (a *app) withLive(cmd *cobra.Command) *cobra.Command {
	usage := "look at the job that is recording now, without stopping it"
	check, run := cmd.Args, cmd.RunE
	if _, names, _ := strings.Cut(cmd.Use, " "); names == "FILE" {
		usage += "; FILE may be left out if it is the only one"
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if a.live && len(args) == 0 {
				return nil
			}
			return check(cmd, args)
		}
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				file, err := onlyJob()
				if err != nil {
					return err
				}
				args = []string{file}
			}
			return run(cmd, args)
		}
	}
	cmd.Flags().BoolVar(&a.live, live, false, usage)
	return cmd
}

// onlyJob is the file of the job that is running.
func onlyJob() (string, error) {
	jobs := collect.Running()
	switch len(jobs) {
	case 0:
		return "", errors.New("this user records no job on this machine; to look at one of another machine, " +
			"name its FILE or run the command there")
	case 1:
		return jobs[0].Output, nil
	}
	return "", fmt.Errorf("several jobs are running, which one? Name its FILE:%s", jobList(jobs))
}

// jobList has a line for each job.
func jobList(jobs []collect.Leftover) string {
	var b strings.Builder
	for _, j := range jobs {
		fmt.Fprintf(&b, "\n  %s  since %s, %d processes here", j.Output, j.Created.Local().Format("15:04:05"),
			j.Processes)
	}
	return b.String()
}

// openLive opens a snapshot of the job that is recording to file. It returns nil if there is none but a
// recording, which is told.
func (a *app) openLive(file string) (*archive.Archive, error) {
	arch, err := collect.Live(file, a.remarks(file))
	begin := time.Now()
	for errors.Is(err, collect.ErrNotRunning) && collect.Claimed(file) && time.Since(begin) < collect.StartGrace {
		time.Sleep(20 * time.Millisecond) // it has begun just now, or ends
		arch, err = collect.Live(file, a.remarks(file))
	}
	if errors.Is(err, collect.ErrNotRunning) {
		if _, e := os.Stat(file); e == nil {
			a.remarks(file)("its job is not running: this is the recording of all of it")
			return nil, nil
		}
		if jobs := collect.Running(); len(jobs) > 0 {
			return nil, fmt.Errorf("%w; running are:%s", err, jobList(jobs))
		}
	}
	if err != nil {
		return nil, err
	}
	m := arch.Meta()
	at, _ := m.Snapshot()
	a.remarks(file)(fmt.Sprintf("a snapshot of the running job, %s after its start",
		render.Duration(at.Sub(m.Created).Round(time.Millisecond))))
	return arch, nil
}
