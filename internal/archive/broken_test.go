package archive_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

func openExample(desc string) (*archive.Archive, error) {
	b, err := archivetest.Build(desc)
	if err != nil {
		return nil, err
	}
	return archive.OpenReader(bytes.NewReader(b), int64(len(b)))
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
	sound := text(t, archivetest.Archive(t, small))
	for _, test := range []struct{ name, old, new, section, msg string }{
		{"group of a class", "\n group 0\n", "\n group 1\n", "", "group 1 is not in 0..0"},
		{"module of a site", "site 0: -1", "site 0: 6", "meta/frames", "module 6 is not in -1..0"},
		{"module of a process", "\n module 0\n", "\n module 3\n", "", "module: 3 does not exist"},
		{"clocks in disorder", "clocks =[10 30 -10]", "clocks =[10 30 -10 -1 0 0]", "meta/groups",
			"not in order of ticks"},
		{"two groups", "group 0\n", "group 0\n world 0\n size 1\n unranked 0\n ranks 0\n hosts 1\n host \"n\"\n" +
			" pid =1\n complete =1\n lost =0\n ends 1\n end \"\"\n infos 0\n modules 1\n module 0\n clocks =[]\n" +
			" bases =[]\ngroup 1\n", "meta/groups", "group 1 is not behind"},
		{"too many cases", "\n hosts 1\n", "\n hosts 2\n", "", "2 cases of hosts for 1 ranks"},
		{"rank of a class", "\n thread 0\n ranks 0\n", "\n thread 0\n ranks 7\n", "structure/classes", "ranks"},
		{"timing", "\n times 0", "\n times 1", "", "times 1, but there are 1"},
		{"calls", "\n calls =20", "\n calls =21", "structure/classes", "21 calls, but signatures and columns make 20"},
		{"fewer calls than events", "\n calls =20", "\n calls =3", "structure/classes",
			"3 calls, but the grammar has 14 events"},
		{"unknown template", "\n terminals 0:1:5", "\n terminals 0:1:6", "", "5 does not exist"},
		{"grammar's terminal", "\n terminals 0:1:5", "\n terminals 0:1:4", "", "expected MPI_Test.polls"},
		{"order of terminals", "R1*3 4*2 | 0 1 2 3", "R1*3 9*2 | 0 1 2 3", "", "terminal 9 before terminal 4"},
		{"unknown function", "0: MPI_Irecv", "0: MPI_Nothing", "", "unknown function"},
		{"call site", "site=1", "site=2", "structure/templates", "call site 2 does not exist"},
		{"request", "request=request#0) site=1", "request=request#7) site=1", "structure/classes",
			"uses request#0, which no call creates"},
		{"open leaf", "request=request#0) site=1 flags=- ret=0", "request=request#0) site=1 flags=- ret=0 open=9", "",
			"leaf \"9\" does not exist"},
		{"run of no polls", "\n MPI_Test.polls 0\n value 3", "\n MPI_Test.polls 0\n value 0", "columns", "length 0"},
		{"runs do not add up", "\n MPI_Test.polls 0\n value 3", "\n MPI_Test.polls 0\n value 4", "structure/classes",
			"20 calls, but signatures and columns make 23"},
		{"string in a column", "\n MPI_Comm_set_name.comm_name 1\n form 2\n value =0",
			"\n MPI_Comm_set_name.comm_name 1\n form 2\n value =9", "columns", "string 9 does not exist"},
		{"elements missing", "\n MPI_Alltoallv.sendcounts.elements 0\n value 2",
			"\n MPI_Alltoallv.sendcounts.elements 0\n value 3", "columns", "6 values for 9 occurrences"},
		{"length of a block", " | =2 | =6\n", " | =2 | =7\n", "columns", "a length is out of range"},
		{"column's bytes", " MPI_Comm_set_name.comm_name 1\n form 2\n value =0 | =1\n",
			" MPI_Comm_set_name.comm_name 1\n form 0\n blob 0\n", "", "blob 0, but there are 0"},
		{"broken blob", " MPI_Comm_set_name.comm_name 1\n form 2\n value =0 | =1\n timing 1\n times 0\n",
			" MPI_Comm_set_name.comm_name 1\n form 0\n blob 0\n timing 1\n times 0\ncolumn 0: hex 05ffff\n",
			"columns", "column 0"},
		{"timing's bytes", "timing 0: 100+10", "timing 0: hex 05ffff\n#", "timing", "item 0"},
		{"time runs back", "timing 0: 100+10", "timing 0: 9100+10", "timing", "after one that returned at"},
		{"length of timing", "timing 0: 100+10 ", "timing 0: ", "timing", "has 19 entries, but stream 0 has 20 calls"},
	} {
		t.Run(test.name, func(t *testing.T) {
			broken := strings.Replace(sound, test.old, test.new, 1)
			if broken == sound {
				t.Fatalf("%q is not in the text:\n%s", test.old, sound)
			}
			var out bytes.Buffer
			err := archive.ParseText(&out, strings.NewReader(broken))
			if test.section == "" { // the text itself
				if err == nil || !strings.Contains(err.Error(), test.msg) {
					t.Errorf("%v, want %q", err, test.msg)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			a, err := archive.OpenReader(bytes.NewReader(out.Bytes()), int64(out.Len()), archive.FileName("x.tabard"))
			if err == nil {
				err = archive.Validate(a)
			}
			var fe *archive.FormatError
			if !errors.As(err, &fe) {
				t.Fatalf("%v, want a FormatError", err)
			}
			if fe.Section != test.section || !strings.Contains(fe.Msg, test.msg) || fe.File != "x.tabard" ||
				fe.Hint == "" {
				t.Errorf("%+v\nwant section %q and message %q", fe, test.section, test.msg)
			}
		})
	}
}

// TestBrokenBytes changes the encoded structure of a sound archive, which its text cannot express.
func TestBrokenBytes(t *testing.T) {
	sound := archivetest.Bytes(t, small)
	const part = "\x2e\x01" // templates
	for _, test := range []struct {
		name            string
		section         int
		old, new        string
		where, msg      string
		version         uint32
		optional, twice bool
	}{
		{name: "unknown section", twice: true, version: 1, section: 99, where: "section 2",
			msg: "section type 99 version 1 is required"},
		{name: "unknown version", twice: true, version: 2, section: 3, where: "section 2",
			msg: "section type 3 version 2 is required"},
		{name: "two sections", twice: true, version: 1, section: 1, where: "meta", msg: "there are two such sections"},
		{name: "unknown part", section: 2, old: part, new: "\xc6\x01\x01\x00" + part, where: "structure",
			msg: "part 99 version 1 is required"},
		{name: "part twice", section: 2, old: part, new: "\x2e\x01\x01\x00" + part, where: "structure/templates",
			msg: "occurs twice"},
		{name: "lengths of timings", section: 1, old: "\x2a\x01\x03\x01\x01", new: "\x2a\x01\x04\x02\x01\x02",
			where: "meta/timings", msg: "does not fit into"},
		{name: "negative length", section: 1, old: "\x2a\x01\x03\x01\x01", new: "\x2a\x01\x04\x02\x01\x01",
			where: "meta/timings", msg: "item 0 of -1 bytes does not fit"},
		{name: "table too large", section: 1, old: "\x2a\x01\x03\x01\x01", new: "\x2a\x01\x03\x7f\x7f",
			where: "meta/timings", msg: "does not fit into"},
		{name: "grammar", section: 2, old: "\x00\x02\x03\x02\x03\x00\x00\x00\x00\x01\x01",
			new: "\x00\x02\x03\x02\x03\x00\x00\x00\x7e\x01\x01", where: "structure/classes",
			msg: "before the first one"},
		{name: "exponent", section: 2, old: "\x00\x02\x03\x02\x03\x00\x00\x00\x00\x01\x01",
			new: "\x00\x02\x03\x00\x03\x00\x00\x00\x00\x01\x01", where: "structure/classes", msg: ""},
		{name: "shared rule", section: 2, old: "\x00\x02\x03\x02\x03\x00\x00\x00\x00\x01\x01",
			new: "\x00\x02\x05\x02\x03\x00\x00\x00\x00\x01\x01", where: "structure/classes",
			msg: "shared rule 3 does not exist"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := archivetest.Split(sound)
			if err != nil {
				t.Fatal(err)
			}
			if test.twice {
				extra := archivetest.Section{Type: uint32(test.section), Version: test.version, Raw: []byte{0}}
				f.Sections = append(f.Sections[:2:2], append([]archivetest.Section{extra}, f.Sections[2:]...)...)
			} else {
				s := &f.Sections[test.section-1]
				changed := bytes.Replace(s.Raw, []byte(test.old), []byte(test.new), 1)
				if bytes.Equal(changed, s.Raw) {
					t.Fatalf("%x is not in %x", test.old, s.Raw)
				}
				s.Raw = changed
			}
			b := f.Bytes()
			a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.FileName("x.tabard"))
			if err == nil {
				err = archive.Validate(a)
			}
			var fe *archive.FormatError
			if !errors.As(err, &fe) {
				t.Fatalf("%v, want a FormatError", err)
			}
			if fe.Section != test.where || !strings.Contains(fe.Msg, test.msg) || fe.File != "x.tabard" ||
				fe.Hint == "" {
				t.Errorf("%+v\nwant section %q and message %q", fe, test.where, test.msg)
			}
		})
	}
}

