package rankfunc

// What follows describes functions and sets to those who write them in another language.

// A Piece is a part of a function.
type Piece struct {
	// Ranks are the ranks that it holds for, nil for all that no piece before has.
	Ranks *Set
	// Formula gives their values, less Values if that is not nil: one for each of Ranks, in their
	// order.
	Formula Formula
	Values  []int64
}

// Pieces describes the function: the first piece that has a rank counts. ranks is what the function
// was made for.
func (f *Func) Pieces(ranks *Set) []Piece {
	if f.f != nil {
		return []Piece{{Formula: f.f.described()}}
	}
	k := f.packed()
	if k.except != nil {
		pieces := k.rest.Pieces(k.except)
		pieces[len(pieces)-1].Ranks = k.except
		return append(pieces, Piece{Formula: k.f.described()})
	}
	p := Piece{Ranks: ranks, Formula: k.f.described()}
	for r, v := range f.Values(ranks) {
		p.Values = append(p.Values, v-k.f.at(int64(r)))
	}
	return []Piece{p}
}

// described is the formula with what it refers to.
func (f *Formula) described() Formula {
	out := *f
	switch f.Kind {
	case FormulaPermute:
		out.Described = &Described{Order: orders[f.A]}
	case FormulaNear, FormulaNearNumber:
		out.Described = &Described{Cells: f.regions()}
	}
	return out
}

// regions is what the formulas of neighbours give, by the region of a rank.
func (f *Formula) regions() []int64 {
	order := &neighborOrders(len(f.Axes))[f.P]
	out := make([]int64, regionsOf[len(f.Axes)])
	for region := range out {
		out[region] = NoCell
		by := order.by[region]
		if f.A < 0 || f.A >= int64(len(by)) {
			continue
		}
		dir := int(by[f.A])
		if f.Kind == FormulaNearNumber {
			out[region] = f.B*order.number(dir, f.Q) + f.C
			continue
		}
		out[region] = 0
		for i, scale := len(f.Axes)-1, int64(1); i >= 0; i-- {
			out[region] += (int64(dir%3) - 1) * scale
			scale *= f.Axes[i].Size
			dir /= 3
		}
	}
	return out
}

// A Run is a part of a set: Count copies, Stride apart, of a list of runs, or of single ranks if
// Body is empty. The first copy begins at Low; the runs of a body are relative to the copy's begin.
type Run struct {
	Low, Stride, Count int
	Body               []Run
}

// Runs are the parts of the set, in ascending order.
func (s *Set) Runs() []Run {
	if s == nil {
		return nil
	}
	return exportRuns(s.canonical().list.of)
}

func exportRuns(of []run) []Run {
	out := make([]Run, len(of))
	for i, r := range of {
		out[i] = Run{Low: r.lo, Stride: r.stride, Count: r.count}
		if r.body != nil {
			out[i].Body = exportRuns(r.body.of)
		}
	}
	return out
}
