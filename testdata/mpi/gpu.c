/* Messages from and to memory of a GPU that is allocated through the driver's own functions, which are
 * found one by one, as a CUDA runtime inside the executable does it. The argument is a library that plays the driver. */
#include "check.h"
#include <dlfcn.h>
#include <stdint.h>

typedef int *(*allocator)(size_t at, size_t bytes);
static int (*find)(const char *, void *, int, uint64_t, void *);

static void *function(const char *name)
{
    void *f = NULL;
    CHECK(find(name, &f, 0, 0, NULL) == 0);
    return f;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    void *driver = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    CHECK(driver != NULL);
    find = (int (*)(const char *, void *, int, uint64_t, void *))dlsym(driver, "cuGetProcAddress_v2");
    CHECK(find != NULL);
    allocator device = (allocator)function("device"), managed = (allocator)function("managed"), host = (allocator)function("host");
    void (*take)(int *) = (void (*)(int *))function("take");
    int *a = device(0, 4000), *b = managed(1 << 20, 5000), *c = host(2 << 20, 600);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, sum = 0;
    for (int step = 0; step < 20; step++) {
        a[16] = rank + step;
        MPI_Sendrecv(a + 16, 1, MPI_INT, next, 0, b + 2, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(b[2] == previous + step);
        MPI_Allreduce(b + 2, c, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        sum += c[0];
    }
    take(a);
    a = device(0, 1 << 19);
    a[1000] = sum;
    MPI_Bcast(a + 1000, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(a[1000] == sum);
    return finish("gpu", sum);
}
