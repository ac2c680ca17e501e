package report

import "testing"

func TestStrides(t *testing.T) {
	for want, ranks := range map[string][]int{
		"0": {0}, "0-2": {0, 1, 2}, "0,2": {0, 2}, "0-6:2": {0, 2, 4, 6}, "0-2,10-30:10": {0, 1, 2, 10, 20, 30},
		"3,5-7,9": {3, 5, 6, 7, 9}, "1-2": {1, 1, 2, 2},
	} {
		if got := RankList(ranks); got != want {
			t.Errorf("%v: %s, want %s", ranks, got, want)
		}
	}
}
