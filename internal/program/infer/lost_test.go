package infer

import "testing"

// TestLostBy says why partners follow no rule, if they are along an axis of a process grid.
func TestLostBy(t *testing.T) {
	const halved = "in some calls it is 2 steps away along axis 0 of the process grid, " +
		"and no rule shows how far that is in other jobs"
	const unknown = "whom it talks to follows no rule that is found within seconds"
	along := func(axis, rank, steps int64, dims ...int64) int64 {
		stride := int64(1)
		for _, d := range dims[axis+1:] {
			stride *= d
		}
		c := rank / stride % dims[axis]
		return rank + ((c+steps)%dims[axis]-c)*stride
	}
	shape := map[int64][]int64{4: {2, 2, 1}, 8: {2, 2, 2}, 16: {4, 2, 2}}
	for _, c := range []struct {
		about string
		value values
		want  string
	}{
		{"the distance doubles where there are enough ranks", func(r, n, i int64) int64 {
			return along(0, r, 1+i*(shape[n][0]/2-1), shape[n]...)
		}, halved},
		{"neighbours", func(r, n, _ int64) int64 { return along(2, r, 1, shape[n]...) }, unknown},
		{"no axis", func(r, n, _ int64) int64 { return (r*r + 3) % n }, unknown},
	} {
		tab := seenIn(4, 8, 16).table(c.value, 2)
		if got := tab.lostBy(); got != c.want {
			t.Errorf("%s: %q, not %q", c.about, got, c.want)
		}
	}
}
