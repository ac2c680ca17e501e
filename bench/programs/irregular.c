/* Irregular programs: what varies follows from a seed, or from who is faster.
 *   irregular amr STEPS SEED       peers and sizes change every 8 steps, tags in every step
 *   irregular test STEPS SEED      requests completed by MPI_Test, wildcard receives
 *   irregular iprobe STEPS SEED    messages of unknown source, tag and size found by MPI_Iprobe
 *   irregular waitsome STEPS SEED  requests completed by MPI_Waitsome, wildcard receives
 * The last three wait at random before they send. Rank 0 prints how many bytes it received. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLOTS = 6, SIZES = 500, TAGS = 1000, REGRID = 8, FLOOR = 600 };

static int rank, size;
static uint64_t seed;
static long received;
static double in[SLOTS][FLOOR + SIZES], out[SLOTS][FLOOR + SIZES];

static void must(int true, const char *what)
{
    if (true) return;
    fprintf(stderr, "irregular: rank %d: not true: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A random number below n that all ranks agree on (splitmix64 of what it is about). */
static int shared(int n, int what, long a, long b, long c)
{
    uint64_t h = seed, keys[] = {what, a, b, c};
    for (int i = 0; i < 4; i++) {
        h += 0x9e3779b97f4a7c15 * (keys[i] + 1);
        h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9;
        h = (h ^ h >> 27) * 0x94d049bb133111eb;
        h ^= h >> 31;
    }
    return (h >> 33) % n;
}

/* The partner in a random pairing of the ranks; the rank itself if it is left over. */
static int partner(long epoch, int slot)
{
    int order[size], at = 0;
    for (int i = 0; i < size; i++) order[i] = i;
    for (int i = size - 1; i > 0; i--) {
        int k = shared(i + 1, 1, epoch, slot, i), x = order[i];
        order[i] = order[k], order[k] = x;
    }
    while (order[at] != rank) at++;
    return (at ^ 1) < size ? order[at ^ 1] : rank;
}

static void amr(long steps)
{
    MPI_Request r[2 * SLOTS];
    int n = 0, peers[SLOTS], to[SLOTS], from[SLOTS], cells = 1, all;
    for (long step = 0; step < steps; step++) {
        long epoch = step / REGRID;
        if (step % REGRID == 0) {
            n = 0;
            for (int s = 0; s < SLOTS; s++) {
                int peer = partner(epoch, s);
                if (peer == rank || shared(4, 2, epoch, s, peer < rank ? peer : rank) == 0) continue;
                /* FLOOR: large enough for the library not to send at once. */
                to[n] = FLOOR + shared(SIZES, 3, epoch, s, rank);
                from[n] = FLOOR + shared(SIZES, 3, epoch, s, peer);
                peers[n++] = peer;
            }
            MPI_Allreduce(&cells, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        /* Two slots may have the same partner: both ends take them in the same order. */
        int tag = shared(TAGS, 4, step, 0, 0);
        for (int i = 0; i < n; i++) MPI_Irecv(in[i], from[i], MPI_DOUBLE, peers[i], tag, MPI_COMM_WORLD, &r[i]);
        for (int i = 0; i < n; i++) MPI_Isend(out[i], to[i], MPI_DOUBLE, peers[i], tag, MPI_COMM_WORLD, &r[n + i]);
        MPI_Waitall(2 * n, r, MPI_STATUSES_IGNORE);
        for (int i = 0; i < n; i++) received += from[i] * sizeof(double);
    }
}

static void delay(long step)
{
    struct timespec t = {0, 1000L * shared(300, 5, step, rank, 0)};
    nanosleep(&t, NULL);
}

/* In a step, rank r sends to r+1 .. r+3 a message each. */
enum { FAN = 3 };

static void send(long step)
{
    delay(step);
    for (int k = 1; k <= FAN; k++) {
        int to = (rank + k) % size;
        MPI_Send(out[0], 1 + shared(SIZES, 6, step, rank, k), MPI_DOUBLE, to, shared(8, 7, step, rank, k), MPI_COMM_WORLD);
    }
}

static void receive(MPI_Request *r)
{
    for (int k = 0; k < FAN; k++) MPI_Irecv(in[k], SIZES, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r[k]);
}

static void arrived(MPI_Status *s)
{
    int bytes;
    MPI_Get_count(s, MPI_BYTE, &bytes);
    received += bytes;
}

static void test(long steps)
{
    MPI_Request r[FAN];
    MPI_Status s;
    for (long step = 0; step < steps; step++) {
        receive(r);
        send(step);
        for (int k = 0, flag; k < FAN; k++) {
            do MPI_Test(&r[k], &flag, &s);
            while (!flag);
            arrived(&s);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void iprobe(long steps)
{
    MPI_Status s;
    for (long step = 0; step < steps; step++) {
        send(step);
        for (int k = 0, flag, n; k < FAN; k++) {
            do MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &s);
            while (!flag);
            MPI_Get_count(&s, MPI_DOUBLE, &n);
            MPI_Recv(in[0], n, MPI_DOUBLE, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, &s);
            received += n * sizeof(double);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void waitsome(long steps)
{
    MPI_Request r[FAN];
    MPI_Status s[FAN];
    for (long step = 0; step < steps; step++) {
        int done, indices[FAN];
        receive(r);
        send(step);
        for (int left = FAN; left > 0; left -= done) {
            MPI_Waitsome(FAN, r, &done, indices, s);
            for (int i = 0; i < done; i++) arrived(&s[i]);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(long steps);
    } modes[] = {{"amr", amr}, {"test", test}, {"iprobe", iprobe}, {"waitsome", waitsome}};
    const char *mode = argc > 1 ? argv[1] : "";
    long steps = argc > 2 ? atol(argv[2]) : 100;
    seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    must(size > FAN, "there are at least 4 ranks");
    for (int m = 0; m < (int)(sizeof modes / sizeof *modes); m++) {
        if (strcmp(mode, modes[m].name)) continue;
        modes[m].run(steps);
        if (rank == 0) printf("%s on %d ranks, %ld steps: %ld\n", mode, size, steps, received);
        MPI_Finalize();
        return 0;
    }
    fprintf(stderr, "irregular: what is \"%s\"?\n", mode);
    MPI_Abort(MPI_COMM_WORLD, 2);
}
