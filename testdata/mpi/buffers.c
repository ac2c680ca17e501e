/* Buffers everywhere: static, stack, heap made anew each iteration (so that
 * addresses alternate), grown, aligned, mapped, and from MPI_Alloc_mem. */
#include "check.h"
#include <alloca.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

static double fixed[256];
static double zeroed[64] = {1};

static void ring(void *a, void *b, int n)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    double *send = a, *recv = b;
    for (int i = 0; i < n; i++) send[i] = rank + i;
    MPI_Sendrecv(send, n, MPI_DOUBLE, right, 0, recv, n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(recv[0] == left && recv[n - 1] == left + n - 1);
}

static int depth(int n) /* the same call at many stack depths */
{
    double a[8], b[8];
    ring(a, b, 8);
    return n ? 1 + depth(n - 1) : 0;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int step = 0; step < 40; step++) {
        double *a = malloc(1024), *b = calloc(128, 8), *c;
        ring(a, b, 64);
        a = realloc(a, 65536);
        ring(a + 1000, b, 64);
        free(b);
        b = step % 2 ? malloc(1 << 20) : NULL; /* above the mmap threshold */
        if (b) ring(b, a, 100);
        free(b);
        c = memalign(64, 4096);
        ring(c + 8, a + 8, 8);
        free(c);
        CHECK(posix_memalign((void **)&c, 4096, 8192) == 0);
        ring(c, a, 16);
        free(c);
        c = aligned_alloc(32, 320);
        ring(c, c + 20, 20);
        free(c);
        free(a);
        ring(fixed, zeroed, 64);
        ring(fixed + 128, fixed, 128);
    }
    double stack[32], *dynamic = alloca(32 * 8);
    ring(stack, dynamic, 32);
    CHECK(depth(10) == 10);
    double *mapped = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ring(mapped, mapped + 512, 512);
    munmap(mapped, 65536);
    double *mpi;
    MPI_Alloc_mem(8192, MPI_INFO_NULL, &mpi);
    ring(mpi, mpi + 512, 512);
    MPI_Free_mem(mpi);
    double *one = sbrk(4096);
    ring(one, one + 128, 128);
    return finish("buffers", fixed[1]);
}
