package archive_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// TestContentArchive: an archive of a content, which is in no file, reads as the file that the
// content is from, and writes the same bytes.
func TestContentArchive(t *testing.T) {
	file := archivetest.Bytes(t, irregular(6, 30))
	a := archivetest.Open(t, file)
	c, err := a.Content()
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Archive()
	if err != nil {
		t.Fatal(err)
	}
	if err := archive.Validate(b); err != nil {
		t.Error(err)
	}
	if !slices.Equal(lines(t, a), lines(t, b)) {
		t.Error("the calls differ")
	}
	for i := range a.NumStreams() {
		x, y := a.Stream(i), b.Stream(i)
		if x.Rank().Rank != y.Rank().Rank || x.Calls() != y.Calls() || x.Timed() != y.Timed() {
			t.Errorf("stream %d differs", i)
		}
		p, errP := x.CallAt(x.Calls() - 1)
		q, errQ := y.CallAt(y.Calls() - 1)
		if errP != nil || errQ != nil || p.String() != q.String() || p.Start != q.Start || p.End != q.End {
			t.Errorf("last call of stream %d: %v, %v; %v, %v", i, p, q, errP, errQ)
		}
	}
	again, err := b.Content()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := again.Write(&out); err != nil || !bytes.Equal(out.Bytes(), file) {
		t.Errorf("written again it is another file (%v)", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// TestSignatureEqual compares signatures with their encodings, and changes clones of them.
func TestSignatureEqual(t *testing.T) {
	var all []*archive.Signature
	for _, d := range []string{irregular(3, 4), "rank 0 of 1 on n\n" +
		"MPI_Type_create_struct(count=2, array_of_blocklengths=[1, 2], array_of_types=[MPI_INT, MPI_CHAR]) ; " +
		"newtype=type#0\n" +
		"MPI_Type_create_struct(count=2, array_of_blocklengths=[1, 3], array_of_types=[MPI_INT, MPI_CHAR]) ; " +
		"newtype=type#0\n" +
		"MPI_Comm_set_name(comm=comm#1, comm_name=\"a\")\nMPI_Comm_set_name(comm=comm#1, comm_name=\"b\")\n"} {
		for s := range archivetest.Archive(t, d).Streams() {
			sigs, err := s.Signatures()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, sigs...)
		}
	}
	for _, x := range all {
		encoded := x.Append(nil)
		for _, y := range all {
			if want := bytes.Equal(encoded, y.Append(nil)); x.Equal(y) != want {
				t.Errorf("%s\nand %s are equal: %t", x, y, !want)
			}
		}
		c := x.Clone()
		if !c.Equal(x) {
			t.Errorf("a clone of %s differs", x)
		}
		for _, l := range archive.Leaves(nil, c) {
			switch l.Kind() {
			case archive.VecLeaf:
				if err := l.SetVec([]int64{4, 2, 6}, 0); err != nil {
					t.Fatal(err)
				}
			case archive.StrLeaf:
				l.SetStr("changed")
			default:
				if err := l.SetInt(2); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !bytes.Equal(x.Append(nil), encoded) {
			t.Errorf("changing a clone changed %s", x)
		}
	}
}
