package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tabard-hpc/tabard/internal/suggest"
)

// choice is a flag with a fixed set of values.
type choice struct {
	value   string
	allowed []string
}

// Set accepts one of the allowed values.
func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		msg := fmt.Sprintf("want one of %s", strings.Join(c.allowed, ", "))
		if best := suggest.Closest(s, c.allowed, 1); len(best) > 0 {
			msg = fmt.Sprintf("did you mean %s? (%s)", best[0], msg)
		}
		return fmt.Errorf("%s", msg)
	}
	c.value = s
	return nil
}

// String returns the current value.
func (c *choice) String() string { return c.value }

// Type is what help prints as the flag's argument.
func (c *choice) Type() string { return strings.Join(c.allowed, "|") }

// addChoice defines a flag that takes one of allowed; the first is the default.
func addChoice(cmd *cobra.Command, name, usage string, allowed ...string) *choice {
	c := &choice{allowed[0], allowed}
	cmd.Flags().Var(c, name, usage)
	must(cmd.RegisterFlagCompletionFunc(name, fixed(allowed...)))
	return c
}

// fixed completes one of some values.
func fixed(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// must passes over what cannot happen: the flag that is spoken of was defined just before.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// envName is the environment variable that mirrors a flag.
func envName(flag string) string {
	return "TABARD_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// applyEnv sets the flags that the command line leaves open from the
// environment: job scripts cannot always change a command line. An empty
// variable counts as unset.
func applyEnv(flags *pflag.FlagSet, getenv func(string) string) error {
	var err error
	flags.VisitAll(func(f *pflag.Flag) {
		if err != nil || f.Changed || f.Name == "help" {
			return
		}
		v := getenv(envName(f.Name))
		if v == "" {
			return
		}
		if e := flags.Set(f.Name, v); e != nil {
			err = usagef("environment variable %s=%s: %v", envName(f.Name), v, reason(e))
		}
	})
	return err
}

// reason strips the parser's introduction, which names the flag, from an error about a value. Flags of the
// parser's own types say what they take instead of how reading it went wrong.
func reason(err error) error {
	e, ok := err.(*pflag.InvalidValueError)
	if !ok {
		return err
	}
	if what := taken[e.GetFlag().Value.Type()]; what != "" {
		return errors.New("it takes " + what)
	}
	return e.Unwrap()
}

// taken is what flags of the parser's types take.
var taken = map[string]string{
	"bool":     "true or false",
	"int":      "a whole number",
	"int64":    "a whole number",
	"uint32":   fmt.Sprintf("a whole number from 0 to %d", uint32(math.MaxUint32)),
	"uint64":   "a whole number, 0 or more",
	"float64":  "a number",
	"duration": "a time such as 500ms, 30s or 5m",
}

var getenv = os.Getenv

// atLeast is the error for a number that is too small.
func atLeast(flag string, n, least int) error {
	if n < least {
		return usagef("--%s %d is less than %d", flag, n, least)
	}
	return nil
}

// notNegative is the error for a negative number.
func notNegative(flag string, n int64) error {
	if n < 0 {
		return usagef("--%s %d is negative", flag, n)
	}
	return nil
}
