package main

import (
	"fmt"
	"slices"
	"strings"
)

// A program that ignores the status of a receive with wildcards keeps to itself which message it
// got. The wrapper then passes a status of its own: see TB_F_IGNORED in capture/core/ring.h.

// wildcard is the C condition that a call takes any source or any tag, empty if it cannot.
func (f *Func) wildcard() string {
	source, tag := "", ""
	for _, p := range f.Params {
		switch {
		case slices.Contains(p.Sentinels, "MPI_ANY_SOURCE"):
			source = p.Name
		case slices.Contains(p.Sentinels, "MPI_ANY_TAG"):
			tag = p.Name
		}
	}
	if source == "" || tag == "" {
		return ""
	}
	return fmt.Sprintf("tb_is_wild(%s, %s)", source, tag)
}

// ignorable is the status, or the array of them, that a call may return to a program which wants
// it, nil if there is none.
func (f *Func) ignorable() *Param {
	for _, p := range f.Params {
		if p.Codec == "Status" && p.Out && !p.In {
			return p
		}
	}
	return nil
}

// makesRequest says that the outcome of the call is known later.
func (f *Func) makesRequest() bool {
	return slices.ContainsFunc(f.Params, func(p *Param) bool {
		return p.Class == "Request" && p.Out && p.Life == "New"
	})
}

// requests are those that a call completes, and how many there are.
func (f *Func) requests() (*Param, string) {
	if slices.Contains(f.Flags, "Completion") {
		for _, p := range f.Params {
			if p.Class == "Request" && p.In && p.Array {
				return p, f.Params[p.LenArg].Name
			}
			if p.Class == "Request" && p.In && p.Pointer {
				return p, "1"
			}
		}
	}
	return nil, ""
}

// followRequests emits, after the call, what notes which requests with wildcards there are, and which of those that
// fetch are complete.
func (w *wrapper) followRequests() {
	f := w.Func
	r, n := f.requests()
	switch wild := f.wildcard(); {
	case r != nil && f.ignorable() != nil:
		at := 0 // in words
		for i := range f.Slots[:f.NumIn] {
			s := &f.Slots[i]
			if s.Param == r.Index {
				break
			}
			at += s.words()
		}
		if r.Array {
			at++ // the number of elements
		}
		w.onExit("if (tb_unlikely(tb_wilds)) tb_wild_ends(&tb_c, %s, %s, %d);", r.Name, n, at)
		w.onExit("if (tb_unlikely(tb_payload_gets)) tb_payload_gets_end(&tb_c, %s, %s, %d);", r.Name, n, at)
	case wild != "" && f.makesRequest():
		for _, p := range f.Params {
			if p.Class == "Request" && p.Out {
				w.onExit("if (tb_unlikely(%s) && tb_has(&tb_c, %d)) tb_wild_begins(%s);", wild, p.Index, p.Name)
			}
		}
	}
}

// ownStatus emits, before the call, what passes a status of the wrapper's own.
func (w *wrapper) ownStatus() {
	f, p := w.Func, w.ignorable()
	wild := f.wildcard()
	if p == nil {
		return
	}
	if r, n := f.requests(); r != nil {
		wild = "tb_wilds"
		w.onEntry("int tb_wilds = tb_unlikely(tb_wild) && tb_wild_among(%s, %s);", r.Name, n)
	}
	if wild == "" {
		return
	}
	w.own = p
	ignores := fmt.Sprintf("%s && (uintptr_t)%s == tb_abi.%s", wild, p.Name, absentSentinels[p.ignoreConstant()])
	if p.Array {
		w.onEntry("void *tb_own = %s ? tb_own_statuses(&tb_c, %s) : NULL;", ignores, w.capacityOfStatuses(p))
		w.onEntry("if (tb_unlikely(tb_own != NULL)) %s = tb_own;", p.Name)
		return
	}
	w.onEntry("struct tb_status tb_kept;")
	w.onEntry("void *tb_own = %s ? tb_own_status(&tb_kept) : NULL;", ignores)
	w.onEntry("if (tb_unlikely(tb_own != NULL)) %s = tb_own;", p.Name)
}

func (p *Param) ignoreConstant() string {
	i := slices.IndexFunc(p.Sentinels, func(s string) bool { return strings.HasSuffix(s, "_IGNORE") })
	return p.Sentinels[i]
}

// capacityOfStatuses is for how many statuses there has to be room.
func (w *wrapper) capacityOfStatuses(p *Param) string {
	if p.LenRule == "LenOut" {
		return w.capacity(p)
	}
	return w.Func.Params[p.LenArg].Name
}

// putOwnStatus emits, after the call, what records it.
func (w *wrapper) putOwnStatus() {
	p := w.own
	if p == nil {
		return
	}
	cond := []string{"tb_own != NULL", "tb_r == 0"}
	if p.When >= 0 {
		flag := w.Func.Params[p.When].Name
		cond = append(cond, flag+" != NULL", "*"+flag)
	}
	put := fmt.Sprintf("tb_put_ignored(&tb_c, %s);", p.Name)
	if p.Array {
		i := slices.IndexFunc(w.Slots, func(s Slot) bool { return s.Out && s.Param == p.Index })
		put = fmt.Sprintf("tb_put_ignoreds(&tb_c, %s, %s);", p.Name, w.length(&w.Slots[i], p))
	}
	w.onExit("if (tb_unlikely(%s)) %s", strings.Join(cond, " && "), put)
}
