package spec

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestAppendOnly: what traces refer to keeps its number for ever. The sums
// cover the first entries of the files; make gen refuses to change those that were generated later.
func TestAppendOnly(t *testing.T) {
	for _, g := range []struct {
		file  string
		count int
		sum   string
	}{
		{"ids.txt", 712, "fe799c288b441d4b34cee3a7e07d7e086b1f8f17bb05d7af60e63cd21949460e"},
		{"predefined.txt", 129, "e30857e3c06c2f35d455f8842f9098c9ae96fd6c444c177ca372f3e5dc62bef8"},
	} {
		b, err := os.ReadFile(g.file)
		if err != nil {
			t.Fatal(err)
		}
		var entries []string
		for _, l := range strings.Split(string(b), "\n") {
			if l != "" && l[0] != '#' {
				entries = append(entries, l)
			}
		}
		if len(entries) < g.count {
			t.Fatalf("%s: %d entries, there were %d", g.file, len(entries), g.count)
		}
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(entries[:g.count], "\n"))))
		if sum != g.sum {
			t.Errorf("%s: one of the first %d entries has changed: entries may only be appended (sum %s)", g.file,
				g.count, sum)
		}
	}
}

// TestSlots checks the rules by which a function's slots follow from its parameters.
func TestSlots(t *testing.T) {
	if len(Functions()) < 712 {
		t.Errorf("%d functions", len(Functions()))
	}
	for _, f := range Functions() {
		if ByID(f.ID) != f || ByName(f.Name) != f {
			t.Errorf("%s is not found by id %d or by name", f.Name, f.ID)
		}
		if f.Has(Pseudo) != (strings.HasPrefix(f.Name, "tabard_") || f.Category == "payload") {
			t.Errorf("%s: pseudo %t, id %d", f.Name, f.Has(Pseudo), f.ID)
		}
		if err := checkSlots(f); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

func checkSlots(f *Func) error {
	var order []int // parameters in the order of slots
	for i := range f.Slots {
		s := &f.Slots[i]
		if s.Out != (i >= f.NumIn) {
			return fmt.Errorf("slot %d is on the wrong side of NumIn", i)
		}
		order = append(order, s.Param)
		if s.Param < 0 {
			if !f.Has(ReturnsValue) || i != f.NumIn {
				return fmt.Errorf("slot %d is a result", i)
			}
			continue
		}
		p := &f.Params[s.Param]
		if s.Codec != p.Codec || s.Class != p.Class || s.Life != p.Life || s.Array != p.Array || s.Bits != p.Bits {
			return fmt.Errorf("%s: slot and parameter differ", p.Name)
		}
		if err := checkSlot(s, p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		if s.OnError && !f.Has(OutOnError) {
			return fmt.Errorf("%s: recorded after errors only, by a function that records nothing then", p.Name)
		}
	}
	in, out := order[:f.NumIn], order[f.NumIn:]
	if !slices.IsSorted(in) || !slices.IsSorted(out) {
		return fmt.Errorf("slots are not in the order of parameters: %v %v", in, out)
	}
	for i := range f.Params {
		p := &f.Params[i]
		if p.In != slices.Contains(in, i) || p.Out != slices.Contains(out, i) {
			return fmt.Errorf("%s: in %t, out %t, slots %v %v", p.Name, p.In, p.Out, in, out)
		}
		if p.Codec != None && !p.In && !p.Out {
			return fmt.Errorf("%s is not recorded", p.Name)
		}
		if err := checkParam(f, p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	if f.Has(ReturnsValue) != (len(out) > 0 && out[0] == -1) {
		return fmt.Errorf("result without slot, or the reverse")
	}
	return checkFlags(f)
}

func checkSlot(s *Slot, p *Param) error {
	if s.Codec == None {
		return fmt.Errorf("slot of nothing")
	}
	if (s.Codec == Handle) != (s.Class != NoClass) {
		return fmt.Errorf("codec %d with class %d", s.Codec, s.Class)
	}
	if ints := s.Codec == Int || s.Codec == Displacement; ints != (s.Bits == 32 || s.Bits == 64) {
		return fmt.Errorf("codec %d with %d bits", s.Codec, s.Bits)
	}
	if want := s.Out && s.Codec != Handle && s.Codec != StringArray || s.Codec == Status ||
		p != nil && (p.Kind == "NCCL_ID" || strings.HasPrefix(p.Kind, "PAYLOAD")); s.Column != want {
		return fmt.Errorf("column %t", s.Column)
	}
	if s.OnError != (s.Out && s.Life == Complete) {
		return fmt.Errorf("on error %t with life %d", s.OnError, s.Life)
	}
	if s.Codec != Handle {
		return nil
	}
	wantIn := s.Life == Use || s.Life == Free || s.Life == Activate || s.Life == Complete || s.Life == Update
	wantOut := !wantIn || s.Life == Complete || s.Life == Update
	if p.In != wantIn || p.Out != wantOut {
		return fmt.Errorf("life %d, in %t, out %t", s.Life, p.In, p.Out)
	}
	return nil
}

// checkParam checks what readers rely on about lengths and buffers.
func checkParam(f *Func, p *Param) error {
	index := func(i int8) bool { return i >= -1 && int(i) < len(f.Params) }
	for _, i := range []int8{p.LenArg, p.LenArray, p.LenCap, p.BufCount, p.BufType, p.BufDispls} {
		if !index(i) {
			return fmt.Errorf("parameter %d does not exist", i)
		}
	}
	long := p.Array || p.Codec == String || p.Codec == StringArray || p.Codec == StringArray2
	if long != (p.Len != LenNone) {
		return fmt.Errorf("length rule %d", p.Len)
	}
	if p.Array && (p.Codec == String || p.Codec == StringArray || p.Codec == StringArray2 || p.Codec == Address ||
		p.Codec == Float) {
		return fmt.Errorf("array of codec %d", p.Codec)
	}
	if p.BufType >= 0 && f.Params[p.BufType].Class != Type {
		return fmt.Errorf("%s is no datatype", f.Params[p.BufType].Name)
	}
	if p.Codec == Address && p.In && (p.Pointer || p.Out) {
		return fmt.Errorf("address on entry, and a place for one")
	}
	return nil
}

func checkFlags(f *Func) error {
	lifecycle := f.Name == "MPI_Init" || f.Name == "MPI_Init_thread" || f.Name == "MPI_Finalize" ||
		f.Name == "MPI_Alloc_mem" || f.Name == "MPI_Free_mem"
	for i := range f.Slots {
		l := f.Slots[i].Life
		lifecycle = lifecycle || f.Slots[i].Codec == Handle && l != Use && l != Alias
	}
	if lifecycle != f.Has(Lifecycle) {
		return fmt.Errorf("lifecycle %t", f.Has(Lifecycle))
	}
	if f.Has(Poll) {
		found := false
		for i := f.NumIn; i < len(f.Slots); i++ {
			n := f.Params[f.Slots[i].Param].Name
			found = found || n == "flag" || n == "outcount"
		}
		if !found {
			return fmt.Errorf("poll without an outcome")
		}
	}
	if n := strings.Count(fmt.Sprintf("%b", f.Flags&(Blocking|Nonblocking|PersistentInit)), "1"); n > 1 {
		return fmt.Errorf("flags %b contradict", f.Flags)
	}
	if (f.Large != 0 || f.LargeOf != 0) && !strings.HasSuffix(ByID(max(f.Large, f.LargeOf)).Name, "_c") &&
		!strings.HasSuffix(ByID(min(f.Large|f.LargeOf, f.ID)).Name, "_c") && !strings.HasSuffix(f.Name, "_c") {
		return fmt.Errorf("large form without suffix")
	}
	return nil
}

// TestKnownFunctions pins a few functions of different shapes.
func TestKnownFunctions(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   string
		out  string
	}{
		{"MPI_Send", "buf:Address count:Int datatype:Handle dest:Int tag:Int comm:Handle", ""},
		{"MPI_Recv", "buf:Address count:Int datatype:Handle source:Int tag:Int comm:Handle", "status:Status"},
		{"MPI_Init", "argc:Int argv:StringArray", "argc:Int argv:StringArray"},
		{"MPI_Wait", "request:Handle", "request:Handle! status:Status"},
		{"MPI_Waitsome", "incount:Int array_of_requests:Handle[]",
			"array_of_requests:Handle[]! outcount:Int array_of_indices:Int[] array_of_statuses:Status[]"},
		{"MPI_Start", "request:Handle", ""},
		{"MPI_Comm_free", "comm:Handle", ""},
		{"MPI_Type_commit", "datatype:Handle", "datatype:Handle"},
		{"MPI_Wtime", "", "result:Float"},
		{"MPI_Aint_add", "base:Displacement disp:Displacement", "result:Displacement"},
		{"MPI_Comm_fromint", "comm:Int", "result:Handle"},
		{"MPI_Get_address", "location:Address", "address:Displacement"},
		{"MPI_Type_create_struct",
			"count:Int array_of_blocklengths:Int[] array_of_displacements:Displacement[] array_of_types:Handle[]",
			"newtype:Handle"},
		{"MPI_Type_create_resized", "oldtype:Handle lb:Int extent:Int", "newtype:Handle"},
		{"MPI_Alloc_mem", "size:Int info:Handle", "baseptr:Address"},
		{"MPI_Comm_get_attr", "comm:Handle comm_keyval:Handle", "attribute_val:Address flag:Int"},
		{"MPI_Pcontrol", "level:Int", ""},
		{"MPI_Status_set_elements", "datatype:Handle count:Int", "status:Status"},
		{"MPI_Mrecv", "buf:Address count:Int datatype:Handle message:Handle", "status:Status"},
		{"tabard_segment", "segment:Int kind:Int bytes:Int", ""},
	} {
		f := ByName(tt.name)
		if f == nil {
			t.Errorf("%s is missing", tt.name)
			continue
		}
		if in, out := shape(f, f.Slots[:f.NumIn]), shape(f, f.Slots[f.NumIn:]); in != tt.in || out != tt.out {
			t.Errorf("%s: %q -> %q, want %q -> %q", tt.name, in, out, tt.in, tt.out)
		}
	}
}

var codecNames = []string{"None", "Int", "Float", "Handle", "Address", "Displacement", "String", "StringArray",
	"StringArray2", "Status"}

func shape(f *Func, slots []Slot) string {
	var ws []string
	for _, s := range slots {
		w := "result"
		if s.Param >= 0 {
			w = f.Params[s.Param].Name
		}
		w += ":" + codecNames[s.Codec]
		if s.Array {
			w += "[]"
		}
		if s.OnError {
			w += "!"
		}
		ws = append(ws, w)
	}
	return strings.Join(ws, " ")
}

func TestConstants(t *testing.T) {
	for _, tt := range []struct {
		abi  ABI
		name string
		want int64
	}{
		{OpenMPI, "MPI_ANY_SOURCE", -1}, {MPICH, "MPI_ANY_SOURCE", -2}, {MPI5, "MPI_ANY_SOURCE", -1},
		{OpenMPI, "MPI_PROC_NULL", -2}, {MPICH, "MPI_PROC_NULL", -1}, {MPI5, "MPI_PROC_NULL", -3},
		{OpenMPI, "MPI_ERR_IN_STATUS", 18}, {MPICH, "MPI_ERR_IN_STATUS", 17}, {MPI5, "MPI_ERR_IN_STATUS", 19},
		{OpenMPI, "MPI_IN_PLACE", 1}, {MPICH, "MPI_IN_PLACE", -1},
	} {
		if v, ok := tt.abi.Const(tt.name); !ok || v != tt.want {
			t.Errorf("%v: %s is %d, %t, want %d", tt.abi, tt.name, v, ok, tt.want)
		}
	}
	if v, ok := UnknownABI.Const("MPI_ANY_SOURCE"); ok {
		t.Errorf("unknown ABI defines MPI_ANY_SOURCE as %d", v)
	}
	if v, ok := ABI(200).Const("MPI_ANY_SOURCE"); ok {
		t.Errorf("ABI 200 defines MPI_ANY_SOURCE as %d", v)
	}
	for _, tt := range []struct {
		abi   ABI
		kind  string
		value int64
		want  string
	}{
		{OpenMPI, "RANK", -1, "MPI_ANY_SOURCE"}, {MPICH, "RANK", -1, "MPI_PROC_NULL"}, {MPICH, "RANK", 3, ""},
		{MPI5, "TAG", -2, "MPI_ANY_TAG"}, {MPICH, "INDEX", -32766, "MPI_UNDEFINED"},
		{OpenMPI, "ACCESS_MODE", 9, "MPI_MODE_CREATE|MPI_MODE_RDWR"}, {OpenMPI, "ACCESS_MODE", 1 << 20, ""},
		{OpenMPI, "ASSERT", 0, ""},
		{MPICH, "ERROR_CODE", 17, "MPI_ERR_IN_STATUS"}, {OpenMPI, "NO_SUCH_KIND", 1, ""}, {UnknownABI, "RANK", -1, ""},
	} {
		if got := tt.abi.Name(tt.kind, tt.value); got != tt.want {
			t.Errorf("%v: %s %d is %q, want %q", tt.abi, tt.kind, tt.value, got, tt.want)
		}
	}
}

func TestPredefineds(t *testing.T) {
	nulls := map[Class]string{}
	for i, p := range Predefineds {
		if j, ok := PredefinedByName(p.Name); !ok || i != j {
			t.Errorf("%s is found at %d, %t, want %d", p.Name, j, ok, i)
		}
		if p.Null {
			if nulls[p.Class] != "" {
				t.Errorf("class %d has null handles %s and %s", p.Class, nulls[p.Class], p.Name)
			}
			nulls[p.Class] = p.Name
		}
	}
	for c := Comm; c < Fd; c++ { // later ones are of the C library
		if events := c == TEventReg || c == TEventInst; events == (nulls[c] != "") {
			t.Errorf("class %d: null handle %q", c, nulls[c])
		}
	}
	for _, tt := range []struct {
		abi   ABI
		class Class
		raw   uint64
		want  string
	}{
		{MPICH, Comm, 0x44000000, "MPI_COMM_WORLD"}, {MPICH, Type, 0x4c000405, "MPI_INT"},
		{MPICH, Comm, 0x04000000, "MPI_COMM_NULL"},
		{MPICH, File, 0, "MPI_FILE_NULL"}, {MPICH, Type, 0x0c000000, "MPI_DATATYPE_NULL"},
		{MPICH, Keyval, 0x64400001, "MPI_TAG_UB"},
		{MPI5, Comm, 0x101, "MPI_COMM_WORLD"}, {MPI5, Type, 0x209, "MPI_INT"},
		{OpenMPI, Keyval, 0, "MPI_TAG_UB"}, {OpenMPI, Keyval, 0xffffffff, "MPI_KEYVAL_INVALID"},
		{OpenMPI, Comm, 0x44000000, ""}, {MPICH, Group, 0x44000000, ""}, {UnknownABI, Comm, 0x101, ""},
	} {
		got := ""
		if i, ok := tt.abi.PredefinedByHandle(tt.class, tt.raw); ok {
			got = Predefineds[i].Name
		}
		if got != tt.want {
			t.Errorf("%v: class %d, handle %#x is %q, want %q", tt.abi, tt.class, tt.raw, got, tt.want)
		}
	}
}
