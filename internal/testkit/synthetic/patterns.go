package synthetic

import "fmt"

// patterns are regular programs whose traffic is not that of a stencil.
func patterns() []*Program {
	return []*Program{
		{Name: "hub", About: "all ranks send to rank 0, which answers", Body: hub},
		{Name: "tree-binary", About: "reduction up and broadcast down a binary tree", Body: treeBinary},
		{Name: "tree-binomial", About: "reduction up and broadcast down a binomial tree", Body: treeBinomial},
		{Name: "ring", About: "a token goes round", Body: ring1},
		{Name: "transpose", Dims: 2, About: "each rank exchanges with its mirror image on the process grid",
			Body: transpose},
		{Name: "multipartition", Dims: 2, Fits: square,
			About: "sweeps of a multi-partition code on a square grid, message sizes alternate", Body: multipartition},
		{Name: "growing", About: "the size of the message grows with each step", Body: growing},
		{Name: "rows-columns", Dims: 2, About: "collectives in the rows and columns of the process grid",
			Body: rowsColumns},
		{Name: "alltoallv", About: "counts and displacements that follow from the rank", Fits: few, Body: alltoallv},
	}
}

func square(p Params) error {
	if p.Dims[0] != p.Dims[1] {
		return fmt.Errorf("%d ranks are no square", p.Ranks)
	}
	return nil
}

// few keeps arrays with an element for each rank small.
func few(p Params) error {
	if p.Ranks > 4096 {
		return fmt.Errorf("%d ranks, at most 4096", p.Ranks)
	}
	return nil
}

func hub(r *Rank) {
	const n = 8
	buf := r.Malloc(8 * n)
	for range r.Steps {
		if r.Rank != 0 {
			r.Send(20, Data{r.At(buf, 0), n, r.Double}, 0, 5, r.World)
			r.Recv(21, Data{r.At(buf, 0), n, r.Double}, 0, 6, r.World, r.From(0, 6, 8*n), true)
			continue
		}
		for i := 1; i < r.Ranks; i++ {
			r.Recv(14, Data{r.At(buf, 0), n, r.Double}, i, 5, r.World, r.From(i, 5, 8*n), true)
		}
		for i := 1; i < r.Ranks; i++ {
			r.Send(17, Data{r.At(buf, 0), n, r.Double}, i, 6, r.World)
		}
	}
}

// upDown reduces from the children to the parent (-1 at the root) and broadcasts back.
func upDown(r *Rank, parent int, children []int) {
	const n = 4
	buf := r.Malloc(16 * n)
	for range r.Steps {
		for _, c := range children {
			r.Recv(12, Data{r.At(buf, 0), n, r.Double}, c, 1, r.World, r.From(c, 1, 8*n), true)
		}
		if parent >= 0 {
			r.Send(14, Data{r.At(buf, 8*n), n, r.Double}, parent, 1, r.World)
			r.Recv(15, Data{r.At(buf, 8*n), n, r.Double}, parent, 2, r.World, r.From(parent, 2, 8*n), true)
		}
		for _, c := range children {
			r.Send(18, Data{r.At(buf, 8*n), n, r.Double}, c, 2, r.World)
		}
	}
}

func treeBinary(r *Rank) {
	var children []int
	for c := 2*r.Rank + 1; c <= 2*r.Rank+2 && c < r.Ranks; c++ {
		children = append(children, c)
	}
	parent := -1
	if r.Rank > 0 {
		parent = (r.Rank - 1) / 2
	}
	upDown(r, parent, children)
}

func treeBinomial(r *Rank) {
	var children []int
	parent := -1
	for bit := 1; bit < r.Ranks; bit <<= 1 {
		if r.Rank&bit != 0 {
			parent = r.Rank &^ bit
			break
		}
		if r.Rank|bit < r.Ranks {
			children = append(children, r.Rank|bit)
		}
	}
	upDown(r, parent, children)
}

func ring1(r *Rank) {
	const n = 1
	left, right := (r.Rank+r.Ranks-1)%r.Ranks, (r.Rank+1)%r.Ranks
	token := Data{r.Stack(-32), n, r.Int}
	for range r.Steps {
		if r.Rank == 0 {
			r.Send(13, token, right, 9, r.World)
			r.Recv(14, token, left, 9, r.World, r.From(left, 9, 4), false)
		} else {
			r.Recv(16, token, left, 9, r.World, r.From(left, 9, 4), false)
			r.Send(17, token, right, 9, r.World)
		}
	}
}

// transpose exchanges blocks of a matrix that is distributed on the grid by rows. On a grid that is
// not square a rank sends to one partner and receives from another.
func transpose(r *Rank) {
	const n = 64
	p, q := r.Dims[0], r.Dims[1]
	to := (r.Rank%q)*p + r.Rank/q
	from := (r.Rank%p)*q + r.Rank/p
	a, b := r.Malloc(8*n), r.Malloc(8*n)
	for range r.Steps {
		out := Data{r.At(a, 0), n, r.Double}
		r.Sendrecv(12, out, to, 7, Data{r.At(b, 0), n, r.Double}, from, 7, r.World, 8*n)
		r.Barrier(13, r.World)
	}
}

