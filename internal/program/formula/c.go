package formula

import (
	"fmt"
	"strings"
)

// CPrinter prints expressions as C. The text relies on CPrelude, on the functions that Funcs
// collects, and on sc_grids (see CGrids) having been called with the size.
type CPrinter struct {
	// Rank and Size name the variables that hold them; Index and Elem the ones of a loop and of an
	// element. Their types are integers.
	Rank, Size, Elem string
	Index            func(loop int) string
	// Funcs are definitions of functions that the expressions printed so far call, in order.
	Funcs []string
	names map[string]string
}

// CPrelude defines the functions that printed expressions call.
const CPrelude = `static long sc_mod(long a, long b) { long m; if (b < 1) return 0; m = a % b; return m < 0 ? m + b : m; }
static long sc_div(long a, long b) { return b < 1 ? 0 : (a - sc_mod(a, b)) / b; }
static long sc_min(long a, long b) { return a < b ? a : b; }
static long sc_max(long a, long b) { return a > b ? a : b; }
static long sc_shl(long a) { return a < 0 || a > 62 ? 0 : 1L << a; }
static long sc_bits(long a) { long n = 0; for (; a > 0; a >>= 1) n++; return n; }
static long sc_low(long a) { return a > 0 ? a & -a : 0; }
static long sc_high(long a) { return a > 0 ? sc_shl(sc_bits(a) - 1) : 0; }
static void sc_balanced(long n, int k, int up, long *d)
{
    long prime[64], p, t;
    int c = 0, i, j;
    for (p = 2; p * p <= n; p++)
        while (n % p == 0) prime[c++] = p, n /= p;
    if (n > 1) prime[c++] = n;
    for (i = 0; i < k; i++) d[i] = 1;
    while (c-- > 0) {
        for (i = 1, j = 0; i < k; i++) if (d[i] < d[j]) j = i;
        d[j] *= prime[c];
    }
    for (i = 1; i < k; i++)
        for (j = i; j > 0 && (up ? d[j] < d[j - 1] : d[j] > d[j - 1]); j--) t = d[j], d[j] = d[j - 1], d[j - 1] = t;
}
static long sc_coord(const long *d, int n, int axis, long r) { for (n--; n > axis; n--) r /= d[n]; return n ? r % d[n] : r; }
static long sc_shift(const long *d, int n, const int *by, const char *wrap, long r)
{
    long v = 0;
    int i;
    for (i = 0; i < n; i++) {
        long x = sc_coord(d, n, i, r) + by[i];
        if ((x < 0 || x >= d[i]) && !wrap[i]) return -1;
        v = v * d[i] + sc_mod(x, d[i]);
    }
    return v;
}
static long sc_near(const long *d, int n, const int *by, int moves, long want, int what, long r)
{
    long k = 0, v;
    int i;
    for (i = 0; i < moves; i++) {
        if ((v = sc_shift(d, n, by + i * n, "\0\0\0\0\0\0\0", r)) < 0) continue;
        if (k++ == want) return what ? i : v;
    }
    return want < 0 && what == 2 ? k : -1;
}
`

// CGrids is the C text that declares the sizes of the axes of grids, and a function sc_grids(long
// size) that sets them; it returns 0 if that number of ranks does not fill one of them.
func CGrids(grids []*Grid) string {
	var b strings.Builder
	for _, g := range grids {
		fmt.Fprintf(&b, "static long sc_grid%d[%d];\n", g.ID, g.Axes)
	}
	b.WriteString("static int sc_grids(long size)\n{\n")
	for _, g := range grids {
		if len(g.Fixed) == 0 {
			fmt.Fprintf(&b, "    sc_balanced(size, %d, %d, sc_grid%d);\n", g.Axes, Truth(g.Ascending), g.ID)
			continue
		}
		product, open := g.fixed()
		for i, x := range g.Fixed {
			if x != 0 {
				fmt.Fprintf(&b, "    sc_grid%d[%d] = %d;\n", g.ID, i, x)
			}
		}
		if open >= 0 {
			fmt.Fprintf(&b, "    if (size %% %d) return 0;\n    sc_grid%d[%d] = size / %d;\n", product, g.ID, open,
				product)
		} else {
			fmt.Fprintf(&b, "    if (size != %d) return 0;\n", product)
		}
	}
	b.WriteString("    return size > 0;\n}\n")
	return b.String()
}

// COperator is what C writes between two arguments, CFunction the functions of CPrelude. The values
// of conditions are of type int in C.
var (
	COperator = map[Op]string{Add: "+", Sub: "-", Mul: "*", Xor: "^", Eq: "==", Less: "<", And: "&&", Or: "||"}
	CFunction = map[Op]string{Div: "sc_div", Mod: "sc_mod", Min: "sc_min", Max: "sc_max", Shl: "sc_shl",
		Bits: "sc_bits", LowBit: "sc_low", HighBit: "sc_high"}
)