// TestOptionalIsSkipped reads an archive of a newer writer.
func TestOptionalIsSkipped(t *testing.T) {
	sound := text(t, archivetest.Archive(t, small))
	newer := sound + "unknown section=2 part=77 version=1 at=1 hex=00\n" +
		"unknown section=99 part=0 version=3 at=2 hex=0102\n"
	var out bytes.Buffer
	if err := archive.ParseText(&out, strings.NewReader(newer)); err != nil {
		t.Fatal(err)
	}
	a := archivetest.Open(t, out.Bytes())
	if err := archive.Validate(a); err != nil {
		t.Error(err)
	}
	if got := strings.Join(a.Skipped(), ", "); got != "section 99 version 3, part 77 of structure" {
		t.Errorf("skipped: %s", got)
	}
	got := text(t, a)
	for line := range strings.Lines(newer) {
		if !strings.Contains(got, line) {
			t.Errorf("the text loses %q:\n%s", line, got)
		}
	}
	var again bytes.Buffer
	if err := archive.ParseText(&again, strings.NewReader(got)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Bytes(), out.Bytes()) {
		t.Error("the text gives another file")
	}
	checkStats(t, a, int64(out.Len()))
	if a.Stats().Other != 2 {
		t.Errorf("%d other bytes, want 2", a.Stats().Other)
	}
}

