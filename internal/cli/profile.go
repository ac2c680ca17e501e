package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/analysis/regions"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
	"github.com/tabard-hpc/tabard/internal/suggest"
)

const profileLong = `Show how many calls were made, how much data they moved and how long they took: by
function and call site, or by what --by says: function, site, comm, rank, or several of them.

--by region shows the parts of the program that it names itself instead: how often each was
entered, the calls in it, its time and how much of that is in calls, for all ranks together
and for the rank that took longest. docs/regions.md says how to name parts.

Bytes are those that calls send, put, get, write or read: messages count where they are
sent, collectives by what the process itself contributes. Times come from the sums that
are stored with the time stamps; a maximum marked with ~ may be up to an eighth too large.
SHARE is of the time from the first to the last call, of all ranks, or with --by rank of the rank.
--quantiles reads every time stamp and gives exact extremes and quantiles, which are
off by at most 1.6 %.

Counts and bytes come from the compressed structure: how long that takes does not
depend on the number of calls.

`

// profileFlags are the flags of `tabard profile`.
type profileFlags struct {
	selectFlags
	by        []string
	top       int
	quantiles bool
	untimed   bool
	regions   bool // --by region
}

var _ = reading(40, Bound{Memory: 1e9, Seconds: 60}, profileCommand)

func profileCommand(a *app) *cobra.Command {
	f := &profileFlags{}
	cmd := &cobra.Command{
		Use:   "profile FILE",
		Short: "Show calls, bytes and times by function, call site, communicator or rank",
		Long:  profileLong + selectHelp,
		Example: `  tabard profile app.tabard
  tabard profile app.tabard --by function
  tabard profile app.tabard --by rank --function coll
  tabard profile app.tabard --by region
  tabard profile app.tabard --by function,comm --quantiles
  tabard profile app.tabard --json | jq '.rows[0]'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.by, "by", []string{"site"}, "tell rows apart by `KEYS`: function, site, comm, rank; or region")
	fl.IntVar(&f.top, "top", 20, "show the first `N` rows, 0 for all")
	fl.BoolVar(&f.quantiles, "quantiles", false, "read every time stamp and show minimum, median and further quantiles")
	fl.BoolVar(&f.untimed, "no-times", false, "leave times out, and sort by calls")
	f.add(cmd, report.ProfileSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		o, err := f.options()
		if err != nil {
			return err
		}
		reads := a.readsCalls
		if f.regions {
			reads = a.reads
		}
		return reads(args[0], func(arch *archive.Archive) error { return f.run(a, arch, o) })
	}
	return a.withLive(cmd)
}

// options checks the flags.
func (f *profileFlags) options() (o profile.Options, err error) {
	for _, key := range f.by {
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "function", "func":
			o.By.Func = true
		case "site", "callsite":
			o.By.Func, o.By.Site = true, true
		case "comm", "communicator":
			o.By.Comm = true
		case "rank":
			o.By.Rank = true
		case "region":
			f.regions = true
		default:
			msg := fmt.Sprintf("--by %s: want function, site, comm, rank or several of them, or region", key)
			if best := suggest.Closest(key, []string{"function", "site", "comm", "rank", "region"}, 1); len(best) > 0 {
				msg += fmt.Sprintf("; did you mean %s?", best[0])
			}
			return o, usagef("%s", msg)
		}
	}
	if f.regions && len(f.by) > 1 {
		return o, usagef("--by region goes with no other: regions are told apart by where they lie")
	}
	if f.regions && (f.quantiles || f.untimed) {
		return o, usagef("--by region goes without --quantiles and --no-times")
	}
	if err := notNegative("top", int64(f.top)); err != nil {
		return o, err
	}
	if f.quantiles && f.untimed {
		return o, usagef("--quantiles and --no-times do not go together")
	}
	o.Timing = profile.Summary
	switch {
	case f.quantiles:
		o.Timing = profile.Exact
	case f.untimed:
		o.Timing = profile.None
	}
	return o, nil
}

func (f *profileFlags) run(a *app, arch *archive.Archive, o profile.Options) error {
	chosen, err := report.Resolve(arch, f.flags)
	if err != nil {
		return err
	}
	done := report.Meter(a.meter).Reading(chosen)
	if f.regions {
		r, err := regions.Of(chosen)
		done()
		if err != nil {
			return err
		}
		return a.print(answer{json: f.json, document: func() any { return report.NewRegions(arch, f.flags, r) },
			text: func(w io.Writer) error { return text.Regions(w, arch, r, f.top) }})
	}
	p, err := profile.Of(chosen, o)
	done()
	if err != nil {
		return err
	}
	return a.print(answer{json: f.json,
		document: func() any { return report.NewProfile(arch, f.flags, f.by, o, p) },
		text:     func(w io.Writer) error { return text.Profile(w, o, p, f.top) }})
}
