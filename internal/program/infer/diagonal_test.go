package infer_test

import (
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// multipartition sweeps forth and back along the rows of a square grid: in each step each rank has one cell of
// a cube of cells, those at the border of the cube are less by what is fixed there. Messages have the number
// of the cell as tag. The buffer is as large as the largest faces of all cells of a rank, and one element.
var multipartition = &synthetic.Program{Name: "multipartition", About: "cells that move along diagonals",
	Body: func(r *synthetic.Rank) {
		q := 1
		for q*q < r.Ranks {
			q++
		}
		row, col := r.Rank/q, r.Rank%q
		turn := func(by int) int { return (by%q + q) % q }
		largest := 36/q + 1
		buf := r.Malloc(8 * (60*largest*largest*(q-1) + 1))
		// In a stage, the rank's cell is at (row+col-stage, stage-col) across the sweep.
		face := func(stage int) (count, tag int) {
			y, z := turn(row+col-stage), turn(stage-col)
			size := func(at int) int {
				if at == 0 || at == q-1 {
					return 36/q - 1
				}
				return 36 / q
			}
			return 22 * size(y) * size(z), 1000 + y + z*q
		}
		d := func(stage int) (synthetic.Data, int) {
			n, tag := face(stage)
			return synthetic.Data{Addr: r.At(buf, 0), Count: n, Type: r.Double}, tag
		}
		before, after := row*q+turn(col-1), row*q+turn(col+1)
		for range r.Steps {
			for stage := range q {
				in, tag := d(stage)
				if stage > 0 {
					got := r.Irecv(20, in, before, tag, r.World, r.From(before, tag, 8*in.Count))
					r.Wait(21, got, false)
				}
				if stage < q-1 {
					r.Send(22, in, after, tag, r.World)
				}
			}
			for stage := q - 1; stage >= 0; stage-- {
				in, tag := d(stage)
				if stage < q-1 {
					r.Recv(24, in, after, tag, r.World, r.From(after, tag, 8*in.Count), false)
				}
				if stage > 0 {
					r.Send(25, in, before, tag, r.World)
				}
			}
		}
	}}

// TestDiagonals: places that move along the diagonals of a square grid, and sizes by the faces of cells.
func TestDiagonals(t *testing.T) {
	scaledProgram(t, multipartition, 4, 36, 9, 16)
	scaledProgram(t, multipartition, 9, 81, 16, 36)
}
