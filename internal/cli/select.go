package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/selection"
)

// selectFlags are the flags that all analyses share: which calls they are about, and
// the form of the output.
type selectFlags struct {
	flags selection.Flags
	json  bool
}

// selectHelp explains them.
const selectHelp = `Select calls with:

  --rank      ranks: 0,4-7
  --function  names (MPI_Send or send), patterns (MPI_I*) and groups (those of tabard
              record; also p2p, coll and wait)
  --comm      communicators, by number or name as tabard info --comms shows them
  --time      calls in progress in a window: FROM..TO or FROM+LENGTH, since the start of
              the recording (1.5s, 20ms) or in percent (10%..30%)
  --in        calls made in a region of the program (docs/regions.md) or in one of its
              functions, if they were recorded, or in nested ones, the outermost first:
              step/exchange
  --steps     iterations of the time-step loop, from 0: 7, 10-19, 100-. "tabard loops"
              shows that loop, --step-loop selects another. If the program marks its
              steps as regions, steps are these regions.`

// add defines the flags of a selection for a command that prints JSON of a schema. It
// is called once all other flags are there, so that they come last in the help.
func (f *selectFlags) add(cmd *cobra.Command, schema string) {
	f.addSelection(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON (schema "+schema+")")
}

// addSelection defines the flags of a selection for a command that prints nothing.
func (f *selectFlags) addSelection(cmd *cobra.Command) {
	fl := cmd.Flags()
	value := func(text *string, list bool, kind string, check func(string) error) *selectValue {
		return &selectValue{text, list, kind, check}
	}
	fl.Var(value(&f.flags.Ranks, true, "LIST", parsed(selection.ParseRanks)), "rank", "these ranks only, e.g. 0,4-7")
	fl.Var(value(&f.flags.Functions, true, "LIST", parsed(selection.ParseFunctions)), "function",
		"these functions and groups only, e.g. p2p,MPI_Allreduce")
	fl.Var(value(&f.flags.Comms, true, "LIST", parsed(selection.ParseComms)), "comm",
		"calls on these communicators only, e.g. MPI_COMM_WORLD,3")
	fl.Var(value(&f.flags.Time, false, "WINDOW", parsed(selection.ParseWindow)), "time",
		"this window of time only, e.g. 1.5s..2s or 10%..30%")
	fl.Var(value(&f.flags.In, false, "REGION", parsed(selection.ParseWithin)), "in",
		"calls in this region or function only, e.g. solve or step/exchange")
	fl.Var(value(&f.flags.Steps, false, "STEPS", parsed(selection.ParseSteps)), "steps",
		"these time steps only, e.g. 10-19")
	addStepLoop(fl, &f.flags.StepLoop)
	must(cmd.RegisterFlagCompletionFunc("function", completeFunctions))
}

// addStepLoop defines the flag that names the time-step loop.
func addStepLoop(fl *pflag.FlagSet, text *string) {
	fl.Var(&selectValue{text, false, "LOOP", parsed(loops.ParseStepLoop)}, "step-loop",
		"what a time step is: a loop by its iterations or a line in it, or a region: 100, solve.c:41, step "+
			"(default: found)")
}

func parsed[T any](parse func(string) (T, error)) func(string) error {
	return func(s string) error {
		_, err := parse(s)
		return err
	}
}

// selectValue is a flag that is checked when it is given; a list may be given in parts.
type selectValue struct {
	text  *string
	list  bool
	kind  string
	check func(string) error
}

// Set checks a value and keeps it.
func (v *selectValue) Set(s string) error {
	if err := v.check(s); err != nil {
		return err
	}
	if v.list && *v.text != "" {
		s = *v.text + "," + s
	}
	*v.text = s
	return nil
}

// String returns the value as given.
func (v *selectValue) String() string { return *v.text }

// Type is what help prints as the flag's argument.
func (v *selectValue) Type() string { return v.kind }
