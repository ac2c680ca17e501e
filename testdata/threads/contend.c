/* Threads that wait for each other: contend THREADS ROUNDS. Each holds a lock for a while in each round, so that the
 * others find it taken, and all meet at a barrier. The first one gives the others the word by a condition, and then by
 * a semaphore. One lock is never taken by two threads at a time. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, mine[64], door = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t word = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all;
static sem_t go;
static int threads, rounds, open_door, total;

static void critical(void)
{
    pthread_mutex_lock(&lock); /* contended */
    total++;
    usleep(2000);
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
    long me = (long)argument;
    pthread_mutex_lock(&door);
    while (!open_door) pthread_cond_wait(&word, &door); /* word */
    pthread_mutex_unlock(&door);
    sem_wait(&go); /* go */
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mine[me]); /* free */
        critical();
        pthread_mutex_unlock(&mine[me]);
        pthread_rwlock_rdlock(&shared); /* free, too */
        pthread_rwlock_unlock(&shared);
        pthread_barrier_wait(&all); /* barrier */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[64];
    int level;
    threads = argc > 1 ? atoi(argv[1]) : 3, rounds = argc > 2 ? atoi(argv[2]) : 10;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    pthread_barrier_init(&all, NULL, (unsigned)threads);
    sem_init(&go, 0, 0);
    for (long i = 0; i < threads; i++) {
        pthread_mutex_init(&mine[i], NULL);
        pthread_create(&ids[i], NULL, work, (void *)i);
    }
    usleep(100000);
    pthread_mutex_lock(&door);
    open_door = 1;
    pthread_cond_broadcast(&word);
    pthread_mutex_unlock(&door);
    usleep(100000);
    for (int i = 0; i < threads; i++) sem_post(&go);
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    int sum = 0;
    MPI_Allreduce(&total, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
