package trend

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Change is how a measure of some recordings differs from that of others.
type Change struct {
	Measure Measure
	// Base and Now are the medians over the steps of the best of the recordings.
	Base, Now float64
	// Change is by how much: of times a part of Base, of the others a difference. Low and High bound it with a
	// confidence of 99 %.
	Change, Low, High float64
	// Steps is how many steps were compared, 0 if there is nothing to compare.
	Steps int
	// Mean says that Change is the mean without a tenth of the steps at each end, else it is the median.
	Mean bool
}

// Worse tells whether it is worse by more than a tolerance, and not by chance.
func (c *Change) Worse(tolerance float64) bool {
	if c.Measure.less() {
		return c.Change > tolerance && c.Low > 0
	}
	return -c.Change > tolerance && c.High < 0
}

// Better is the reverse of Worse.
func (c *Change) Better(tolerance float64) bool {
	if c.Measure.less() {
		return -c.Change > tolerance && c.High < 0
	}
	return c.Change > tolerance && c.Low > 0
}

const draws = 200 // of the bootstrap

// leastRuns is how many recordings of each side it takes to compare what has one value in each.
const leastRuns = 3

// leastSteps is how many steps are compared at least.
const leastSteps = 8

// Compare compares a measure of some recordings with that of others, by the median of the steps.
func Compare(base, now []*Run, m Measure) Change { return compare(base, now, m, median) }

// CompareMean does the same by the mean without a tenth of the steps at each end: what noise there is weighs more, but
// it also sees what happens in some of the steps only.
func CompareMean(base, now []*Run, m Measure) Change {
	c := compare(base, now, m, trimmed)
	c.Mean = true
	return c
}

func compare(base, now []*Run, m Measure, centre func([]float64) float64) Change {
	c := Change{Measure: m}
	a, b := matrixOf(base, m), matrixOf(now, m)
	n := math.MaxInt
	for _, s := range slices.Concat(a, b) {
		n = min(n, len(s))
	}
	if len(a) == 0 || len(b) == 0 || n == 0 || !alike(base, now) && m != Elapsed ||
		m == Elapsed && min(len(a), len(b)) < leastRuns || m != Elapsed && n < leastSteps {
		return c
	}
	random := rand.New(rand.NewPCG(1, 2))
	k := min(len(a), len(b))
	if c.Change, c.Base, c.Now, c.Steps = change(a, b, k, n, m, centre, random); c.Steps == 0 ||
		m != Elapsed && c.Steps < leastSteps {
		return Change{Measure: m}
	}
	d := spread(a, b, n, m, centre, random)
	c.Low, c.High = c.Change-d, c.Change+d
	if m.time() {
		c.Change, c.Low, c.High = math.Expm1(c.Change), math.Expm1(c.Low), math.Expm1(c.High)
		c.Base, c.Now = math.Exp(c.Base), math.Exp(c.Now)
	}
	return c
}

// alike tells whether a place in a series is the same steps in all recordings: of long runs it is several steps.
func alike(base, now []*Run) bool {
	for _, r := range slices.Concat(base, now) {
		if r.together != base[0].together {
			return false
		}
	}
	return true
}

// change is the middle of the differences, of as many recordings of both sides: the mean over some choices of them
// where one side has more.
func change(a, b [][]float64, k, n int, m Measure, centre func([]float64) float64,
	random *rand.Rand) (by, base, now float64, steps int) {
	choices := 64
	if len(a) == len(b) {
		choices = 1
	}
	all, room := ascending(n), make([]float64, 0, n)
	for range choices {
		da, db := best(a, random.Perm(len(a))[:k], n, m), best(b, random.Perm(len(b))[:k], n, m)
		d, pairs := middle(da, db, all, centre, room)
		if pairs == 0 {
			return 0, 0, 0, 0
		}
		steps = pairs
		by += d / float64(choices)
		base += median(known(da)) / float64(choices)
		now += median(known(db)) / float64(choices)
	}
	return by, base, now, steps
}

