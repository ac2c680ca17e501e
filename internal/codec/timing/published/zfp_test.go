package published

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

// TestZFPBits compares with the streams that LLNL's zfp (da9a834, zfp_stream_set_accuracy, doubles,
// one dimension) writes for the same values: sha256 of them, padding zeros left out.
func TestZFPBits(t *testing.T) {
	for _, want := range zfpStreams {
		values, classes := zfpValues(want.n)
		c, err := New("zfp", Params{Bound: want.bound})
		if err != nil {
			t.Fatal(err)
		}
		b := &buffer{params: &c.params, bounds: newBounds(&c.params), values: values, classes: classes,
			cuts: []int{want.n}}
		body := encodeZFP(nil, b)
		for len(body) > 0 && body[len(body)-1] == 0 {
			body = body[:len(body)-1]
		}
		sum := sha256.Sum256(body)
		if got := hex.EncodeToString(sum[:8]); got != want.sum || len(body) != want.bytes {
			t.Errorf("%d values within %g: %d bytes, %s; zfp has %d, %s", want.n, want.bound, len(body), got,
				want.bytes, want.sum)
		}
	}
}

// zfpValues are n numbers of all sizes below 2^53, most of them near their neighbours.
func zfpValues(n int) (values []uint64, classes []uint32) {
	r := rand.New(rand.NewPCG(7, 8))
	v := uint64(1 << 20)
	for i := range n {
		switch i % 50 {
		case 17:
			v = r.Uint64() >> (11 + r.UintN(53))
		case 31:
			v = 0
		default:
			v += r.Uint64N(1000)
		}
		values = append(values, v&(1<<53-1))
	}
	return values, make([]uint32, n)
}

var zfpStreams = []struct {
	n     int
	bound float64
	bytes int
	sum   string
}{
	{1, 1, 5, "a14da91f32f932b7"},
	{1, 10000, 3, "466744e08f9f1740"},
	{2, 1, 10, "14d3a388d1fa7564"},
	{3, 1, 11, "5bdeeb3bb4874d41"},
	{4, 10000, 5, "8f626fc58d7bea3d"},
	{1000, 1, 2606, "9b50fcb84c6822bf"},
	{1000, 10000, 1028, "f04eb5a652e9805d"},
	{1000, 5e6, 344, "1af61346908fc61d"},
	{4099, 1, 11238, "106571a7973fb13b"},
	{4099, 10000, 4778, "2fe8ec3a59eee735"},
	{4099, 5e6, 1964, "0222d002273f0cca"},
}
