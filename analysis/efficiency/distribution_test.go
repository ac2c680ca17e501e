package efficiency

import (
	"testing"
	"time"
)

// TestFull counts more calls than fit into 32 bits.
func TestFull(t *testing.T) {
	var d Distribution
	d.add(time.Millisecond)
	for range 33 {
		d.Merge(&d)
	}
	d.add(time.Microsecond)
	d.add(time.Millisecond)
	if d.Count() != 1<<33+2 || len(d.Bins()) != 2 || d.Bins()[1].Count != 1<<33+1 {
		t.Fatalf("%d durations in bins %v", d.Count(), d.Bins())
	}
	for _, q := range []float64{.1, .5, .9, .99, 1} {
		if got := d.Quantile(q); got < 900*time.Microsecond || got > 1100*time.Microsecond {
			t.Errorf("the %g-quantile is %v", q, got)
		}
	}
	if got := d.Quantile(0); got > 2*time.Microsecond {
		t.Errorf("the least is %v", got)
	}
}
