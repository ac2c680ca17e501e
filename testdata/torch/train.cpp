/* Steps of a training loop, one rank for each process (RANK, WORLD_SIZE): train [WHAT], where WHAT is what rank 2 does in
 * step 5: skip, other, count, sleep, exit. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include "torch.h"

using namespace c10d;
enum { STEPS = 10, N = 64 };

static void step(ProcessGroupGloo *world, const char *what)
{
    Tensors x(1, at::ones({8, strcmp(what, "count") == 0 ? N / 16 : N / 8}));
    if (strcmp(what, "sleep") == 0) sleep(100);
    if (strcmp(what, "exit") == 0) _exit(3);
    if (strcmp(what, "skip") == 0) return;
    if (strcmp(what, "other") == 0) {
        world->broadcast(x, {})->wait(milliseconds(0));
        return;
    }
    AllreduceOptions max;
    max.reduceOp.op = 4;
    world->allreduce(x, max)->wait(milliseconds(0));
    if (!*what && x[0].impl->data[0] != (float)world->size) exit(5);
}

/* Each of the methods once. */
static void others(ProcessGroupGloo *g)
{
    int n = g->size, next = (g->rank + 1) % n, before = (g->rank + n - 1) % n;
    milliseconds none(0);
    Tensors one(1, at::ones({N})), parts((size_t)n, at::ones({4}));
    std::vector<Tensors> lists(1, parts);
    at::Tensor small = at::ones({4}), large = at::ones({4 * n}), rows = at::ones({n + 1, 2});
    ReduceOptions to_one;
    to_one.rootRank = 1;
    BroadcastOptions from_one;
    from_one.rootRank = 1;
    g->broadcast(one, from_one)->wait(none);
    g->reduce(one, to_one)->wait(none);
    g->allgather(lists, one, {})->wait(none);
    g->_allgather_base(large, small, {})->wait(none);
    g->gather(lists, one, {})->wait(none);
    g->scatter(one, lists, {})->wait(none);
    g->reduce_scatter(one, lists, {})->wait(none);
    g->_reduce_scatter_base(small, large, {})->wait(none);
    g->alltoall(parts, parts, {})->wait(none);
    std::vector<int64_t> equal, out((size_t)n, 1), in((size_t)n, 1);
    g->alltoall_base(large, large, equal, equal, {})->wait(none);
    in[(size_t)g->rank] = out[(size_t)g->rank] = 2;
    g->alltoall_base(rows, rows, out, in, {})->wait(none);
    Ptr<Work> s = g->send(one, next, 3), r = g->recv(one, before, 3);
    s->wait(none);
    r->wait(none);
    g->barrier({})->wait(none);
    g->monitoredBarrier({}, false);
}

int main(int argc, char **argv)
{
    int rank = atoi(getenv("RANK")), size = atoi(getenv("WORLD_SIZE"));
    Ptr<Store> base = new Store;
    Ptr<Store> zero = new PrefixStore("0", base), pair = new PrefixStore(rank % 2 ? "odd" : "even", base);
    Ptr<ProcessGroupGloo> world = new ProcessGroupGloo(zero, rank, size, nullptr);
    Ptr<ProcessGroupGloo> half = new ProcessGroupGloo(pair, rank / 2, (size + 1 - rank % 2) / 2, nullptr);
    Reducer reducer;
    for (int i = 0; i < STEPS; i++) step(world.target, rank == 2 && i == 5 && argc > 1 ? argv[1] : "");
    Tensors bucket(1, at::ones({N}));
    for (int i = 0; i < 2; i++) {
        reducer.begun.push_back(half->allreduce(bucket, {}));
        reducer.begun.back()->getFuture();
    }
    reducer.finalize_backward();
    others(world.target);
    printf("rank %d: done\n", rank);
    return 0;
}