// multipartition is the communication of NPB's SP and BT. Faces are exchanged with six neighbours.
// Then three sweeps go forth and back through the cells of a rank, each cell to the successor in
// the direction of the sweep. Cells have two sizes in turn.
func multipartition(r *Rank) {
	q := r.Dims[0]
	row, col := r.Rank/q, r.Rank%q
	at := func(i, j int) int { return (i+q)%q*q + (j+q)%q }
	dirs := [3][2]int{ // successor less predecessor in x, y, z
		{0, 1}, {1, 0}, {q - 1, q - 1},
	}
	size := func(i, c int) int { return 800 + 120*((i+c)&1) }
	in, out := r.Malloc(1<<14), r.Malloc(1<<14)
	var qs []*Request
	for range r.Steps {
		qs = qs[:0]
		for k, d := range dirs {
			for s, sign := range []int{1, -1} {
				peer := at(row-sign*d[0], col-sign*d[1])
				qs = append(qs, r.Irecv(12, Data{r.At(in, 2048*(2*k+s)), 200, r.Double}, peer, 10+2*k+s, r.World,
					r.From(peer, 10+2*k+s, 1600)))
			}
		}
		for k, d := range dirs {
			for s, sign := range []int{1, -1} {
				peer := at(row+sign*d[0], col+sign*d[1])
				qs = append(qs, r.Isend(15, Data{r.At(out, 2048*(2*k+s)), 200, r.Double}, peer, 10+2*k+s, r.World))
			}
		}
		r.Waitall(17, qs, true)
		for k, d := range dirs {
			succ, pred := at(row+d[0], col+d[1]), at(row-d[0], col-d[1])
			before, after := (row-d[0]+q)%q, row
			for c := range q {
				if c > 0 {
					n := size(before, c-1)
					in := r.Irecv(22+10*k, Data{r.At(in, 0), n, r.Double}, pred, 20+k, r.World, r.From(pred, 20+k, 8*n))
					r.Wait(23+10*k, in, true)
				}
				if c < q-1 {
					out := r.Isend(26+10*k, Data{r.At(out, 0), size(after, c), r.Double}, succ, 20+k, r.World)
					r.Wait(27+10*k, out, true)
				}
			}
		}
	}
	r.Reduce(52, r.Stack(-80), Data{r.Stack(-72), 5, r.Double}, 0, r.World)
}

func growing(r *Rank) {
	left, right := (r.Rank+r.Ranks-1)%r.Ranks, (r.Rank+1)%r.Ranks
	in, out := r.Malloc(8*(r.Steps+10)), r.Malloc(8*(r.Steps+10))
	for k := range r.Steps {
		d := Data{r.At(in, 0), k + 1, r.Double}
		a := r.Irecv(11, d, left, 0, r.World, r.From(left, 0, d.Bytes()))
		d.Addr = r.At(out, 0)
		b := r.Isend(12, d, right, 0, r.World)
		r.Wait(13, a, true)
		r.Wait(14, b, true)
	}
}

func rowsColumns(r *Rank) {
	p, q := r.Dims[0], r.Dims[1]
	i, j := r.Rank/q, r.Rank%q
	row := r.CommSplit(11, r.World, i, j, Members{j, q, func(k int) int { return i*q + k }})
	col := r.CommSplit(12, r.World, j, i, Members{i, p, func(k int) int { return k*q + j }})
	panel, sum := r.Malloc(8*256), r.Malloc(8*256)
	for step := range r.Steps {
		r.Bcast(15, Data{r.At(panel, 0), 256, r.Double}, step%q, row)
		r.Bcast(16, Data{r.At(panel, 0), 256, r.Double}, step%p, col)
		if q > 1 {
			left, right := (j+q-1)%q, (j+1)%q
			r.Sendrecv(18, Data{r.At(panel, 0), 64, r.Double}, right, 3, Data{r.At(sum, 0), 64, r.Double}, left, 3, row,
				8*64)
		}
		from := r.At(panel, 0)
		r.Allreduce(20, from, Data{r.At(sum, 0), 256, r.Double}, row)
		r.Reduce(21, from, Data{r.At(sum, 0), 256, r.Double}, 0, col)
	}
	r.CommFree(23, row)
	r.CommFree(24, col)
	r.Free(panel)
	r.Free(sum)
}

func alltoallv(r *Rank) {
	count := func(from, to int) int { return 4 + (from+2*to)%3 }
	out, in := make([]int, r.Ranks), make([]int, r.Ranks)
	for k := range r.Ranks {
		out[k], in[k] = count(r.Rank, k), count(k, r.Rank)
	}
	a, b := r.Malloc(8*6*r.Ranks), r.Malloc(8*6*r.Ranks)
	for range r.Steps {
		from := r.At(a, 0)
		r.Alltoallv(12, from, out, r.At(b, 0), in, r.Double, r.World)
	}
}
