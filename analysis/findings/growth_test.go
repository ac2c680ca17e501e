package findings

import (
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
)

// Time steps that take longer and longer are the program's fault where the fast ones do, too, and all the time. Where
// the machine has other work now and then, or from a moment on, the finding is a note that says so.
func TestGrowthOrLoad(t *testing.T) {
	const steps = 200
	for name, c := range map[string]struct {
		of   func(step int) time.Duration
		want Severity
	}{
		"the program": {func(i int) time.Duration { return time.Duration(1000 + 10*i) }, Warning},
		"interrupted more and more often": {func(i int) time.Duration {
			if (i*7)%steps < i+steps/4 {
				return time.Duration(1400 + 4*i)
			}
			return 1000
		}, Note},
		"another program starts": {func(i int) time.Duration {
			return time.Duration(1000 + i/20 + i/(steps/2)*1000)
		}, Note},
	} {
		usage := &efficiency.Result{Processes: make([]efficiency.Process, 2), Steps: make([]efficiency.Step, steps)}
		for i := range usage.Steps {
			d := c.of(i) * time.Microsecond
			spread := efficiency.Spread{Min: d, Sum: 2 * d, Max: d, Processes: 2}
			usage.Steps[i] = efficiency.Step{Begin: usage.End, Length: spread, Useful: spread}
			usage.End += d
		}
		for k := range usage.Processes {
			usage.Processes[k] = efficiency.Process{Process: int32(k), End: usage.End}
		}
		found := 0
		compared := Of(Input{Usage: usage, Compared: true})
		for i, n := range Of(Input{Usage: usage}) {
			if n.Kind != Growth {
				continue
			}
			found++
			if more := "sends no more"; strings.Contains(n.Text, more) ||
				strings.Contains(compared[i].Text, more) != (c.want == Note) {
				t.Errorf("%s: what is sent was not looked at: %s; it was: %s", name, n.Text, compared[i].Text)
			}
			if n.Severity != c.want || strings.Contains(n.Text, "the machine") != (c.want == Note) {
				t.Errorf("%s: %s: %s", name, n.Severity, n.Text)
			}
		}
		if found != 1 {
			t.Errorf("%s: %d findings of growth", name, found)
		}
	}
}
