/* Helpers that are called from several places: a wrapper of MPI, a wrapper of the wrapper, and one
 * that the compiler puts in line. */
#include "check.h"
#define NOINLINE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))

static int from, sum;

NOINLINE static void halo(int tag)
{
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, tag, &from, 1, MPI_INT, (rank + size - 1) % size, tag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += from;
}

NOINLINE static int comm_sum(int v)
{
    int total;
    MPI_Allreduce(&v, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return total + 1;
}

NOINLINE static int norm(int v) { return comm_sum(v) + 1; }

INLINE void put(int root)
{
    MPI_Bcast(&from, 1, MPI_INT, root, MPI_COMM_WORLD); }
INLINE void share(void)
{
    put(0); }

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int t = 0; t < 20; t++) {
        for (int k = 0; k < 10; k++) {
            halo(1);
            halo(1);
        }
        share();
        halo(1);
        sum += norm(t);
        put(0);
        sum += norm(t);
    }
    return finish("helpers", norm(sum));
}
