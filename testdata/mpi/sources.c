/* For fault tests, as logged.c: events of one source between calls of MPI, which are counted in a file mapped shared when
 * what makes them has returned.
 *   sources DIRECTORY SECONDS io|regions|openmp|nccl|threads
 * Of OpenMP, those that both runtimes have; of threads, creations and joins. */
#include "check.h"
#include "../../include/tabard.h"
#include "../nccl/nccl.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static unsigned long early, *returned = &early;
static void count(unsigned long n) { __atomic_add_fetch(returned, n, __ATOMIC_RELEASE); }
#define CALL(x) do { (x); count(1); } while (0)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static const char *directory;

static void io(long step)
{
    char path[4096], text[64] = "0123456789";
    int file;
    FILE *stream;
    snprintf(path, sizeof path, "%s/data.%d.%ld", directory, rank, step % 5);
    CALL(file = open(path, O_RDWR | O_CREAT, 0600));
    if (file < 0) MPI_Abort(MPI_COMM_WORLD, 7);
    for (long i = 0; i < step % 7; i++) {
        CALL(pwrite(file, text, (size_t)(i + step % 3), 64 * i));
        CALL(pread(file, text, 8, 64 * i));
    }
    CALL(close(file));
    CALL(stream = fopen(path, "a"));
    CALL(fprintf(stream, "%ld\n", step));
    CALL(fclose(stream));
}

static void regions(long step)
{
    char name[32];
    snprintf(name, sizeof name, "part %ld", step % 4);
    CALL(tabard_region_begin("step"));
    for (long i = 0; i < step % 5; i++) {
        CALL(tabard_region_begin(name));
        CALL(tabard_region_value("number", (double)step));
        CALL(tabard_region_end());
    }
    CALL(tabard_region_mark("moment"));
    CALL(tabard_region_end());
}

static void openmp(long step)
{
    static long sum;
#pragma omp parallel num_threads(2)
    {
        for (long i = 0; i < step % 3; i++) {
#pragma omp critical
            sum++;
            count(3); /* begin, acquired, released */
        }
#pragma omp barrier
        count(2);
    }
    count(2 + 2 * 2); /* of the region, and of its bodies */
}

static ncclComm_t alone;

static void nccl(long step)
{
    static float in[64], out[64];
    if (!alone) {
        ncclUniqueId id;
        CALL(ncclGetUniqueId(&id));
        CALL(ncclCommInitRank(&alone, 1, id, 0));
    }
    for (long i = 0; i < step % 3; i++) CALL(ncclAllReduce(in, out, (size_t)(1 + step % 50), ncclFloat32, ncclSum, alone, NULL));
    CALL(ncclBroadcast(in, out, 8, ncclFloat32, 0, alone, NULL));
}

static void *nothing(void *p) { return p; }

static void threads(long step)
{
    pthread_t some[3];
    for (long i = 0; i < 1 + step % 3; i++) CALL(pthread_create(&some[i], NULL, nothing, NULL));
    for (long i = 0; i < 1 + step % 3; i++) CALL(pthread_join(some[i], NULL));
}

static const struct { const char *name; void (*step)(long); } all[] = {
    {"io", io}, {"regions", regions}, {"openmp", openmp}, {"nccl", nccl}, {"threads", threads}};

int main(int argc, char **argv)
{
    char path[4096];
    void (*events)(long) = NULL;
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        if (argc == 4 && strcmp(argv[3], all[i].name) == 0) events = all[i].step;
    if (!events) return 2;
    directory = argv[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/returned.%d", argv[1], rank);
    /* No calls of the C library: these would be recorded. */
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || syscall(SYS_ftruncate, fd, 8L)) return 5;
    returned = (unsigned long *)syscall(SYS_mmap, NULL, 8L, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
    double end = now() + atof(argv[2]);
    int go = 1;
    for (long step = 0; go; step++) {
        events(step);
        if (step % 16 == 0) {
            go = now() < end;
            MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0) printf("sources: done\n");
    MPI_Finalize();
    return 0;
}
