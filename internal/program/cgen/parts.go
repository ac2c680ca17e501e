package cgen

import (
	_ "embed"
	"strings"

	"github.com/tabard-hpc/tabard/internal/program/formula"
)

// A part is a piece of C that the program has if it is needed.
type part struct {
	name, text string
	needs      []string
}

var (
	//go:embed parts/helpers.c
	helperText string
	//go:embed parts/callbacks.c
	callbackText string
	//go:embed parts/frame.c
	frameText string
)

// helperParts are the helpers of programs, each after those that it needs; frames and callbacks are
// texts with places for what differs.
var (
	helperParts = append(readParts(formula.Functions), readParts(helperText)...)
	frames      = byName(readParts(frameText))
	callbacks   = byName(readParts(callbackText))
)

// readParts takes a file apart: a line that begins with four slashes has the name of a part, and
// what it needs.
func readParts(file string) (out []part) {
	for _, s := range strings.Split(file, "\n//// ")[1:] {
		head, text, _ := strings.Cut(s, "\n")
		name, needs, _ := strings.Cut(head, ":")
		out = append(out, part{name, text, strings.Fields(needs)})
	}
	return out
}

func byName(parts []part) map[string]string {
	out := map[string]string{}
	for _, p := range parts {
		out[p.name] = p.text
	}
	return out
}

// frame is a text with its places filled: names, without $, and what they stand for.
func frame(name string, places ...string) string {
	text := frames[name]
	for i := 0; i < len(places); i += 2 {
		text = strings.ReplaceAll(text, "$"+places[i], places[i+1])
	}
	return text
}

// helpers is the text of the helpers that are used.
func helpers(used map[string]bool) string {
	for i := len(helperParts) - 1; i >= 0; i-- {
		if used[helperParts[i].name] {
			for _, n := range helperParts[i].needs {
				used[n] = true
			}
		}
	}
	var b strings.Builder
	for _, p := range helperParts {
		if used[p.name] {
			b.WriteString(p.text + "\n")
		}
	}
	return b.String()
}
