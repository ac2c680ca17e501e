package ring

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/private"
)

// goConstants are the constants that ring.h defines too, by their C names.
var goConstants = map[string]uint64{
	"TB_CONTROL_MAGIC": ControlMagic, "TB_SEGMENT_MAGIC": SegmentMagic, "TB_RING_VERSION": Version,
	"TB_HEADER_BYTES": HeaderBytes, "TB_IDS": IDs,
	"TB_CTL_START_OFF": CtlStartOff, "TB_CTL_NO_TIMING": CtlNoTiming,
	"TB_CTL_FILTER": CtlFilter, "TB_CTL_MERGE": CtlMerge, "TB_CTL_CLOCKS": CtlClocks,
	"TB_CTL_SPILL":   CtlSpill,
	"TB_MERGE_UNITE": MergeUnite, "TB_MERGE_KEEP": MergeKeep, "TB_MERGE_TAKEN": MergeTaken,
	"TB_MERGE_FAILED":       MergeFailed,
	"TB_COLLECTOR_STARTING": CollectorStarting, "TB_COLLECTOR_RUNNING": CollectorRunning,
	"TB_COLLECTOR_DONE": CollectorDone, "TB_ARCHIVE_NONE": ArchiveNone, "TB_ARCHIVE_WRITING": ArchiveWriting,
	"TB_ARCHIVE_DONE": ArchiveDone,
	"TB_SITES_OFF":    SitesOff, "TB_SITES_CALLER": SitesCaller, "TB_SITES_STACK": SitesStack,
	"TB_SEG_FREE": SegFree, "TB_SEG_ACTIVE": SegActive, "TB_SEG_FULL": SegFull,
	"TB_F_NESTED": FNested, "TB_F_ENTER": FEnter, "TB_F_EXIT": FExit, "TB_F_STACK": FStack, "TB_F_HIDDEN": FHidden,
	"TB_F_REF": FRef, "TB_F_IGNORED": FIgnored,
	"TB_A_PLAIN": APlain, "TB_A_LIST": AList, "TB_A_STATUS": AStatus, "TB_A_SENTINEL": ASentinel,
	"TB_W_LITERAL": WLiteral, "TB_W_HEAP": WHeap, "TB_W_MODULE": WModule, "TB_W_STACK": WStack, "TB_W_RAW": WRaw,
	"TB_REQUEST_DONE": RequestDone,
	"TB_W_FUNCTION":   WFunction, "TB_W_TREE": WTree, "TB_R_TREE": RTree,
	"TB_TIMES_OFF": TimesOff, "TB_TIMES_ENTRY": TimesEntry, "TB_TIMES_ALL": TimesAll,
	"TB_R_PAD": RPad, "TB_R_PROCESS": RProcess, "TB_R_ABI": RABI, "TB_R_WORLD": RWorld, "TB_R_MODULE": RModule,
	"TB_R_STACK": RStack,
	"TB_R_LOST":  RLost, "TB_R_CONTROL": RControl, "TB_R_CLOCK": RClock, "TB_R_END": REnd, "TB_R_DEF": RDef,
	"TB_DEF_MAX": DefMax, "TB_DEF_GENERATIONS": DefGenerations, "TB_R_SEGALLOC": RSegAlloc,
	"TB_R_SEGFREE": RSegFree,
	"TB_R_CREATE":  RCreate,
	"TB_R_BEGIN":   RBegin,
	"TB_R_JOIN":    RJoin,
	"TB_MEM_HEAP":  MemHeap, "TB_MEM_MAP": MemMap, "TB_MEM_MPI": MemMPI, "TB_MEM_GPU": MemGPU,
	"TB_MEM_GPU_MANAGED": MemGPUManaged, "TB_MEM_GPU_HOST": MemGPUHost,
}

