package cli

import (
	"fmt"
	"io"

	"tabard/trace"
)

// costInfo is the schema of `tabard info --cost --json`.
type costInfo struct {
	Schema string     `json:"schema"`
	File   string     `json:"file"`
	Bytes  byteCounts `json:"bytes"`
	Costs  []costRow  `json:"costs"`
}

// costRow is what some bytes of a file are for: Raw before compression, and
// Stored, estimated, in the file.
type costRow struct {
	Section string  `json:"section"`
	Kind    string  `json:"kind"`
	Name    string  `json:"name,omitempty"`
	Items   int     `json:"items"`
	Raw     int64   `json:"raw_bytes"`
	Stored  float64 `json:"stored_bytes"`
}

// cost prints what the bytes of an archive are for, the top dearest.
func (a *app) cost(archive *trace.Archive, top int, asJSON bool) error {
	costs, err := archive.Costs()
	if err != nil {
		return err
	}
	st := archive.Stats()
	info := &costInfo{Schema: "tabard.cost/1", File: archive.File(), Bytes: bytesOf(&st)}
	for _, c := range costs {
		info.Costs = append(info.Costs, costRow{c.Section, c.Kind, c.Name, c.Count, c.Bytes, c.Stored})
	}
	if asJSON {
		return a.printJSON(info)
	}
	return info.print(a.out, top)
}

func bytesOf(st *trace.Stats) byteCounts {
	return byteCounts{File: st.Total, Structure: st.Structure, Columns: st.Columns, Timing: st.Timing,
		Meta: st.Meta, Index: st.Index, Other: st.Other}
}

func (info *costInfo) print(out io.Writer, top int) error {
	w := &errWriter{w: out}
	b := &info.Bytes
	fmt.Fprintf(w, "%s: structure %s, columns %s, timing %s, run and index %s\n\n",
		byteSize(b.File), byteSize(b.Structure), byteSize(b.Columns), byteSize(b.Timing), byteSize(b.Meta+b.Index+b.Other))
	t := table(w)
	fmt.Fprintf(t, "stored\traw\titems\tsection\twhat\n")
	left, rest := len(info.Costs), 0.0
	for i, c := range info.Costs {
		if i >= top {
			rest += c.Stored
			continue
		}
		left--
		what := c.Kind
		if c.Name != "" {
			what += ": " + c.Name
		}
		fmt.Fprintf(t, "%.0f\t%d\t%d\t%s\t%s\n", c.Stored, c.Raw, c.Items, c.Section, what)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(w, "%.0f  in %s (--top N lists more)\n", rest, plural(uint64(left), "more row"))
	}
	return w.err
}
