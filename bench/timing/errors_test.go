package main

import (
	"math"
	"testing"
)

func TestErrors(t *testing.T) {
	var whole, a, b valueErrors
	for i, pair := range [][2]uint64{{100, 100}, {200, 190}, {0, 5}, {1000, 1040}} {
		whole.Add(pair[0], pair[1])
		if i < 2 {
			a.Add(pair[0], pair[1])
		} else {
			b.Add(pair[0], pair[1])
		}
	}
	a.Merge(&b)
	a.Merge(&valueErrors{})
	if a != whole {
		t.Errorf("merged %+v is not %+v", a, whole)
	}
	if whole.MaxAbs != 40 || whole.MaxRel != 0.05 || whole.Mean() != 55.0/4 {
		t.Errorf("%+v, mean %g", whole, whole.Mean())
	}
	rmse := math.Sqrt((100 + 25 + 1600) / 4.0)
	if got, want := whole.PSNR(), 20*math.Log10(1000/rmse); math.Abs(got-want) > 1e-12 {
		t.Errorf("PSNR %g, not %g", got, want)
	}
	if got := new(valueErrors).PSNR(); !math.IsInf(got, 1) {
		t.Errorf("PSNR of nothing: %g", got)
	}
}
