/* The library of search.c, in two versions: the second one looks for solutions in another way. */
#define FAR __attribute__((noinline, noclone))

FAR static int descend(int x) { return x * 3 + 1; }
FAR static int anneal(int x) { return x * 5 + 2; }

int solve(int seed)
{
    volatile int x = seed;
    for (int i = 0; i < 5; i++) x = VERSION > 1 && i > 2 ? anneal(x) : descend(x);
    return x;
}
