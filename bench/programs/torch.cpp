// A loop of collectives of torch.distributed and of waiting for them, by the stand-in for PyTorch's library: torch N.
// Prints the number of pairs, and the nanoseconds of processor that the loop took.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include "../../testdata/torch/torch.h"

static double now()
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int, char **argv)
{
    using namespace c10d;
    long n = atol(argv[1]);
    setenv("FAKE_TORCH", "torch.meeting", 0);
    Ptr<Store> base = new Store, store = new PrefixStore("0", base);
    Ptr<ProcessGroupGloo> group = new ProcessGroupGloo(store, 0, 1, nullptr);
    Tensors x(1, at::ones({8, 8}));
    AllreduceOptions options;
    double begin = now();
    for (long i = 0; i < n; i++) group->allreduce(x, options)->wait(milliseconds(0));
    printf("%ld %.0f\n", n, now() - begin);
    return 0;
}
