package export

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Lines come back in the order of times, and of their coming where times are equal, however many runs they are in.
func TestTimedLines(t *testing.T) {
	var l timedLines
	defer l.close()
	type line struct {
		at   int64
		text string
	}
	var want []line
	long := strings.Repeat("x", 1000)
	for i := range 3*runText/1000 + 7 {
		x := line{int64(rand.IntN(500)), fmt.Sprintf("%d %s\n", i, long[:rand.IntN(1000)])}
		want = append(want, x)
		if err := l.add(x.at, []byte(x.text)); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.runs) == 0 {
		t.Error("all lines are in memory")
	}
	slices.SortStableFunc(want, func(a, b line) int { return int(a.at - b.at) })
	var all, out bytes.Buffer
	for _, x := range want {
		all.WriteString(x.text)
	}
	if err := l.writeTo(&out); err != nil || !bytes.Equal(out.Bytes(), all.Bytes()) {
		t.Errorf("%v, %d bytes of %d", err, out.Len(), all.Len())
	}
	var none timedLines
	out.Reset()
	if err := none.writeTo(&out); err != nil || out.Len() > 0 {
		t.Errorf("no lines: %v, %q", err, &out)
	}
	none.close()
}
