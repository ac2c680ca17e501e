// A library that is loaded while the program runs: see loads.c.
static __attribute__((noinline, noclone)) int leaf(int n)
{
    __asm__ volatile("");
    return n + 1;
}

int plugin_work(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) s += leaf(i);
    return s;
}