// TestLimits checks that limits are kept and named.
func TestLimits(t *testing.T) {
	b := archivetest.Bytes(t, long)
	_, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.MaxSection(10))
	if err == nil || !strings.Contains(err.Error(), "trace.MaxSection") {
		t.Errorf("%v", err)
	}
	a := archivetest.Open(t, b, archive.MaxWork(2))
	if err := archive.Validate(a); err == nil || !strings.Contains(err.Error(), "trace.MaxWork") {
		t.Errorf("%v", err)
	}
	// The cache holds at most one section above its limit.
	if dump(t, archivetest.Open(t, b, archive.Cache(0))) != dump(t, archivetest.Open(t, b)) {
		t.Error("another dump without a cache")
	}
}

func TestTextErrors(t *testing.T) {
	const head = "tabard text 2\n"
	for _, test := range []struct{ text, want string }{
		{"", "it is empty"},
		{"something", `expected "tabard text 2"`},
		{head + "x", "not understood"},
		{head + "abi x", "is no number"},
		{head + "tool x", "is no string in quotes"},
		{head + "module 0: 1 2", "2 values instead of 3"},
		{head + "module 1: \"a\" \"\" 0", "item 1 follows item -1"},
		{head + "group 0\nhello", "expected world"},
		{head + "template 0: MPI_Nothing()", "unknown function"},
		{head + "template 0: MPI_Barrier(comm=comm)", "unknown name"},
		{head + "class 0\ngroup 0", "group 0 is not in 0..-1"},
		{head + "column 0: 1*99999999999", "run of 99999999999 values"},
		{head + "timing 0: 1+99999999999999999999", "out of range"},
		{head + "unknown x=1", "unknown attribute"},
	} {
		err := archive.ParseText(&bytes.Buffer{}, strings.NewReader(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
		}
	}
}

// TestMissingSections leaves out each section in turn.
func TestMissingSections(t *testing.T) {
	file, err := archivetest.Split(archivetest.Bytes(t, small))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"meta: the section is missing", "structure: the section is missing",
		"does not fit into the 0"} {
		f := &archivetest.File{}
		f.Sections = append(append(f.Sections, file.Sections[:i]...), file.Sections[i+1:]...)
		b := f.Bytes()
		_, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without section %d: %v, want %q", i, err, want)
		}
	}
}
