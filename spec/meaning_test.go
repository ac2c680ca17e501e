package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// meaning is the row of a function in words: all that is not the first word of its kind, and the
// roles with their parameters.
func meaning(f *Func) string {
	var b strings.Builder
	b.WriteString(f.Op.String())
	say := func(key string, value fmt.Stringer, on bool) {
		if on {
			fmt.Fprintf(&b, " %s=%s", key, value)
		}
	}
	say("mode", f.Mode, f.Mode != 0)
	say("which", f.Which, f.Which != 0)
	say("flow", f.Flow, f.Flow != 0)
	say("data", f.Data, f.Data != 0)
	say("vector", f.Vector, f.Vector != 0)
	say("outcome", f.Outcome, f.Outcome != 0)
	say("activity", f.Activity, f.Activity != 0)
	b.WriteString(" |")
	for r := range numRoles {
		if i := f.Slot(r); i >= 0 {
			fmt.Fprintf(&b, " %s:%s", r, f.Params[f.Slots[i].Param].Name)
		}
	}
	return b.String()
}

// TestMeaning shows rows that were derived in different ways: named in meaning.txt, by a form of a
// function that is, and by a pattern.
func TestMeaning(t *testing.T) {
	for name, want := range map[string]string{
		"MPI_Send": "send activity=point_to_point | on:comm send_peer:dest send_tag:tag recv_tag:tag " +
			"send_count:count send_type:datatype recv_count:count recv_type:datatype",
		"MPI_Ibsend_c": "send mode=buffered activity=point_to_point | on:comm send_peer:dest send_tag:tag " +
			"recv_tag:tag send_count:count send_type:datatype recv_count:count recv_type:datatype request:request",
		"MPI_Improbe": "matched_probe outcome=probe_poll activity=point_to_point | on:comm recv_peer:source " +
			"send_tag:tag recv_tag:tag flag:flag status:status message:message",
		"MPI_Testsome": "complete which=some outcome=some_of activity=wait | requests:array_of_requests " +
			"after:array_of_requests index:array_of_indices completed:outcount status:array_of_statuses",
		"MPI_Iscatterv": "collective flow=from_root data=parts vector=counts activity=collective | on:comm " +
			"send_count:sendcounts send_type:sendtype recv_count:recvcount recv_type:recvtype send_buffer:sendbuf " +
			"recv_buffer:recvbuf root:root request:request",
		"MPI_Rget": "get activity=rma | on:win send_peer:target_rank recv_count:origin_count " +
			"recv_type:origin_datatype request:request",
		"MPI_File_iwrite": "write activity=io | on:fh send_count:count send_type:datatype request:request",
		"MPI_Comm_idup":   "comm_dup | on:comm request:request new:newcomm",
		"MPI_Info_set":    "none |",
		"tabard_tracing":  "none |",
	} {
		if got := meaning(ByName(name)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

// TestForms: the forms of a function do the same.
func TestForms(t *testing.T) {
	for _, f := range Functions() {
		if f.Large == 0 {
			continue
		}
		large := ByID(f.Large)
		if meaning(f) != meaning(large) || f.Groups != large.Groups {
			t.Errorf("%s and %s differ:\n%s\n%s", f.Name, large.Name, meaning(f), meaning(large))
		}
	}
}

// Clocks are told by what the standard says a value is.
func TestClock(t *testing.T) {
	var clocks []string
	for _, f := range Functions() {
		for i := range f.Slots {
			if f.Clock(i) {
				clocks = append(clocks, f.Name)
			}
		}
	}
	for _, name := range []string{"MPI_Wtime", "MPI_Wtick", "MPI_T_event_get_timestamp"} {
		if !slices.Contains(clocks, name) {
			t.Errorf("%s returns what a clock shows; clocks are %v", name, clocks)
		}
	}
	if slices.Contains(clocks, "MPI_Comm_rank") {
		t.Error("a rank is no clock")
	}
}
