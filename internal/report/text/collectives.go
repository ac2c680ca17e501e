package text

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Collectives prints places that do by messages what a collective does.
func Collectives(w io.Writer, d *report.Collectives, limit int) {
	if d.LeftOut > 0 {
		render.Printf(
			w,
			"%s of %s were not looked at: there are too many\n\n",
			count(d.LeftOut),
			plural(d.Messages, "message"),
		)
	}
	if len(d.Findings) == 0 {
		render.Printf(w, "%s: no collective is made of messages here\n", plural(d.Messages, "message"))
		return
	}
	n := limited(len(d.Findings), limit)
	for i := range d.Findings[:n] {
		collective(w, &d.Findings[i])
	}
	restOf(w, n, len(d.Findings))
	if !d.Contents {
		fmt.Fprintln(w, "The recording has no contents, which would prove more: tabard record --payload")
	}
}

func collective(w io.Writer, f *report.ManualCollective) {
	grade := f.Grade
	if f.Proven > 0 && f.Proven < f.Instances {
		grade = fmt.Sprintf("proven by contents for %s of %s", count(f.Proven), count(f.Instances))
	}
	render.Printf(w, "%s, %s: %s instead\n", f.Operation, grade, collectiveCall(f))
	render.Printf(w, "  ranks      %s of %s\n", collectiveSets(f), cmp.Or(f.Comm, "communicators of their own"))
	if f.Topology != "" {
		render.Printf(w, "  topology   %s: %s\n", f.Topology, f.Make)
	}
	switch {
	case len(f.Roots) == 1:
		render.Printf(w, "  root       %s\n", ordinal(f.Roots[0], len(f.Sets)))
	case f.RootRule != "":
		render.Printf(w, "  root       %s of each set, in instance k\n", f.RootRule)
	case len(f.Roots) > 1:
		render.Printf(w, "  root       changes: %s of each set\n", strings.Trim(fmt.Sprint(f.Roots), "[]"))
	}
	render.Printf(w, "  instances  %s of up to %s\n", count(f.Instances), byteSize(f.Bytes))
	render.Printf(
		w,
		"  algorithm  %s: %s, %d one after the other\n",
		f.Algorithm,
		plural(uint64(f.Messages), "message"),
		f.Steps,
	)
	for _, list := range []struct {
		name  string
		lines []string
	}{{"part", f.Parts}, {"sent", f.Sends}, {"received", f.Receives}, {"missing", f.Missing},
		{"unproven", f.Unproven}, {"against", f.Against}} {
		for _, l := range list.lines {
			render.Printf(w, "  %-10s %s\n", list.name, l)
		}
	}
	collectiveGain(w, f)
	fmt.Fprintln(w)
}

// collectiveGain is what a replacement gains: measured, and on paper.
func collectiveGain(w io.Writer, f *report.ManualCollective) {
	if t := f.Trial; t != nil && t.Why != "" {
		render.Printf(w, "  measured   not: %s\n", t.Why)
	} else if t != nil {
		render.Printf(w, "  measured   %s as it is made, %s by %s; %d rounds on %s with %s\n", collectiveSpread(t.Made),
			collectiveSpread(t.Library), f.Call, t.Rounds, t.Host, plural(uint64(t.Cores), "core"))
		kept := "ranks, sizes, modes and order of the calls; the recording has no times of what is computed between them"
		if t.Gaps {
			kept = fmt.Sprintf("ranks, sizes, modes and order of the calls, and up to %s of computing between them",
				shortTime(t.Computed))
		}
		render.Printf(w, "  kept       %s\n", kept)
		text := "by the medians"
		if !t.Certain {
			text += "; not certain, as the quartiles overlap"
		}
		render.Printf(w, "  gain       %s of %s in all instances, %s\n", shortTime(t.Gain),
			shortTime(t.Made.Median*float64(f.Instances)/float64(max(len(f.Sets), 1))), text)
	}
	if e := f.Estimate; e != nil {
		render.Printf(w, "  on paper   %s as it is made, %s by a library: LogGP with L=%s, o=%s, G=%.2g ns a byte\n",
			shortTime(e.Made), shortTime(e.Library), shortTime(e.Latency), shortTime(e.Overhead), 1e9*e.Byte)
	}
}

func collectiveSpread(s report.Quartiles) string {
	return fmt.Sprintf("%s (%s to %s)", shortTime(s.Median), shortTime(s.Low), shortTime(s.High))
}

// shortTime is a time that is given in seconds.
func shortTime(seconds float64) string {
	return render.Duration(time.Duration(math.Round(seconds * 1e9)))
}

// collectiveCall is the call as source code; of what only the program knows stands the parameter's name.
func collectiveCall(f *report.ManualCollective) string {
	comm := f.Comm
	if strings.Contains(f.Make, "&grid") {
		comm = "grid"
	} else if strings.Contains(f.Make, "&graph") {
		comm = "graph"
	} else if f.Topology != "" {
		comm = "comm_dist_graph"
	} else if f.Comm == "" {
		comm = "its communicator"
	} else if len(f.Sets) > 1 {
		comm = "a communicator for each set"
	} else if f.Subset {
		comm = "a communicator of these ranks"
	} else if comm == "world" {
		comm = mpi.CommWorld
	}
	fn := spec.ByName(f.Call)
	if fn == nil {
		return f.Call
	}
	var args []string
	for i, p := range fn.Params {
		switch {
		case f.Arguments[p.Name] != "":
			args = append(args, f.Arguments[p.Name])
		case i == len(fn.Params)-1:
			args = append(args, comm)
		case p.Name == "root" && len(f.Roots) == 1:
			args = append(args, fmt.Sprint(f.Roots[0]))
		case p.Name == "op" && f.Op != "":
			args = append(args, f.Op)
		case strings.HasSuffix(p.Name, "count") && f.Count > 0 && fn.Data != spec.DataReducedParts:
			args = append(args, fmt.Sprint(f.Count))
		case p.Codec == spec.Handle && p.Class == spec.Type && f.Datatype != "":
			args = append(args, f.Datatype)
		default:
			args = append(args, p.Name)
		}
	}
	return f.Call + "(" + strings.Join(args, ", ") + ")"
}

func collectiveSets(f *report.ManualCollective) string {
	switch {
	case len(f.Sets) == 1:
		return f.Sets[0]
	case f.SetsRule != "":
		return fmt.Sprintf("%d sets: %s", len(f.Sets), f.SetsRule)
	}
	n := min(len(f.Sets), 4)
	text := fmt.Sprintf("%d sets: %s", len(f.Sets), strings.Join(f.Sets[:n], "; "))
	if n < len(f.Sets) {
		text += " ..."
	}
	return text
}

func ordinal(i, sets int) string {
	if sets > 1 {
		return fmt.Sprintf("%d of each set", i)
	}
	return fmt.Sprint(i, " of the set")
}