// Expr is the text of e, an expression of type long.
func (c *CPrinter) Expr(e *Expr) string {
	if e == nil {
		return "1"
	}
	switch e.Op {
	case Num:
		return fmt.Sprintf("%dL", e.N)
	case Rank:
		return "(long)" + c.Rank
	case Size:
		return "(long)" + c.Size
	case Index:
		return "(long)" + c.Index(int(e.N))
	case Elem:
		return "(long)" + c.Elem
	case While:
		return c.while(e)
	case Sum:
		return c.sum(e)
	}
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = c.Expr(a)
	}
	if o, ok := COperator[e.Op]; ok {
		text := fmt.Sprintf("(%s %s %s)", args[0], o, args[1])
		if e.IsCondition() {
			return "(long)" + text
		}
		return text
	}
	if f, ok := CFunction[e.Op]; ok {
		return f + "(" + strings.Join(args, ", ") + ")"
	}
	switch e.Op {
	case Not:
		return "(long)(!" + args[0] + ")"
	case If:
		return "(" + args[0] + " ? " + args[1] + " : " + args[2] + ")"
	case Pick:
		text := args[len(args)-1]
		for i := len(args) - 2; i > 0; i-- {
			is := fmt.Sprintf("== %d", i-1)
			if i == 1 {
				is = "< 1"
			}
			text = fmt.Sprintf("(%s %s ? %s : %s)", args[0], is, args[i], text)
		}
		return text
	}
	return c.grid(e, args)
}

func (c *CPrinter) grid(e *Expr, args []string) string {
	d := fmt.Sprintf("sc_grid%d", e.Grid.ID)
	switch e.Op {
	case Dim:
		return fmt.Sprintf("%s[%d]", d, e.N)
	case Coord:
		return fmt.Sprintf("sc_coord(%s, %d, %d, (long)%s)", d, e.Grid.Axes, e.N, c.Rank)
	}
	var by []string
	for _, m := range e.Moves {
		for _, x := range m {
			by = append(by, fmt.Sprint(x))
		}
	}
	moves := c.define("sc_moves", fmt.Sprintf("static const int %%s[] = {%s};\n", strings.Join(by, ", ")))
	if e.Op == Shift {
		wrap := ""
		for i := range e.Grid.Axes {
			wrap += fmt.Sprintf("\\%d", Truth(e.Periodic != nil && e.Periodic[i]))
		}
		return fmt.Sprintf("sc_shift(%s, %d, %s, \"%s\", (long)%s)", d, e.Grid.Axes, moves, wrap, c.Rank)
	}
	want, what := "-1", 2
	if e.Op != NearCount {
		want, what = args[0], int(Truth(e.Op == NearMove))
	}
	return fmt.Sprintf("sc_near(%s, %d, %s, %d, %s, %d, (long)%s)",
		d, e.Grid.Axes, moves, len(e.Moves), want, what, c.Rank)
}

// function defines a function whose parameters are all that e depends on, but for the loops in own.
// body is its text. The result is the call.
func (c *CPrinter) function(kind string, e *Expr, own map[int64]bool, body func(inner *CPrinter) string) string {
	outer := c.Index
	inner := *c
	params, passed := "long r, long p, long e", fmt.Sprintf("(long)%s, (long)%s, 0", c.Rank, c.Size)
	if c.Elem != "" {
		passed = fmt.Sprintf("(long)%s, (long)%s, (long)%s", c.Rank, c.Size, c.Elem)
	}
	e.Uses(func(x *Expr) bool {
		if x.Op == Index && !own[x.N] {
			own[x.N] = true
			params += fmt.Sprintf(", long i%d", x.N)
			passed += fmt.Sprintf(", (long)%s", outer(int(x.N)))
		}
		return false
	})
	inner.Rank, inner.Size, inner.Elem, inner.Index = "r", "p", "e", func(n int) string { return fmt.Sprintf("i%d", n) }
	text := body(&inner)
	c.Funcs, c.names = inner.Funcs, inner.names
	name := c.define(kind, fmt.Sprintf("static long %%s(%s)\n{\n%s}\n", params, escape(text)))
	return fmt.Sprintf("%s(%s)", name, passed)
}

// while makes a function that counts.
func (c *CPrinter) while(e *Expr) string {
	return c.function("sc_while", e, map[int64]bool{e.N: true}, func(inner *CPrinter) string {
		cond, most := inner.Expr(e.Args[0]), inner.Expr(e.Args[1])
		return fmt.Sprintf("    long i%[1]d;\n    (void)r, (void)p, (void)e;\n"+
			"    for (i%[1]d = 0; i%[1]d < %[2]s && %[3]s; i%[1]d++) {}\n    return i%[1]d;\n", e.N, most, cond)
	})
}

// sum makes a function that adds.
func (c *CPrinter) sum(e *Expr) string {
	return c.function("sc_sum", e, map[int64]bool{}, func(inner *CPrinter) string {
		return fmt.Sprintf("    long to = e, n = 0;\n    (void)r, (void)p;\n"+
			"    for (e = 0; e < to; e++) n += %s;\n    return n;\n", inner.Expr(e.Args[0]))
	})
}

// escape protects the text from being taken for a format.
func escape(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// define adds a definition with a name, once for equal ones.
func (c *CPrinter) define(kind, text string) string {
	if c.names == nil {
		c.names = map[string]string{}
	}
	name, ok := c.names[kind+text]
	if !ok {
		name = fmt.Sprintf("%s%d", kind, len(c.names))
		c.names[kind+text] = name
		c.Funcs = append(c.Funcs, fmt.Sprintf(text, name))
	}
	return name
}
