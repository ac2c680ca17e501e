package plan

import (
	"testing"
)

// Nearly all functions of real libraries can be traced, and each that cannot has a reason.
func TestCoverage(t *testing.T) {
	for _, path := range libraries(t) {
		p, err := Make(path)
		if err != nil {
			t.Fatal(err)
		}
		why := map[string]int{}
		for i := range p.Functions {
			f := &p.Functions[i]
			why[f.Refused]++
			if i > 0 && f.Addr <= p.Functions[i-1].Addr {
				t.Fatalf("%s: %v stands after %v", path, f, &p.Functions[i-1])
			}
		}
		traced, refused := p.Count()
		t.Logf("%s: %d traced, %d not: %v", path, traced, refused, why)
		if traced < 6*refused {
			t.Errorf("%s: %d functions traced, %d refused", path, traced, refused)
		}
	}
}
