package trace_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"tabard/trace"
	"tabard/trace/tracetest"
)

func openExample(desc string) (*trace.Archive, error) {
	b, err := tracetest.Build(desc)
	if err != nil {
		return nil, err
	}
	return trace.OpenReader(bytes.NewReader(b), int64(len(b)))
}

// small is an archive with a bit of everything, to be broken in its text form.
const small = `
rank 0 of 1 on n
module /bin/app
clock 10 20 30
loop 3
  MPI_Irecv(count=1, comm=MPI_COMM_WORLD) @ a.c:1 [main] ; request=request#0
  poll 3 MPI_Test(request=request#0) ; flag=0
  MPI_Wait(request=request#0) ; request=MPI_REQUEST_NULL ; status=?{source=5 tag=7 bytes=9}
  MPI_Alltoallv(sendcounts=?[1, 2], comm=MPI_COMM_WORLD)
end
MPI_Comm_set_name(comm=MPI_COMM_WORLD, comm_name=?"x")
MPI_Comm_set_name(comm=MPI_COMM_WORLD, comm_name=?"y")
`

// TestBrokenContent edits the text of a sound archive and checks what the
// reader says.
func TestBrokenContent(t *testing.T) {
	sound := text(t, tracetest.Archive(t, small))
	for _, test := range []struct{ name, old, new, section, msg string }{
		{"string", "\n0 0 1 0 1000 1 0 1", "\n0 0 1 99 1000 1 0 1", "meta/ranks", "string 99 does not exist"},
		{"list of a rank", "\n0 0 1 0 1000 1 0 1 0", "\n0 0 1 0 1000 1 0 1 9", "meta/ranks", "list 9 does not exist"},
		{"size", "\n0 0 1 0 1000", "\n0 0 -5 0 1000", "meta/ranks", "size -5 is not in"},
		{"site gap", "0 -1 0 4 5 1\n", "7 -1 0 4 5 1\n", "meta/frames", "site 7 does not follow"},
		{"clock of nobody", "\n0 10 20 30", "\n5 10 20 30", "meta/clocks", "process 5"},
		{"clocks in disorder", "\n0 10 20 30", "\n0 10 20 30\n0 9 20 30", "meta/clocks", "order of ticks"},
		{"module of a site", "0 -1 0 4 5 1\n", "0 6 0 4 5 1\n", "meta/frames", "is in module 6"},
		{"signature of a list", "part columns", "1: hex 00\npart columns", "", "item 1 follows"},
		{"process", "\n0 0 20 ", "\n3 0 20 ", "structure/streams", "process 3 does not exist"},
		{"grammar", "\n0 0 20 0 0 1", "\n0 0 20 0 4 1", "structure/streams", "grammar 4 does not exist"},
		{"timing", "\n0 0 20 0 0 1 2 0", "\n0 0 20 0 0 1 2 1", "structure/streams", "timing 1 does not exist"},
		{"calls", "\n0 0 20 ", "\n0 0 21 ", "structure/streams", "21 calls, but signatures and columns make 20"},
		{"fewer calls than events", "\n0 0 20 ", "\n0 0 3 ", "structure/streams", "3 calls, but the grammar has 14 events"},
		{"columns of another stream", "\n0 0 20 0 0 1", "\n0 0 20 0 0 2", "structure/streams", "its signatures need 8"},
		{"unknown signature", "\n0: 0-4\n", "\n0: 0-5\n", "structure/lists", "signature 5 does not exist"},
		{"terminal", "\n0: 0-4\n", "\n0: 0-3\n", "structure/streams", "its signatures need 7"},
		{"grammar's terminal", "\n0: R1*3 4*2 | 0 1 2 3", "\n0: R1*3 9*2 | 0 1 2 3", "structure/streams", "the grammar has terminal 9"},
		{"grammar's bytes", "\n0: R1*3 4*2 | 0 1 2 3", "\n0: hex 00ffff", "structure/grammars", "item 0"},
		{"unknown function", "\n0: MPI_Irecv", "\n0: hex ffff03000000 \n1: MPI_Irecv", "", "item 1 follows"},
		{"function", "\n1: MPI_Test(request=request#0; request=-, flag=0, status=-) site=0 flags=poll ret=0", "\n1: hex ffff03000000", "structure/signatures", "unknown function 65535"},
		{"call site", "site=1", "site=2", "structure/signatures", "call site 2 does not exist"},
		{"request", "request=request#0) site=1", "request=request#7) site=1", "structure/signatures", "uses request#0, which no call creates"},
		{"run of no polls", "section columns\n0: 3*3", "section columns\n0: 3 0 3", "columns", "length 0"},
		{"runs do not add up", "section columns\n0: 3*3", "section columns\n0: 3 4 3", "structure/streams", "20 calls, but signatures and columns make 21"},
		{"short column", "section columns\n0: 3*3", "section columns\n0: 3 3", "columns", "2 values for 3 occurrences"},
		{"column's bytes", "section columns\n0: 3*3", "section columns\n0: hex 05ffff", "columns", "column 0"},
		{"string in a column", "\n7: 0 1", "\n7: 0 9", "columns", "string 9 does not exist"},
		{"elements missing", "\n6: 1 2 1 2 1 2", "\n6: 1 2 3", "columns", "3 values for 6 occurrences"},
		{"timing's bytes", "section timing\n0: 100+10", "section timing\n0: hex 05ffff\n#", "timing", "item 0"},
		{"time runs back", "section timing\n0: 100+10", "section timing\n0: 9100+10", "timing", "after one that returned at"},
		{"two sections", "section structure\n", "section structure\nsection meta\nsection structure\n", "meta", "there are two such sections"},
		{"unknown section", "section columns", "section 99\nhex 00\nsection columns", "section 2", "section type 99 version 1 is required"},
		{"unknown version", "section columns", "section 3 version=2\nhex 00\nsection columns", "section 2", "section type 3 version 2 is required"},
		{"unknown part", "part streams", "part 99\nhex 00\npart streams", "structure", "part 99 version 1 is required"},
		{"part twice", "part grammars", "part grammars\npart grammars", "structure/grammars", "occurs twice"},
		{"lengths of columns", "part columns: bytes\n", "part columns\nhex 010110\n#", "structure/columns", "items have 8 bytes, but the sections hold"},
		{"negative length", "part columns: bytes\n", "part columns\nhex 010101\n#", "structure/columns", "item 0 of -1 bytes does not fit"},
		{"table too large", "part columns: bytes\n", "part columns\nhex ffffff0f7f00\n#", "structure/columns", "does not fit into 1 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			broken := strings.Replace(sound, test.old, test.new, 1)
			if broken == sound {
				t.Fatalf("%q is not in the text:\n%s", test.old, sound)
			}
			var out bytes.Buffer
			err := trace.ParseText(&out, strings.NewReader(broken))
			if test.section == "" { // the text itself
				if err == nil || !strings.Contains(err.Error(), test.msg) {
					t.Errorf("%v, want %q", err, test.msg)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			a, err := trace.OpenReader(bytes.NewReader(out.Bytes()), int64(out.Len()), trace.FileName("x.tabard"))
			if err == nil {
				err = trace.Validate(a)
			}
			var fe *trace.FormatError
			if !errors.As(err, &fe) {
				t.Fatalf("%v, want a FormatError", err)
			}
			if fe.Section != test.section || !strings.Contains(fe.Msg, test.msg) || fe.File != "x.tabard" || fe.Hint == "" {
				t.Errorf("%+v\nwant section %q and message %q", fe, test.section, test.msg)
			}
		})
	}
}

// TestOptionalIsSkipped reads an archive of a newer writer.
func TestOptionalIsSkipped(t *testing.T) {
	sound := text(t, tracetest.Archive(t, small))
	newer := strings.Replace(sound, "section columns", "section 99 version=3 optional\nhex 0102\nsection columns", 1)
	newer = strings.Replace(newer, "part streams", "part 77 version=1 optional\nhex 00\npart streams", 1)
	var out bytes.Buffer
	if err := trace.ParseText(&out, strings.NewReader(newer)); err != nil {
		t.Fatal(err)
	}
	a := tracetest.Open(t, out.Bytes())
	if err := trace.Validate(a); err != nil {
		t.Error(err)
	}
	if got := strings.Join(a.Skipped(), ", "); got != "section 99 version 3, part 77 of structure" {
		t.Errorf("skipped: %s", got)
	}
	if got := text(t, a); got != newer {
		t.Errorf("the text loses what is not known:\n%s", got)
	}
	checkStats(t, a, int64(out.Len()))
	if a.Stats().Other != 2 {
		t.Errorf("%d other bytes, want 2", a.Stats().Other)
	}
}

// TestLimits checks that limits are kept and named.
func TestLimits(t *testing.T) {
	b := tracetest.Bytes(t, long)
	_, err := trace.OpenReader(bytes.NewReader(b), int64(len(b)), trace.MaxSection(10))
	if err == nil || !strings.Contains(err.Error(), "trace.MaxSection") {
		t.Errorf("%v", err)
	}
	a := tracetest.Open(t, b, trace.MaxWork(2))
	if err := trace.Validate(a); err == nil || !strings.Contains(err.Error(), "trace.MaxWork") {
		t.Errorf("%v", err)
	}
	// The cache holds at most one section above its limit.
	if dump(t, tracetest.Open(t, b, trace.Cache(0))) != dump(t, tracetest.Open(t, b)) {
		t.Error("another dump without a cache")
	}
}

func TestTextErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "it is empty"},
		{"something", `expected "tabard text 1"`},
		{"tabard text 1\nx", "expected a section"},
		{"tabard text 1\nsection nonsense", "unknown section"},
		{"tabard text 1\nsection meta\npart nonsense", "unknown part"},
		{"tabard text 1\nsection meta\npart ranks\n1 2", "2 values in a table of 11 fields"},
		{"tabard text 1\nsection meta\npart strings\n1: \"a\"", "item 1 follows item -1"},
		{"tabard text 1\nsection meta\nhello", "expected the number of an item"},
		{"tabard text 1\nsection structure\npart signatures\n0: MPI_Nothing()", "unknown function"},
		{"tabard text 1\nsection structure\npart signatures\n0: MPI_Barrier(comm=comm)", "unknown name"},
		{"tabard text 1\nsection structure\npart grammars\n0: R1", "uses rule 1 of 1"},
		{"tabard text 1\nsection columns\n0: 1*99999999999", "run of 99999999999 values"},
		{"tabard text 1\nsection timing\n0: 1+99999999999999999999", "out of range"},
		{"tabard text 1\nsection meta whatever", "unknown attribute"},
	} {
		err := trace.ParseText(&bytes.Buffer{}, strings.NewReader(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
		}
	}
}

// TestMissingSections leaves out each section in turn.
func TestMissingSections(t *testing.T) {
	file, err := tracetest.Split(tracetest.Bytes(t, small))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"meta: the section is missing", "structure: the section is missing", "does not fit into the 0", "does not fit into the 0"} {
		f := &tracetest.File{}
		f.Sections = append(append(f.Sections, file.Sections[:i]...), file.Sections[i+1:]...)
		b := f.Bytes()
		_, err := trace.OpenReader(bytes.NewReader(b), int64(len(b)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without section %d: %v, want %q", i, err, want)
		}
	}
}
