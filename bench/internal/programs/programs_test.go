package programs

import (
	"strings"
	"testing"
)

func TestParseList(t *testing.T) {
	list, err := ParseList(strings.NewReader("# programs\n\nBT.S 16 /x/bt.S.x\nLULESH 8 ./lulesh -s 10 # cube\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Name != "BT.S" || list[0].Ranks != 16 ||
		strings.Join(list[1].Args, " ") != "./lulesh -s 10" {
		t.Errorf("%+v", list)
	}
	for _, bad := range []string{"BT.S 16", "BT.S x ./bt", "BT.S 0 ./bt"} {
		if _, err := ParseList(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestCommas(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 123456789: "123,456,789"} {
		if got := Commas(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
