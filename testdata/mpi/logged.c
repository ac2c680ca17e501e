/* For fault tests: calls MPI for a while and counts, in a file mapped shared,
 * the calls that have returned. Whatever happens to the process, a trace must
 * hold at least that many calls of this rank.
 *   logged DIRECTORY SECONDS */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long *returned;
#define CALL(x) ((x), ++*returned)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv)
{
    char path[4096];
    unsigned long early = 0;
    if (argc < 3) return 2;
    returned = &early;
    CALL(MPI_Init(&argc, &argv));
    CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
    snprintf(path, sizeof path, "%s/returned.%d", argv[1], rank);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 8)) return 5;
    returned = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    *returned = early;
    double end = now() + atof(argv[2]);
    int right = (rank + 1) % size, left = (rank + size - 1) % size, go = 1;
    for (long step = 0; go; step++) {
        int x = step, y = -1;
        MPI_Request r[2];
        MPI_Datatype t;
        CALL(MPI_Irecv(&y, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &r[0]));
        CALL(MPI_Isend(&x, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &r[1]));
        CALL(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        if (y != x) return 6;
        if (step % 16 == 0) { /* something irregular */
            CALL(MPI_Type_contiguous(step % 97 + 1, MPI_INT, &t));
            CALL(MPI_Type_free(&t));
            go = now() < end;
            CALL(MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD));
        }
    }
    if (rank == 0) printf("logged: done\n");
    CALL(MPI_Finalize());
    return 0;
}
