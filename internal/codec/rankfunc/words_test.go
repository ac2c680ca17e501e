package rankfunc

import (
	"slices"
	"testing"
)

// TestFormulasInWords: what people read, found from the values that eight ranks have.
func TestFormulasInWords(t *testing.T) {
	for want, values := range map[string][]int64{
		"5":               {5, 5, 5, 5, 5, 5, 5, 5},
		"rank":            {0, 1, 2, 3, 4, 5, 6, 7},
		"rank-3":          {-3, -2, -1, 0, 1, 2, 3, 4},
		"(rank+1) mod 8":  {1, 2, 3, 4, 5, 6, 7, 0},
		"rank xor 1":      {1, 0, 3, 2, 5, 4, 7, 6},
		"3*rank+2":        {2, 5, 8, 11, 14, 17, 20, 23},
		"-rank":           {0, -1, -2, -3, -4, -5, -6, -7},
		"9 for 3, else 4": {4, 4, 4, 9, 4, 4, 4, 4},
	} {
		all := Range(0, len(values))
		f := Fit(&Context{Size: len(values)}, all, values)
		if got := f.String(); got != want {
			t.Errorf("%v is %q, want %q", values, got, want)
		}
		for r, v := range f.Values(all) {
			if v != values[r] || f.At(r) != v {
				t.Errorf("%s at %d is %d and %d, want %d", want, r, v, f.At(r), values[r])
			}
		}
		_, constant := f.Constant()
		if constant != (slices.Min(values) == slices.Max(values)) {
			t.Errorf("%s is constant: %t", want, constant)
		}
	}
}

// TestCoordinatesInWords: sums of row and column with their signs.
func TestCoordinatesInWords(t *testing.T) {
	for want, f := range map[string]Formula{
		"transpose 4x3":                  {A: 1, B: 4, P: 3},
		"5*(rank mod 3)":                 {B: 5, P: 3},
		"2*(rank div 3)-(rank mod 3)+1":  {A: 2, B: -1, C: 1, P: 3},
		"-(rank div 3)+2*(rank mod 3)-4": {A: -1, B: 2, C: -4, P: 3},
		"7*(rank div 3)":                 {A: 7, P: 3},
		"(rank div 3)+(rank mod 3)":      {A: 1, B: 1, P: 3},
	} {
		f.Kind = FormulaCoords
		if got := f.String(); got != want {
			t.Errorf("%+v is %q, want %q", f, got, want)
		}
	}
}

// TestFitPanics: a value is missing.
func TestFitPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("three values of four ranks are enough")
		}
	}()
	Fit(&Context{Size: 4}, Range(0, 4), []int64{1, 2, 3})
}
