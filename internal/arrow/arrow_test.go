package arrow

import (
	"bytes"
	"encoding/binary"
	"testing"
)

type row struct {
	Rank int32  `col:"rank"`
	Name string `col:"name,dict"`
	Size *int64 `col:"size"`
	Tag  *int32 `col:"tag"`
	Done bool   `col:"done"`
}

// buffer reads tables of FlatBuffers, as far as the test needs it.
type buffer []byte

func (b buffer) u32(at int) int { return int(int32(binary.LittleEndian.Uint32(b[at:]))) }

// field is where field i of a table is, 0 if it is absent.
func (b buffer) field(table, i int) int {
	vtable := table - b.u32(table)
	if 4+2*i >= int(binary.LittleEndian.Uint16(b[vtable:])) {
		return 0
	}
	if off := int(binary.LittleEndian.Uint16(b[vtable+4+2*i:])); off > 0 {
		return table + off
	}
	return 0
}

func (b buffer) ref(table, i int) int {
	at := b.field(table, i)
	return at + b.u32(at)
}

// Everything is found from the footer, lies where alignment wants it, and comes back. Readers of other projects
// read the same files in e2e.
func TestFile(t *testing.T) {
	const rows = 2*batchRows + 77
	var file bytes.Buffer
	w := NewWriter[row](&file, "col")
	for i := range rows {
		r := row{Rank: int32(i), Name: []string{"a", "bcd", "", "\xff"}[i%4], Done: i%3 == 0}
		if i%5 > 0 {
			n, tag := int64(i)<<20, int32(-i)
			r.Size, r.Tag = &n, &tag
		}
		if _, err := w.Write([]row{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := file.Bytes()
	if !bytes.HasPrefix(b, []byte(Magic)) || !bytes.HasSuffix(b, []byte(Magic)) {
		t.Fatal("no magic")
	}
	end := len(b) - len(Magic) - 4
	n := int(binary.LittleEndian.Uint32(b[end:]))
	foot := buffer(b[end-n : end])
	root := foot.u32(0)
	schema := foot.ref(root, 1)
	fields := foot.ref(schema, 1)
	for i, want := range []string{"rank", "name", "size", "tag", "done"} {
		at := fields + 4 + 4*i
		name := foot.ref(at+foot.u32(at), 0)
		if got := string(foot[name+4 : name+4+foot.u32(name)]); got != want {
			t.Errorf("column %d is %q, not %q", i, got, want)
		}
	}
	blocks := func(i int) (list [][3]int) {
		at := foot.ref(root, i)
		for k := range foot.u32(at) {
			x := at + 4 + 24*k
			list = append(list, [3]int{int(binary.LittleEndian.Uint64(foot[x:])), foot.u32(x + 8),
				int(binary.LittleEndian.Uint64(foot[x+16:]))})
		}
		return list
	}
	if got := len(blocks(2)); got != 1 {
		t.Errorf("%d dictionaries", got)
	}
	seen := 0
	for _, k := range blocks(3) {
		if k[0]%8 != 0 || k[1]%8 != 0 || k[2]%8 != 0 {
			t.Errorf("block %v is not aligned", k)
		}
		m := buffer(b[k[0]+8 : k[0]+k[1]])
		batch := m.ref(m.u32(0), 2)
		length := int(binary.LittleEndian.Uint64(m[m.field(batch, 0):]))
		buffers := m.ref(batch, 2)
		body := b[k[0]+k[1] : k[0]+k[1]+k[2]]
		part := func(i int) []byte {
			at := buffers + 4 + 16*i
			from, size := binary.LittleEndian.Uint64(m[at:]), binary.LittleEndian.Uint64(m[at+8:])
			return body[from : from+size]
		}
		ranks, names, valid, sizes := part(1), part(3), part(4), part(5)
		for i := range length {
			x := seen + i
			if binary.LittleEndian.Uint32(ranks[4*i:]) != uint32(x) ||
				binary.LittleEndian.Uint32(names[4*i:]) != uint32(x%4) {
				t.Fatalf("row %d: other numbers", x)
			}
			if is := valid[i/8]>>(i%8)&1 == 1; is != (x%5 > 0) ||
				is && binary.LittleEndian.Uint64(sizes[8*i:]) != uint64(x)<<20 {
				t.Fatalf("row %d: another size", x)
			}
		}
		seen += length
	}
	if seen != rows {
		t.Errorf("%d rows, not %d", seen, rows)
	}
}

// A table without rows is a file, too.
func TestEmpty(t *testing.T) {
	var file bytes.Buffer
	if err := NewWriter[row](&file, "col").Close(); err != nil || !bytes.HasSuffix(file.Bytes(), []byte(Magic)) {
		t.Errorf("%v, %d bytes", err, file.Len())
	}
}
