package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tabard-hpc/tabard/internal/suggest"
)

// Exit codes of tabard's own commands. `tabard record` ends as the program
// does, because it becomes the program.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// usageError is a mistake in the command line or in the environment variables
// that mirror it.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// exitCode ends a command with a code of its own, after whatever there was
// to say was said.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// errReported ends a command with exitFailure whose output already says what
// is wrong (differences found, a check that failed).
var errReported = errors.New("reported")

// flagError turns the parser's errors into usage errors that say what a flag
// takes, or name the flag that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return usagef("--%s=%s: %v", bad.GetFlag().Name, bad.GetValue(), reason(bad))
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usagef("%v", err)
	}
	if unknown.GetSpecifiedShortnames() != "" {
		return usagef("unknown flag -%s", unknown.GetSpecifiedName())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	msg := fmt.Sprintf("unknown flag --%s", unknown.GetSpecifiedName())
	if best := suggest.Closest(unknown.GetSpecifiedName(), names, 1); len(best) > 0 {
		msg += fmt.Sprintf("; did you mean --%s?", best[0])
	} else if owner := flagOwner(cmd, unknown.GetSpecifiedName()); owner != "" {
		msg += fmt.Sprintf("; it belongs to 'tabard %s'", owner)
	}
	return &usageError{msg}
}

// flagOwner names another command that has the flag, or "".
func flagOwner(cmd *cobra.Command, flag string) string {
	for _, c := range cmd.Root().Commands() {
		if c != cmd && !c.Hidden && c.Flags().Lookup(flag) != nil {
			return c.Name()
		}
	}
	return ""
}

// unknownCommand explains an argument that names no command.
func unknownCommand(root *cobra.Command, arg string) error {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	names = append(names, "help")
	msg := fmt.Sprintf("unknown command %q", arg)
	best := suggest.Closest(arg, names, 3)
	switch {
	case strings.HasSuffix(arg, ".tabard"):
		msg += fmt.Sprintf("; did you mean 'tabard info %s'?", arg)
	case len(best) > 0:
		msg += fmt.Sprintf("; did you mean '%s'?", strings.Join(best, "' or '"))
	case strings.ContainsRune(arg, '/'):
		msg += fmt.Sprintf("; did you mean 'tabard record %s'?", arg)
	}
	return &usageError{msg}
}

// atLeastOne demands an argument with a name, and takes more.
func atLeastOne(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s is missing; use: %s", name, cmd.UseLine())
		}
		return nil
	}
}

// exactArgs demands the named arguments, and says which one is missing.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return usagef("%s is missing; use: %s", names[len(args)], cmd.UseLine())
		}
		if len(args) > len(names) {
			return usagef("unexpected argument %q; use: %s", args[len(names)], cmd.UseLine())
		}
		return nil
	}
}
