package plan

import (
	"math/rand"
	"reflect"
	"testing"
)

// A plan that is read from the cache is the one that was made.
func TestPack(t *testing.T) {
	for _, path := range libraries(t) {
		p, err := Make(path)
		if err != nil {
			t.Fatal(err)
		}
		got := unpack(p.pack())
		if got == nil || !got.valid() {
			t.Fatalf("%s: the plan cannot be read", path)
		}
		for i := range p.Functions {
			p.Functions[i].moved = [32]int{} // of making it
			if !reflect.DeepEqual(got.Functions[i], p.Functions[i]) {
				t.Fatalf("%s: %+v instead of %+v", path, got.Functions[i], p.Functions[i])
			}
		}
		if got.BuildID != p.BuildID || len(got.Functions) != len(p.Functions) {
			t.Errorf("%s: %d functions of %s", path, len(got.Functions), got.BuildID)
		}
	}
}

// A file that is damaged is none, or a plan that the runtime can be given.
func FuzzUnpack(f *testing.F) {
	p := &Plan{BuildID: "ab", Functions: []Function{
		{Addr: 16, Names: []string{"f", "g"}, Entry: 4, Loops: true, Original: []byte("12345"), Displaced: []byte("678901"),
			Fixups: []Fixup{{2, 6, fixRelative, 1 << 40}}, Frames: []byte{1}},
		{Addr: 64, Names: []string{"h"}, Refused: "too short"},
	}}
	b := p.pack()
	f.Add(b)
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		damaged := append([]byte(nil), b...)
		damaged[r.Intn(len(b))] = byte(r.Intn(256))
		f.Add(damaged[:len(b)-r.Intn(3)])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p := unpack(b)
		if p == nil || !p.valid() {
			return
		}
		if again := unpack(p.pack()); !reflect.DeepEqual(again, p) {
			t.Errorf("%+v becomes %+v", p, again)
		}
		p.Encode()
	})
}
