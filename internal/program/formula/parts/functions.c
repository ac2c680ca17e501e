/* Functions of expressions in C, in parts (see package cgen): a line with the name of the function begins each, followed by
 * the parts that it needs. rank and size are variables of the program. */

//// mod
static long mod(long a, long b) /* never negative */
{
    long m;
    if (b < 1) return 0;
    m = a % b;
    return m < 0 ? m + b : m;
}

//// floor_div: mod
static long floor_div(long a, long b) { return b < 1 ? 0 : (a - mod(a, b)) / b; }

//// min
static long min(long a, long b) { return a < b ? a : b; }

//// max
static long max(long a, long b) { return a > b ? a : b; }

//// pick: min max
static long pick(long i, long n, const long from[]) { return from[min(max(i, 0), n - 1)]; }

//// power_of_2
static long power_of_2(long a) { return a < 0 || a > 62 ? 0 : 1L << a; }

//// bits
static long bits(long a)
{
    long n = 0;
    for (; a > 0; a >>= 1) n++;
    return n;
}

//// lowest_bit
static long lowest_bit(long a) { return a > 0 ? a & -a : 0; }

//// highest_bit
static long highest_bit(long a)
{
    if (a < 0) return 0;
    while (a & (a - 1)) a &= a - 1;
    return a;
}

//// balanced
/* k sizes that are as equal as possible and have the product n. */
static void balanced(long n, int k, int up, long d[])
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

//// coordinate
/* The place of the rank along an axis of a grid of ranks, the last one fastest. */
static long coordinate(int n, const long dims[], int axis)
{
    long r = rank;
    for (n--; n > axis; n--) r /= dims[n];
    return r % dims[axis];
}

//// grid_shift
/* The rank that is some steps away in a grid of ranks, the last dimension fastest; other beyond its borders. */
static long grid_shift(int n, const long dims[], const long steps[], const long periodic[], long other)
{
    long r = rank, to = 0, scale = 1;
    for (int i = n - 1; i >= 0; i--) {
        long at = r % dims[i] + steps[i];
        r /= dims[i];
        if (at < 0 || at >= dims[i]) {
            if (!periodic[i]) return other;
            at = (at % dims[i] + dims[i]) % dims[i];
        }
        to += at * scale;
        scale *= dims[i];
    }
    return r > 0 ? other : to;
}

//// grid_cell
/* Where in a grid the rank is: for each axis a digit to the base 3, which is 0 at its begin and 2 at its end. */
static long grid_cell(int n, const long dims[])
{
    long r = rank, cell = 0, scale = 1;
    for (int i = n - 1; i >= 0; i--) {
        long at = r % dims[i];
        cell += scale * (at == 0 ? 0 : at == dims[i] - 1 ? 2 : 1);
        r /= dims[i];
        scale *= 3;
    }
    return r > 0 ? -1 : cell;
}

//// neighbors: grid_shift
/* How many of some moves do not leave a grid of ranks. */
static long neighbors(int n, const long dims[], const long moves[], int count)
{
    static const long no[8];
    long k = 0;
    for (int i = 0; i < count; i++) k += grid_shift(n, dims, moves + i * n, no, -1) >= 0;
    return k;
}

//// neighbor: grid_shift
/* The rank that a number of these leads to, and which of the moves that is; -1 for none. */
static long neighbor(int n, const long dims[], const long moves[], int count, long number, int which)
{
    static const long no[8];
    for (int i = 0; number >= 0 && i < count; i++) {
        long to = grid_shift(n, dims, moves + i * n, no, -1);
        if (to >= 0 && number-- == 0) return which ? i : to;
    }
    return -1;
}
