package synthetic

// stencils are the programs that exchange halos on a process grid.
func stencils() []*Program {
	return []*Program{
		{Name: "stencil-1d", Dims: 1, About: "3-point stencil, MPI_PROC_NULL at the borders, persistent requests",
			Body: stencil1},
		{Name: "stencil-1d-periodic", Dims: 1, About: "3-point stencil on a ring, Sendrecv",
			Body: func(r *Rank) { stencilRing(r) }},
		{Name: "stencil-2d", Dims: 2, About: "5-point stencil, ranks at the border have fewer neighbours",
			Body: func(r *Rank) { halo{faces: true}.run(r) }},
		{Name: "stencil-2d-periodic", Dims: 2, About: "5-point stencil on a torus",
			Body: func(r *Rank) { halo{faces: true, periodic: true}.run(r) }},
		{Name: "stencil-2d-cart", Dims: 2,
			About: "5-point stencil on a Cartesian communicator, Sendrecv with MPI_PROC_NULL", Body: stencilCart},
		{Name: "stencil-2d-9", Dims: 2, About: "9-point stencil", Body: func(r *Rank) { halo{}.run(r) }},
		{Name: "stencil-3d", Dims: 3, About: "7-point stencil", Body: func(r *Rank) { halo{faces: true}.run(r) }},
		{Name: "stencil-3d-periodic", Dims: 3, About: "7-point stencil on a torus",
			Body: func(r *Rank) { halo{faces: true, periodic: true}.run(r) }},
		{Name: "stencil-3d-27", Dims: 3, About: "27-point stencil", Body: func(r *Rank) { halo{}.run(r) }},
	}
}

// halo is a stencil with Isend, Irecv and Waitall.
type halo struct {
	faces    bool // neighbours across faces only, else all around
	periodic bool
}

// neighbour is one that a rank exchanges its halo with.
type neighbour struct {
	rank, tag, back int // tag of what goes there, and of what comes from there
	count           int
}

// neighbours lists those of a rank in a fixed order of directions. The size of a
// face, an edge and a corner differ.
func (h halo) neighbours(r *Rank) []neighbour {
	g := Grid{Dims: r.Dims, Periodic: h.periodic}
	d := len(g.Dims)
	at, by := g.Coords(r.Rank), make([]int, d)
	all := 1
	for range d {
		all *= 3
	}
	var ns []neighbour
	for k := range all {
		x, moved := k, 0
		for i := d - 1; i >= 0; i-- {
			by[i] = x%3 - 1
			x /= 3
			if by[i] != 0 {
				moved++
			}
		}
		if moved == 0 || h.faces && moved > 1 {
			continue
		}
		if n, ok := g.Neighbour(at, by); ok {
			count := 1
			for range d - moved {
				count *= 16
			}
			ns = append(ns, neighbour{rank: n, tag: k, back: all - 1 - k, count: count})
		}
	}
	return ns
}

func (h halo) run(r *Rank) {
	ns := h.neighbours(r)
	in, out := make([]*Buffer, len(ns)), make([]*Buffer, len(ns))
	for i, n := range ns {
		in[i], out[i] = r.Malloc(8*n.count), r.Malloc(8*n.count)
	}
	qs := make([]*Request, 0, 2*len(ns))
	for step := range r.Steps {
		qs = qs[:0]
		for i, n := range ns {
			d := Data{r.At(in[i], 0), n.count, r.Double}
			qs = append(qs, r.Irecv(12, d, n.rank, n.back, r.World, r.From(n.rank, n.back, d.Bytes())))
		}
		for i, n := range ns {
			qs = append(qs, r.Isend(15, Data{r.At(out[i], 0), n.count, r.Double}, n.rank, n.tag, r.World))
		}
		r.Waitall(17, qs, true)
		if step%10 == 9 {
			r.Allreduce(19, r.Stack(-64), Data{r.Stack(-56), 1, r.Double}, r.World)
		}
	}
}

// stencil1 keeps its requests.
func stencil1(r *Rank) {
	const n = 32
	left, right := r.Rank-1, r.Rank+1
	if left < 0 {
		left = r.lib.procNull
	}
	if right == r.Ranks {
		right = r.lib.procNull
	}
	field := r.Malloc(8 * 8 * n)
	at := func(row int) Data { return Data{r.At(field, 8*n*row), n, r.Double} }
	qs := []*Request{
		r.RecvInit(11, at(0), left, 1, r.World, r.From(left, 1, 8*n)),
		r.RecvInit(12, at(7), right, 2, r.World, r.From(right, 2, 8*n)),
		r.SendInit(13, at(1), left, 2, r.World),
		r.SendInit(14, at(6), right, 1, r.World),
	}
	for range r.Steps {
		r.Startall(16, qs)
		r.Waitall(17, qs, true)
	}
	for _, q := range qs {
		r.RequestFree(20, q)
	}
	r.Free(field)
}

func stencilRing(r *Rank) {
	const n = 100
	left, right := (r.Rank+r.Ranks-1)%r.Ranks, (r.Rank+1)%r.Ranks
	for range r.Steps {
		out, in := Data{r.Static(0), n, r.Double}, Data{r.Static(8 * n), n, r.Double}
		r.Sendrecv(11, out, left, 3, in, right, 3, r.World, in.Bytes())
		r.Sendrecv(12, out, right, 4, in, left, 4, r.World, in.Bytes())
		r.Allreduce(13, Address{Off: r.lib.inPlace}, Data{r.Stack(-48), 1, r.Double}, r.World)
	}
}

// stencilCart shifts through a Cartesian communicator, columns as a vector type.
func stencilCart(r *Rank) {
	const n = 16
	g := &Grid{Dims: r.Dims}
	r.DimsCreate(11, r.Ranks, g.Dims)
	c := r.CartCreate(12, r.World, g)
	at := g.Coords(r.Rank)
	shift := func(by ...int) int {
		if k, ok := g.Neighbour(at, by); ok {
			return k
		}
		return r.lib.procNull
	}
	up, down, left, right := shift(-1, 0), shift(1, 0), shift(0, -1), shift(0, 1)
	r.CartShift(13, c, 0, up, down)
	r.CartShift(14, c, 1, left, right)
	column := r.TypeVector(15, n, 1, n+2, r.Double)
	cell := func(i, j int) Address { return r.Static(8 * (i*(n+2) + j)) }
	row := func(i int) Data { return Data{cell(i, 1), n, r.Double} }
	col := func(j int) Data { return Data{cell(1, j), 1, column} }
	for step := range r.Steps {
		r.Sendrecv(18, row(1), up, 1, row(n+1), down, 1, c, 8*n)
		r.Sendrecv(19, row(n), down, 2, row(0), up, 2, c, 8*n)
		r.Sendrecv(20, col(1), left, 3, col(n+1), right, 3, c, 8*n)
		r.Sendrecv(21, col(n), right, 4, col(0), left, 4, c, 8*n)
		if step%10 == 9 {
			r.Allreduce(24, r.Stack(-64), Data{r.Stack(-56), 1, r.Double}, c)
		}
	}
	r.TypeFree(26, column)
	r.CommFree(27, c)
}
