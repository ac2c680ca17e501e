package main

import (
	"slices"
	"strings"
	"testing"
)

func TestParseScalings(t *testing.T) {
	list, err := parseScalings(strings.NewReader("# name from to command\n\nFT 4,8 16 ./ft -x\nEP 2 9 ./ep\n"))
	if err != nil || len(list) != 2 || !slices.Equal(list[0].from, []int{4, 8}) || list[0].to != 16 ||
		!slices.Equal(list[0].args, []string{"./ft", "-x"}) || list[1].name != "EP" {
		t.Errorf("%+v, %v", list, err)
	}
	for _, bad := range []string{"FT 4 16", "FT four 16 ./ft", "FT 4 many ./ft"} {
		if _, err := parseScalings(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
