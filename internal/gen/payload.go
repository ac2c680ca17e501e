package main

import (
	"fmt"
	"slices"
	"strings"
)

// What a call sends is said before it, by statements of its wrapper (capture/mpi/payload.c).

// payload is the statement for the data that a call sends, empty if it sends none.
func (w *wrapper) payload() string {
	switch {
	case w.Category == "start":
		requests, n := "request", "1"
		if w.param("array_of_requests") != nil {
			requests, n = "array_of_requests", "count"
		}
		return w.whenWanted("tb_payloads_kept", "tb_payload_start(%s, %s, TB_CALLER);", requests, n)
	case strings.HasPrefix(w.Name, "MPI_Pready"):
		first, last, list := "partition", "partition", "NULL"
		if w.param("partition_low") != nil {
			first, last = "partition_low", "partition_high"
		} else if w.param("array_of_partitions") != nil {
			first, last, list = "0", "length - 1", "array_of_partitions"
		}
		return w.whenWanted("tb_payloads_kept", "tb_payload_ready(request, %s, %s, %s, TB_CALLER);", first, last, list)
	case w.Name == "MPI_Request_free":
		return "if (tb_unlikely(tb_payloads_kept)) tb_payload_forget(request);"
	case w.Name == "MPI_Type_free":
		return "if (tb_unlikely(tb_datatypes_known)) tb_datatype_freed(datatype);"
	case w.Name == "MPI_Win_free":
		return "if (tb_unlikely(tb_payload_gets)) tb_payload_window_freed(win);"
	}
	p := w.sent()
	if p == nil || w.Blocking == "persistent_init" {
		return ""
	}
	return w.sends(p)
}

// later is the statement that, after a successful call, keeps where a persistent request will send from or a one-sided
// call fetches to, or says what those have brought that it ends; empty if it does none of these.
func (w *wrapper) later() string {
	switch r, _ := w.requests(); {
	case w.Category == "rma_op":
		return w.fetches()
	case r != nil:
		return "if (tb_unlikely(tb_payload_gets)) tb_payload_got(TB_NO_HANDLE, -1, TB_CALLER);"
	case endsGets[w.Meaning.Words["Operation"]]:
		target := "-1"
		if w.param("rank") != nil {
			target = "rank"
		}
		return fmt.Sprintf("if (tb_unlikely(tb_payload_gets)) tb_payload_got(win, %s, TB_CALLER);", target)
	}
	return w.kept()
}

var endsGets = set("OpFence", "OpWindowUnlock", "OpWindowFlush", "OpWindowFlushLocal", "OpWindowComplete")

// fetches is the statement that keeps where a one-sided call fetches to, empty if it does not.
func (w *wrapper) fetches() string {
	for _, p := range w.Func.Params {
		if p.Kind != "BUFFER" || p.Dir != "out" || p.Xfer == nil {
			continue
		}
		request, count := "NULL", "1"
		if w.makesRequest() {
			request = "request"
		}
		if p.Xfer.Count != "" {
			count = p.Xfer.Count
		}
		return w.whenWanted("target_rank != tb_abi.proc_null", "tb_payload_get(win, target_rank, %s, %s, %s, %s);", request,
			p.Name, count, p.Xfer.Type)
	}
	return ""
}

// kept is the statement that keeps what a persistent request will send, empty if it is of no send.
func (w *wrapper) kept() string {
	p := w.sent()
	if p == nil || w.Blocking != "persistent_init" || w.Collective || p.Dir != "in" {
		return ""
	}
	partitions := "0"
	if p.Xfer.Times != "" {
		partitions = p.Xfer.Times
	}
	return fmt.Sprintf("if (tb_unlikely(tb_payload_wanted(TB_ID_%s)) && dest != tb_abi.proc_null) "+
		"tb_payload_keep(request, %s, %s, %s, %s);", w.Name, p.Name, p.Xfer.Count, p.Xfer.Type, partitions)
}

var sendingCategories = set("pt2pt", "rma_op", "collective", "neighbor_collective", "partitioned")

