package collect

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
)

// What is said on standard error when the job has ended. The process of rank 0 says it, if it comes
// to its end in order. Otherwise, and if there was something to say later, the collector does.

// say prints what no process of the program has said. It is the last thing that a collector does.
func (c *collector) say(failed error) {
	defer c.console.close()
	if c.console < 0 {
		return
	}
	if text := c.unsaid(failed); text != "" {
		c.console.print(text + "\n")
	}
}

// unsaid is what there is to say in the end. If a process has said how the job ended when it left MPI_Finalize, that
// is what has gone wrong since.
func (c *collector) unsaid(failed error) string {
	text := ""
	var problems []string
	switch {
	case c.partFile() != "": // the collector of rank 0 says it
	case c.calls() > 0 && c.job.Taken: // another collector has it
	case failed != nil:
		text = notWritten(failed)
		problems = []string{text}
	case c.calls() > 0 || !c.job.Taken:
		text, problems = c.lines(), c.problems()
	case !c.passesOn && !c.job.Quiet: // jobs have said it
		text = render.OneLine("tabard: " + c.noCalls() + ": there is no recording of it")
	}
	if text == "" || c.control.Say() {
		return text
	}
	return strings.Join(slices.DeleteFunc(problems, func(p string) bool { return strings.Contains(c.told, p) }), "\n")
}

// tell is what a process says when it leaves MPI_Finalize.
func (c *collector) tell(text string) {
	c.told = text
	c.control.SetSummary(text)
}

func notWritten(err error) string {
	return render.OneLine("tabard: the recording is safe but could not be written: " + err.Error())
}

// calls counts those of the program that were recorded.
func (c *collector) calls() uint64 {
	n := uint64(0)
	for _, p := range c.order {
		n += p.calls()
	}
	return n
}

// lines are the summary and, on a line of its own each, what went wrong. With --quiet only that is left of them.
func (c *collector) lines() string {
	lines := c.problems()
	if !c.job.Quiet && c.job.Archive == "" {
		lines = slices.Insert(lines, 0, render.OneLine(c.summary()))
	}
	return strings.Join(lines, "\n")
}

// problems are lines about what went wrong: that the archive could not be put to its place, and what is missing.
func (c *collector) problems() []string {
	var lines []string
	if c.job.Archive != "" {
		lines = append(lines, render.OneLine(c.summary()))
	}
	if c.report.Incomplete != "" && c.partFile() == "" && !c.job.Shared {
		lines = append(lines, "tabard: "+render.OneLine(c.report.Incomplete))
	}
	if problem := c.cudaProblem(); problem != "" {
		lines = append(lines, "tabard: "+render.OneLine(problem))
	}
	if problem := c.rawProblem(); problem != "" {
		lines = append(lines, "tabard: "+render.OneLine(problem))
	}
	return lines
}

// rawProblem says why uncompressed records are missing that the user wanted to keep; empty if none are.
func (c *collector) rawProblem() string {
	for _, p := range c.order {
		for _, ch := range p.chains {
			if ch != nil && ch.raw != nil && ch.raw.err != nil {
				return fmt.Sprintf("not all uncompressed records are in %s: %v", c.job.KeepRaw, ch.raw.err)
			}
		}
	}
	return ""
}

// cudaProblem says why CUDA was not recorded although that was asked for; empty if it was, or if no process used it.
func (c *collector) cudaProblem() string {
	for _, p := range c.order {
		if why := p.syms.Info()["cuda_problem"]; why != "" {
			return "CUDA was not recorded: " + why
		}
	}
	return ""
}

// summary is the line at the end of the run.
func (c *collector) summary() string {
	shown := c.job.Output
	if c.job.Shown != "" { // as the user gave it, but for the number
		shown = filepath.Join(filepath.Dir(c.job.Shown), filepath.Base(c.job.Output))
	}
	var s string
	if c.report.Calls == 0 {
		s = "tabard: " + c.noCalls()
	} else {
		s = fmt.Sprintf("tabard: %s%s, %s in %s", render.Plural(uint64(c.report.Ranks), "rank"), c.outOf(),
			render.Plural(c.report.Calls, "call"), render.ByteSize(c.report.Bytes))
	}
	if c.report.In != nil && c.report.Calls > 0 {
		missed := c.report.NeverEntered
		if c.job.Shared { // others may have entered them
			missed = nil
		}
		s += ", " + archive.OnlyIn(c.report.In, missed)
	}
	if n := c.report.Abnormal; n > 0 {
		s += fmt.Sprintf(", %s did not terminate normally", render.Plural(uint64(n), "rank"))
	}
	if c.report.Lost > 0 {
		s += fmt.Sprintf(", %s lost", render.Plural(c.report.Lost, "call"))
	}
	if c.job.Archive != "" {
		return s + "; " + c.job.Problem + "; it is kept: free the place and run: tabard recover " +
			render.ShellWord(shown)
	}
	next := "report"
	if c.report.Calls == 0 { // info says why
		next = "info"
	}
	return s + "; next: tabard " + next + " " + render.ShellWord(shown)
}

// noCalls says why no call was recorded, as far as that can be known.
func (c *collector) noCalls() string {
	name, why, alone := "the program", "", true
	if len(c.job.Command) > 0 {
		name = filepath.Base(c.job.Command[0])
	}
	for _, p := range c.order {
		if p.reg != nil && !p.reg.Traced && p.reg.Reason != reasonNotSelected {
			why = p.reg.Reason
		}
		alone = alone && (p.reg == nil || p.reg.Rank < 0)
	}
	if kinds := c.control.Instead(); kinds != nil && why == "" && len(c.report.In) == 0 {
		return fmt.Sprintf("nothing was recorded: %s had no events of %s", name, strings.Join(kinds, ", "))
	}
	switch {
	case why != "":
	case len(c.report.NeverEntered) > 0 && len(c.report.NeverEntered) == len(c.report.In):
		why = "never entered " + archive.RegionList(c.report.In)
	case len(c.report.In) > 0:
		why = "made none in " + archive.RegionList(c.report.In)
	case slices.ContainsFunc(c.order, c.silent):
		why = "made none while tracing was on"
	case c.control.Initialized() > 0:
		why = "called MPI, but its records could not be stored"
	case c.control.Unseen() > 0:
		why = "has loaded an MPI library with dlopen; calls by addresses from dlsym cannot be recorded"
	case alone:
		why = archive.EndNoCall + " and started no MPI job that can be recorded"
	default:
		why = archive.EndNoCall
	}
	return fmt.Sprintf("no MPI call was recorded: %s %s", name, why)
}
