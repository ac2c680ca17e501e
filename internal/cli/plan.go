package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sort"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/functions/plan"
	"github.com/tabard-hpc/tabard/internal/render"
)

const planLong = `Show which functions "tabard record --functions" can record of a program, and which
not, with the reason. Nothing is run.

Functions without a name, of libraries that are stripped, are counted like others.`

// planFlags are the flags of `tabard plan`.
type planFlags struct {
	functions string
	refused   bool
}

var _ = command(12, planCommand)

func planCommand(a *app) *cobra.Command {
	f := &planFlags{}
	cmd := &cobra.Command{
		Use:   "plan [flags] PROGRAM",
		Short: "Show which functions of a program can be recorded",
		Long:  planLong,
		Example: `  tabard plan ./app
  tabard plan --functions=all --refused ./app`,
		Args: exactArgs("PROGRAM"),
	}
	fl := cmd.Flags()
	fl.StringVar(&f.functions, "functions", "main", "main, mpi-callers, all, or a `LIST`, as for record")
	fl.BoolVar(&f.refused, "refused", false, "name every function that cannot be recorded")
	must(cmd.RegisterFlagCompletionFunc("functions", fixed("main", "mpi-callers", "all")))
	cmd.RunE = func(_ *cobra.Command, args []string) error { return f.run(a, args[0]) }
	return cmd
}

func (f *planFlags) run(a *app, program string) error {
	list, err := plan.ParseList(f.functions)
	if err != nil {
		return usagef("%v", err)
	}
	if list == nil {
		return usagef("--functions is empty: use main, all, or a list")
	}
	if err := plan.Possible(program); err != nil {
		return err
	}
	plans, problems := plan.Program(program, os.Environ(), list)
	for _, p := range plans {
		f.show(a.out, p)
	}
	for _, p := range problems {
		fmt.Fprintf(a.err, "tabard: %s\n", render.OneLine(p.Error()))
	}
	if len(plans) == 0 {
		return fmt.Errorf("%s has no function that --functions=%s names and that can be recorded", program, f.functions)
	}
	return nil
}

func (f *planFlags) show(w io.Writer, p *plan.Plan) {
	traced, _ := p.Count()
	fmt.Fprintf(w, "%s: %d functions\n", render.OneLine(p.Path), traced)
	why := map[string][]string{}
	for i := range p.Functions {
		if fn := &p.Functions[i]; fn.Refused != "" {
			why[fn.Refused] = append(why[fn.Refused], fn.String())
		}
	}
	reasons := make([]string, 0, len(why))
	for r := range why {
		reasons = append(reasons, r)
	}
	sort.Strings(reasons)
	for _, r := range reasons {
		fmt.Fprintf(w, "  %d not: %s\n", len(why[r]), r)
		slices.Sort(why[r])
		for _, name := range why[r] {
			if f.refused {
				fmt.Fprintf(w, "    %s\n", render.OneLine(name))
			}
		}
	}
}
