package cli

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tabard-hpc/tabard/internal/render"
)

// Reference returns docs/commands.md: all commands and flags, made from the
// same definitions as the help.
func Reference() string {
	root := newRoot(&app{out: render.NewCleaner(io.Discard), err: render.NewCleaner(io.Discard)})
	var b strings.Builder
	b.WriteString("# Commands\n\n<!-- Generated from the definitions of the commands (internal/cli): make gen -->\n\n")
	b.WriteString(root.Long + "\n\n")
	b.WriteString("Data goes to the standard output, messages to the standard error. The exit code is 0, 1 if the\n" +
		"command failed or found something wrong, 2 if the command line was wrong; that of `tabard record` is the\n" +
		"program's. Objects of `--json` name their schema and its version; the JSON Schemas are in\n" +
		"[schema](schema). NO_COLOR is respected.\n\n")
	for _, c := range visible(root)[1:] {
		fmt.Fprintf(&b, "- [tabard %s](#tabard-%s): %s\n", c.Name(), c.Name(), lowerFirst(c.Short))
	}
	for _, c := range visible(root)[1:] {
		commandReference(&b, c)
	}
	return b.String()
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func commandReference(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## tabard %s\n\n    %s\n\n%s\n", c.Name(), c.UseLine(), paragraphs(longOf(c)))
	fmt.Fprintf(b, "\nExamples:\n\n%s\n", indent(c.Example))
	var rows []string
	mirrored := c.Name() == "record"
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			rows = append(rows, flagRow(f, mirrored))
		}
	})
	if len(rows) == 0 {
		return
	}
	if mirrored {
		b.WriteString("\n| Flag | Environment | Meaning |\n|---|---|---|\n")
	} else {
		b.WriteString("\n| Flag | Meaning |\n|---|---|\n")
	}
	b.WriteString(strings.Join(rows, ""))
}

func longOf(c *cobra.Command) string {
	if c.Long != "" {
		return c.Long
	}
	return c.Short + "."
}

// paragraphs makes indented lines of a help text code, which needs four spaces.
func paragraphs(s string) string {
	return regexp.MustCompile(`(?m)^  (\S)`).ReplaceAllString(s, "    $1")
}

func indent(s string) string {
	return regexp.MustCompile(`(?m)^ *`).ReplaceAllString(s, "    ")
}

func flagRow(f *pflag.Flag, mirrored bool) string {
	value, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value != "" {
		name += " " + value
	}
	usage = strings.ReplaceAll(usage, "\n", " ")
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "-1" && f.DefValue != "0" {
		usage += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	cells := []string{"`" + name + "`", usage}
	if mirrored {
		cells = []string{"`" + name + "`", "`" + envName(f.Name) + "`", usage}
	}
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}
