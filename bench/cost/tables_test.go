package main

import "testing"

func TestSpread(t *testing.T) {
	costs := []cost{{path: 3}, {path: -1}, {path: 7}, {path: 5}}
	if got, want := spread(costs, path), "+4.0 (-1.0 to 7.0)"; got != want {
		t.Errorf("spread of four: %s, want %s", got, want)
	}
	if got, want := median(costs[:3], path), "3.0"; got != want {
		t.Errorf("median of three: %s, want %s", got, want)
	}
}
