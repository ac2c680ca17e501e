package docpage

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const page = "# A page: of `x`, twice\n" +
	"See [there](other.md#a-place), not `[x](y)`.\n\n" +
	"<!-- setup\none\ntwo\n-->\n" +
	"<!-- fails -->\n" +
	"```console\n$ tabard info \\\n    app\ncommand  ./app\n...\n$ false\n```\n\n" +
	"<!-- not run: no GPU -->\n\n" +
	"    tabard record x\n\n" +
	"```c\nint x;\n```\n"

func TestParse(t *testing.T) {
	p := parse(page)
	want := []Step{{4, true, "one\ntwo", nil, false},
		{10, false, "tabard info \\\n    app", []string{"command  ./app", "..."}, false},
		{14, false, "false", nil, true}}
	if !reflect.DeepEqual(p.Steps, want) {
		t.Errorf("steps %+v", p.Steps)
	}
	if len(p.Code) != 3 || p.Code[1].NotRun != "no GPU" || p.Code[2].Language != "c" || p.Code[2].NotRun != "" {
		t.Errorf("code %+v", p.Code)
	}
	if fmt.Sprint(p.Links) != "[{2 other.md#a-place}]" || !p.Anchors["a-page-of-x-twice"] {
		t.Errorf("links %v, anchors %v", p.Links, p.Anchors)
	}
}

func TestMatch(t *testing.T) {
	const printed = "app: 4 ranks, 336 calls in 2.4 KiB\n\n" +
		"  computation   129 ms  48.7%  ############  20\n  last line at app.c:32   \n"
	for want, line := range map[string]int{
		"app: 4 ranks, 336 calls in 9 B\n...":                                     -1,
		"app: 5 ranks, 336 calls in 2.4 KiB\n...":                                 0,
		"app: 4 ranks, 336 calls in 2.4 KiB":                                      1,
		"...\n  computation  1.2 s  3%  ###  20\n...":                             -1,
		"...\n  computation  1.2 s  3%  ###  21\n...":                             1,
		"app: ... KiB\n\n  computation 1 ms 1.0% ### ...\n last line at app.c:32": -1,
		"app: 4 ranks, 336 calls in 2.4 KiB\n...\n  last line at app.c:33":        2,
		"...":                                    -1,
		"...\n  last line at ...:32\n  and more": 2,
	} {
		if got := Match(strings.Split(want, "\n"), printed); got != line {
			t.Errorf("%q: line %d, want %d", want, got, line)
		}
	}
}
