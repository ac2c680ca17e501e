/* Threads that live shortly, in a loop: what one step's do is done before the barrier that ends it. One creates another
 * one, and some make no calls. */
#include "check.h"
#include <pthread.h>
#include <unistd.h>
#define THREADS 3
#define STEPS 10

static long sums[THREADS + 1];

static void exchange(long id)
{
    int out = rank, in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 100 + id, &in, 1, MPI_INT, (rank + size - 1) % size, 100 + id,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == (rank + size - 1) % size);
    sums[id] += in;
}

static void *work(void *id)
{
    /* Which one comes first is another one at each rank. */
    usleep((useconds_t)(((long)id + rank) % THREADS) * 2000);
    exchange((long)id);
    return NULL;
}

static void *silent(void *arg) { return arg; }

static void *creates(void *arg)
{
    pthread_t t;
    exchange(0);
    CHECK(pthread_create(&t, NULL, work, (void *)1L) == 0 && pthread_join(t, NULL) == 0);
    exchange(0);
    return arg;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t t[THREADS], other;
    long total = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    CHECK(pthread_create(&other, NULL, silent, NULL) == 0);
    for (int step = 0; step < STEPS; step++) {
        for (long i = 0; i < THREADS; i++) CHECK(pthread_create(&t[i], NULL, work, (void *)i) == 0);
        for (int i = 0; i < THREADS; i++) CHECK(pthread_join(t[i], NULL) == 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK(pthread_join(other, NULL) == 0);
    CHECK(pthread_create(&t[0], NULL, creates, NULL) == 0 && pthread_join(t[0], NULL) == 0);
    for (int i = 0; i < THREADS; i++) total += sums[i];
    return finish("shortthreads", total);
}
