/* MPI_THREAD_MULTIPLE: four threads a rank, with a communicator each and on a
 * shared one with a tag each. */
#include "check.h"
#include <pthread.h>
#define THREADS 4
#define STEPS 100

static MPI_Comm own[THREADS];
static long sums[THREADS];
static pthread_barrier_t all; /* the threads of a round are there at the same time */

static void *work(void *arg)
{
    long id = (long)arg;
    int peer = rank ^ 1, in, sum;
    pthread_barrier_wait(&all);
    for (int step = 0; step < STEPS; step++) {
        int out = 1000 * rank + step;
        MPI_Request r;
        MPI_Irecv(&in, 1, MPI_INT, peer, id, MPI_COMM_WORLD, &r);
        MPI_Send(&out, 1, MPI_INT, peer, id, MPI_COMM_WORLD);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        CHECK(in == 1000 * peer + step);
        MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, own[id]);
        CHECK(sum == 1000 + 2 * step);
        sums[id] += in;
        if (id == 3 && step % 10 == 0) { /* objects made and freed beside the other threads */
            MPI_Datatype t;
            MPI_Type_contiguous(step + 1, MPI_INT, &t);
            MPI_Type_free(&t);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t t[THREADS];
    long total = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(provided == MPI_THREAD_MULTIPLE && size == 2);
    pthread_barrier_init(&all, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    for (int round = 0; round < 3; round++) { /* threads end and others begin */
        for (long i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, work, (void *)i);
        for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    }
    for (int i = 0; i < THREADS; i++) total += sums[i], MPI_Comm_free(&own[i]);
    return finish("threads", total);
}
