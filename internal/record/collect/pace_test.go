package collect

import (
	"testing"
	"time"
)

// Checkpoints that cost little come often, so that the ring stays small; dear ones do not come more often than before,
// and large ones in proportion to what came in.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		took    time.Duration
		durable int
		want    uint64
	}{
		{0, 0, minCheckpoint},
		{20 * time.Microsecond, 10_000, minCheckpoint},
		{time.Millisecond, 0, 10_000_000},
		{time.Minute, 0, mostCheckpoint},
		{time.Minute, 100 << 20, 400 << 20},
	} {
		p := &process{took: c.took, durable: c.durable}
		if got := p.pace(); got != c.want {
			t.Errorf("after a checkpoint of %d bytes in %v the next one comes after %d bytes, want %d", c.durable,
				c.took, got,
				c.want)
		}
	}
}

// One checkpoint that was held up says little; if all take that long, it is believed.
func TestPlausible(t *testing.T) {
	const us = time.Microsecond
	took := time.Duration(0)
	for i, step := range []struct{ now, want time.Duration }{
		{40 * us, 40 * us}, {20000 * us, 130 * us}, {40 * us, 40 * us},
		{800 * us, 130 * us}, {800 * us, 310 * us}, {800 * us, 670 * us}, {800 * us, 800 * us},
	} {
		if took = plausible(took, step.now); took != step.want {
			t.Errorf("checkpoint %d in %v: %v, want %v", i, step.now, took, step.want)
		}
	}
}
