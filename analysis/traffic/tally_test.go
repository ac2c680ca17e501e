package traffic

import "testing"

// TestTally: more different moves than are kept at a time; each comes twice, the second time after
// others were handed on.
func TestTally(t *testing.T) {
	got := map[int32]uint64{}
	handed := 0
	emit := func(n uint64) func(Move) error {
		return func(m Move) error {
			got[m.To] += n
			handed++
			return nil
		}
	}
	var sum tally
	const moves = maxTally*2 + 100
	for range 2 {
		for i := range int32(moves) {
			if err := sum.add(Move{To: i, Bytes: 8}, uint64(i)+1, emit); err != nil {
				t.Fatal(err)
			}
			if len(sum.moves) > maxTally {
				t.Fatalf("%d moves are kept", len(sum.moves))
			}
		}
	}
	if handed == 0 {
		t.Error("nothing was handed on before the end")
	}
	if err := sum.flush(emit); err != nil {
		t.Fatal(err)
	}
	for i := range int32(moves) {
		if got[i] != 2*(uint64(i)+1) {
			t.Fatalf("move %d: %d, want %d", i, got[i], 2*(i+1))
		}
	}
}
