package view

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/program/cgen"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/view/api"
)

// panels are what can be copied as a command: the command, and the flags that it takes besides the selection.
var panels = map[string][]string{
	"report": nil, "timeline": nil, "loops": nil, "waits": {"kind", "cause"}, "matrix": {"kind", "value", "bins"},
	"profile": {"by", "quantiles"}, "histogram": {"by"}, "messages": nil, "outliers": nil, "info": nil, "comms": nil,
	"diff": nil, "calls": {"thread", "from", "limit"}, "code": nil,
}

// narrow are the selections that commands take which do not take all.
var narrow = map[string][]string{
	"loops": {"rank", "function", "step_loop"}, "outliers": {"rank"}, "info": {}, "comms": {}, "calls": {"rank"},
	"code": {},
}

// command answers /api/command: the line that prints what a panel shows.
func command(q *question) (any, error) {
	panel := q.args.Get("panel")
	own, ok := panels[panel]
	if !ok {
		return nil, wrong("there is no panel %q", panel)
	}
	words := []string{"tabard", map[string]string{"calls": "dump", "comms": "info", "code": "proxy"}[panel]}
	if words[1] == "" {
		words[1] = panel
	}
	words = append(words, q.rec.whole.File())
	switch panel {
	case "comms":
		words = append(words, "--comms")
	case "code":
		words = append(words, "-o", "proxy.c")
	case "diff":
		if len(q.s.recordings) < 2 {
			return nil, absent("there is one recording only")
		}
		words = append(words[:2], q.s.recordings[0].whole.File(), q.s.recordings[1].whole.File())
	}
	for _, key := range own {
		switch v := q.args.Get(key); {
		case v == "" || key == "quantiles" && v != "1":
		case key == "quantiles":
			words = append(words, "--quantiles")
		default:
			words = append(words, "--"+key, v)
		}
	}
	for _, key := range selectionKeys {
		v := q.args.Get(key)
		if some, limited := narrow[panel]; v != "" && (!limited || slices.Contains(some, key)) {
			words = append(words, "--"+strings.ReplaceAll(key, "_", "-"), v)
		}
	}
	for i := range words {
		words[i] = render.ShellWord(words[i])
	}
	return &api.Command{Line: strings.Join(words, " ")}, nil
}

// maxCode is how long a program may be that is shown.
const maxCode = 4 << 20

var errCode = errors.New("the program is too long to be shown: tabard proxy writes it")

// bounded is a text of a bounded length.
type bounded struct{ bytes.Buffer }

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxCode {
		return 0, errCode
	}
	return b.Buffer.Write(p)
}

// code answers /api/code: the recording as a C program, or the loops in it with a number of iterations and the call
// of a function.
func code(q *question) (any, error) {
	times, err := q.number("times", 0, 0, 1<<62)
	if err != nil {
		return nil, err
	}
	name := q.args.Get("call")
	if _, err := selection.ParseFunctions(name); name != "" && err != nil {
		return nil, wrong("%v", err)
	}
	mpi, err := q.rec.whole.MPI()
	if err != nil {
		return nil, err
	}
	var text bounded
	base := strings.TrimSuffix(filepath.Base(q.rec.whole.File()), ".tabard")
	o := cgen.Options{File: filepath.Base(q.rec.whole.File()), Name: base + ".c"}
	if times > 0 {
		o.Loop = &cgen.Loop{Times: times, Call: name}
	}
	r, err := cgen.Generate(mpi, &text, o)
	if errors.Is(err, errCode) || errors.Is(err, cgen.ErrEmpty) {
		return nil, absent("%v", err)
	}
	if err != nil {
		return nil, absent("the recording cannot be written as a program: %v", err)
	}
	c := &api.Code{Title: "the whole program", Text: text.String(), Notes: append([]string{}, r.Notes...)}
	if len(r.Loops) > 0 {
		c.Title = fmt.Sprintf("the loop of %d iterations", times)
		c.Text = strings.Join(r.Loops, "\n")
	} else if times > 0 {
		c.Notes = append(c.Notes, "the program has no loop of so many iterations by itself: this is all of it")
	}
	c.Lines = strings.Count(c.Text, "\n")
	for _, s := range r.Skipped {
		c.Notes = append(c.Notes, fmt.Sprintf("left out: %s (%s)", s.Func, s.Reason))
	}
	return c, nil
}