func ascending(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// matrixOf are the series of a measure, times as logarithms.
func matrixOf(runs []*Run, m Measure) [][]float64 {
	var of [][]float64
	for _, r := range runs {
		s := slices.Clone(r.series[m])
		for i, v := range s {
			if m.time() {
				s[i] = math.Log(v)
			}
		}
		of = append(of, s)
	}
	return of
}

// best is the best value of each step in the chosen recordings; NaN where there is none. Where there is one value in
// each it is the mean: then the interval is that of the t-test.
func best(of [][]float64, chosen []int, n int, m Measure) []float64 {
	found := make([]float64, n)
	if m == Elapsed {
		for _, r := range chosen {
			found[0] += of[r][0] / float64(len(chosen))
		}
		return found
	}
	for i := range found {
		found[i] = math.NaN()
		for _, r := range chosen {
			if v := of[r][i]; !math.IsNaN(v) && (math.IsNaN(found[i]) || (v < found[i]) == m.less()) {
				found[i] = v
			}
		}
	}
	return found
}

// middle is the middle of the differences at some steps, and of how many.
func middle(a, b []float64, steps []int, centre func([]float64) float64, room []float64) (float64, int) {
	room = room[:0]
	for _, i := range steps {
		if d := b[i] - a[i]; !math.IsNaN(d) {
			room = append(room, d)
		}
	}
	if len(room) == 0 {
		return math.NaN(), 0
	}
	return centre(room), len(room)
}

// trimmed is the mean without the least and the greatest tenth of the values, which it sorts.
func trimmed(values []float64) float64 {
	slices.Sort(values)
	cut := len(values) / 10
	sum := 0.0
	for _, v := range values[cut : len(values)-cut] {
		sum += v
	}
	return sum / float64(len(values)-2*cut)
}

// median sorts values; NaN of none.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// spread is by how much the change may be off, with a confidence of 99 %, on either side: because of the steps that
// were looked at, by the bootstrap, and because of the recordings, by the jackknife.
func spread(a, b [][]float64, n int, m Measure, centre func([]float64) float64, random *rand.Rand) float64 {
	everyone := func(of [][]float64) []float64 { return best(of, ascending(len(of)), n, m) }
	da, db := everyone(a), everyone(b)
	steps := normal * math.Sqrt(bootstrap(da, db, centre, random))
	all, room := ascending(n), make([]float64, 0, n)
	ofA := jackknife(len(a), func(but []int) float64 {
		v, _ := middle(best(a, but, n, m), db, all, centre, room)
		return v
	})
	ofB := jackknife(len(b), func(but []int) float64 {
		v, _ := middle(da, best(b, but, n, m), all, centre, room)
		return v
	})
	return math.Hypot(steps, student(len(a)+len(b)-2)*math.Sqrt(ofA+ofB))
}

// normal is the 99.5 % quantile of the normal distribution.
const normal = 2.576

// student is the 99.5 % quantile of Student's t distribution, which allows for variances that few values tell.
func student(freedom int) float64 {
	table := []float64{0, 63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169}
	if freedom < len(table) {
		return table[freedom]
	}
	v := float64(freedom)
	return normal + (normal*normal*normal+normal)/(4*v) // the first term of Cornish and Fisher's expansion
}

// jackknife is the variance of a value because of n things that it follows from: that of its values without one of
// them.
func jackknife(n int, of func(but []int) float64) float64 {
	if n < 2 {
		return 0
	}
	var values []float64
	mean := 0.0
	for i := range n {
		v := of(slices.Delete(ascending(n), i, i+1))
		values = append(values, v)
		mean += v / float64(n)
	}
	sum := 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum * float64(n-1) / float64(n)
}

// bootstrap is the variance of the middle because of the steps.
func bootstrap(a, b []float64, centre func([]float64) float64, random *rand.Rand) float64 {
	n := len(a)
	block := int(math.Ceil(math.Sqrt(float64(n))))
	steps, room := make([]int, 0, n+block), make([]float64, 0, n+block)
	var sum, squares, count float64
	for range draws {
		steps = steps[:0]
		for len(steps) < n {
			for i, from := 0, random.IntN(n-block+1); i < block; i++ {
				steps = append(steps, from+i)
			}
		}
		if v, k := middle(a, b, steps[:n], centre, room); k > 0 {
			sum, squares, count = sum+v, squares+v*v, count+1
		}
	}
	if count < 2 {
		return math.Inf(1)
	}
	return max(0, squares/count-(sum/count)*(sum/count))
}