// snake gives the C name of a field.
func snake(name string) string {
	for _, up := range []string{"PID", "TID", "NS"} {
		name = strings.ReplaceAll(name, up, up[:1]+strings.ToLower(up[1:]))
	}
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// TestLayoutMatchesC compiles a program that asserts the Go view of ring.h.
func TestLayoutMatchesC(t *testing.T) {
	var c strings.Builder
	header, err := filepath.Abs("../../../capture/core/ring.h")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&c, "#include <stddef.h>\n#include %q\n", header)
	for name, v := range goConstants {
		fmt.Fprintf(&c, "_Static_assert(%s == %dULL, \"%s\");\n", name, v, name)
	}
	for cname, typ := range map[string]reflect.Type{"tb_control": reflect.TypeFor[controlPage](),
		"tb_segment": reflect.TypeFor[segmentHeader]()} {
		fmt.Fprintf(&c, "_Static_assert(sizeof(struct %s) == %d, \"size of %s\");\n", cname, typ.Size(), cname)
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Name == "_" {
				continue
			}
			fmt.Fprintf(&c, "_Static_assert(offsetof(struct %s, %s) == %d, \"%s.%s\");\n", cname, snake(f.Name),
				f.Offset, cname, f.Name)
		}
	}
	src := filepath.Join(t.TempDir(), "layout.c")
	if err := os.WriteFile(src, []byte(c.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("cc", "-std=c11", "-fsyntax-only", src).CombinedOutput()
	if err != nil {
		t.Errorf("ring.h and this package differ: %v\n%s", err, out)
	}
}

// TestConstantsAreComplete finds constants of ring.h that this package forgot.
func TestConstantsAreComplete(t *testing.T) {
	text, err := os.ReadFile("../../../capture/core/ring.h")
	if err != nil {
		t.Fatal(err)
	}
	known := func(r rune) bool { return r == '_' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' }
	for _, w := range strings.FieldsFunc(string(text), func(r rune) bool { return !known(r) }) {
		if _, ok := goConstants[w]; !ok && strings.HasPrefix(w, "TB_") && !strings.HasSuffix(w, "_") &&
			w != "TB_STATUS" {
			t.Errorf("ring.h mentions %s, which this package lacks", w)
		}
	}
}

func TestSegmentWords(t *testing.T) {
	for _, a := range []Address{
		{Class: WLiteral, Off: 0}, {Class: WLiteral, Off: -1}, {Class: WLiteral, Off: 1 << 50},
		{Class: WHeap, ID: 1<<20 - 1, Off: 1<<40 - 1},
		{Class: WModule, ID: 3, Off: 0x401136}, {Class: WStack, ID: 2, Off: -64}, {Class: WRaw, Off: 0x7fff12345678},
	} {
		if got := ParseAddress(a.Word()); got != a {
			t.Errorf("%+v became %+v", a, got)
		}
	}
}

func TestCheckIn(t *testing.T) {
	for list, ok := range map[string]bool{
		"step": true, strings.Repeat("a/b,", 31) + "c": true, strings.Repeat("a/b,", 31) + "c,d": false,
		strings.Repeat("x", 507): true, strings.Repeat("x", 508): false,
	} {
		if err := CheckIn(list); (err == nil) != ok {
			t.Errorf("%.20s, %d bytes: %v", list, len(list), err)
		}
	}
}

func TestControlAndSegment(t *testing.T) {
	dir := private.Temp(t)
	if err := CreateControl(dir, Config{StartOff: true, In: "a/b,c", Filter: []uint16{64, 300, IDs - 1},
		SummaryWait: time.Second}); err != nil {
		t.Fatal(err)
	}
	if err := CreateControl(dir, Config{}); !os.IsExist(err) {
		t.Errorf("second creation: %v", err)
	}
	c, err := OpenControl(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.page.Flags != CtlStartOff|CtlFilter || c.page.Filter[8] != 1 || c.page.Filter[37] != 1<<4 ||
		c.page.Filter[IDs/8-1] != 1<<7 || c.page.SegmentBytes != 4<<20 {
		t.Errorf("control page %+v", c.page.Flags)
	}
	c.page.InEntered = 2
	if in := string(c.page.In[:6]); in != "a/b,c\x00" || c.Entered(0) || !c.Entered(1) || !c.Partial() {
		t.Errorf("limited to %q, entered %b", in, c.page.InEntered)
	}
	if err := os.WriteFile(dir.Join("bad"), make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSegment(dir, "bad"); err == nil {
		t.Error("a file of zeros passed for a segment")
	}
	s, err := CreateSegment(dir, ProcessID{42, 77}, 1, 2, 7, 800)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	copy(s.Words(0, 5), []uint64{64 | 5<<32, 1, 2, 0, 0})
	s.Publish(5)
	copy(s.Words(5, 10), []uint64{65, 3, 0, 0, 0})
	s.SetPending(5)
	rec, rest, err := Next(s.Words(0, s.Published()))
	if err != nil || rec.ID() != 64 || len(rest) != 0 || s.Pending().ID() != 65 || s.Seq() != 7 || !s.InCall() {
		t.Errorf("record %v, rest %v, err %v, pending %v", rec, rest, err, s.Pending())
	}
	if id, th, k, ok := ParseSegmentName(filepath.Base(s.Path)); !ok || id != (ProcessID{42, 77}) || th != 1 || k != 2 {
		t.Error("name", s.Path)
	}
}

func TestBrokenRecords(t *testing.T) {
	for _, w := range [][]uint64{{1}, {4 << 32, 0, 0, 0, 0}, {9 << 32, 0, 0, 0, 0}} {
		if _, _, err := Next(w); err == nil {
			t.Errorf("%v passed", w)
		}
	}
}

// The state of function calls that HeldFunctions reads is that of the runtime.
func TestFunctionStateLayout(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "state.c"), filepath.Join(dir, "state")
	text := `#include <stddef.h>
#include <stdio.h>
#include "functions/state.h"
#define AT(member) (unsigned long long)offsetof(struct tbf_state, member)
int main(void)
{
    printf("%llu %d %d %d %d %d", TBF_MAGIC, TBF_FRAMES, TBF_ITEMS, TBF_NODES, TBF_STORED, TBF_FUNCTIONS);
    printf(" %llu %llu %llu %llu %llu %llu", AT(frames), AT(items), AT(nodes_at), AT(stores), AT(words), AT(counts));
    printf(" %llu %llu %llu %llu %llu %llu %llu", AT(thread), AT(depth), AT(opened), AT(top), AT(nodes), AT(stored), AT(defined));
    printf(" %llu %u %u %llu", AT(base), TBF_NODE, TBF_INSIDE, TBF_COUNTED);
}
`
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	capture := filepath.Join("..", "..", "..", "capture")
	if out, err := exec.Command("gcc", "-I"+capture, "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprint([]uint64{
		functionsMagic, maxFrames, maxItems, maxNodes, maxStored, maxFunctions,
		framesAt, itemsAt, nodesAt, storesAt, wordsAt, countsAt,
		8, 12, 16, 20, 24, 28, 32, 40, nodeBit, functionGap, countedBit,
	})
	if got := "[" + string(out) + "]"; got != want {
		t.Errorf("the runtime has %s, not %s", got, want)
	}
}