// sent is the memory that a call sends, nil if it sends none.
func (w *wrapper) sent() *Param {
	if w.API != "mpi" || !sendingCategories[w.Category] ||
		!w.Collective && w.param("dest") == nil && w.param("target_rank") == nil {
		return nil
	}
	for _, p := range w.Func.Params {
		if p.Kind == "BUFFER" && p.Dir != "out" && p.Xfer != nil && !p.Xfer.None && p.Xfer.Type != "" {
			return p
		}
	}
	return nil
}

func (w *wrapper) param(name string) *Param {
	i := slices.IndexFunc(w.Func.Params, func(p *Param) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return w.Func.Params[i]
}

func (w *wrapper) whenWanted(cond, statement string, args ...any) string {
	if cond != "" {
		cond = " && " + cond
	}
	return fmt.Sprintf("if (tb_unlikely(tb_payload_wanted(TB_ID_%s))%s) ", w.Name, cond) +
		fmt.Sprintf(statement, args...)
}

// sends is the statement for what a call sends at once: one message, or a part for each process. In place, what is sent
// lies where the result comes.
func (w *wrapper) sends(p *Param) string {
	cond, count := "", "1"
	if p.Xfer.Count != "" {
		count = p.Xfer.Count
	}
	for _, peer := range []string{"dest", "target_rank"} {
		if w.param(peer) != nil {
			cond = peer + " != tb_abi.proc_null"
		}
	}
	if w.param("root") != nil && (p.RootOnly || p.Dir == "inout") {
		cond = "tb_is_root(comm, root)"
	}
	data := p.Name
	if slices.Contains(p.Sentinels, "MPI_IN_PLACE") {
		if in := w.inPlace(p); in != "" {
			data = fmt.Sprintf("(uintptr_t)%s == tb_abi.in_place ? %s : %[1]s", p.Name, in)
		} else {
			if cond != "" {
				cond += " && "
			}
			cond += fmt.Sprintf("(uintptr_t)%s != tb_abi.in_place", p.Name)
		}
	}
	if n := w.parts(p); n != "" {
		return w.whenWanted(cond, "tb_payload_parts(&(struct tb_parts){%s}, TB_CALLER);", w.partsOf(p, data, n, count))
	}
	return w.whenWanted(cond, "tb_payload(%s, %s, %s, TB_CALLER);", data, count, p.Xfer.Type)
}

// inPlace is the memory that MPI_IN_PLACE stands for, if as much of it is sent as of the parameter; else it is empty.
func (w *wrapper) inPlace(p *Param) string {
	for _, q := range w.Func.Params {
		if q.Kind == "BUFFER" && q != p && q.Xfer != nil && q.Xfer.Count == p.Xfer.Count && q.Xfer.Type == p.Xfer.Type {
			return q.Name
		}
	}
	return ""
}

// parts is the C expression for how many processes a collective has a part for each of, empty if it has none.
func (w *wrapper) parts(p *Param) string {
	data := w.Meaning.Words["Data"]
	switch {
	case !w.Collective || data != "DataParts" && data != "DataReducedParts":
		return ""
	case w.Meaning.Words["Flow"] == "FlowNeighbors":
		return "tb_outdegree(comm)"
	case data == "DataReducedParts":
		return "tb_local_size(comm)"
	}
	return "tb_peer_size(comm)"
}

func (w *wrapper) partsOf(p *Param, data, n, count string) string {
	fields := []string{".data = " + data, ".n = " + n}
	c := w.param(count)
	if c != nil && c.Array {
		fields = append(fields, ".counts = "+count, fmt.Sprintf(".bits = %d", c.Bits))
	} else {
		fields = append(fields, ".count = "+count)
	}
	t := w.param(p.Xfer.Type)
	if t.Array {
		fields = append(fields, ".types = "+t.Name, ".in_bytes = 1")
	} else {
		fields = append(fields, ".type = "+t.Name)
	}
	if p.Xfer.Displs != "" {
		d := w.param(p.Xfer.Displs)
		fields = append(fields, ".displacements = "+d.Name, fmt.Sprintf(".displacement_bits = %d", d.Bits))
	}
	return strings.Join(fields, ", ")
}
