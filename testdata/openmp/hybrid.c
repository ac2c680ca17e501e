/* An MPI program with threads: loops, a barrier, a critical section, sections, ordered iterations. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

#define N 64
int main(int argc, char **argv)
{
    int provided, rank;
    long sum = 0, ordered = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 10; step++) {
#pragma omp parallel for num_threads(2) reduction(+ : sum)
        for (int i = 0; i < N; i++) sum += i;
#pragma omp parallel num_threads(3)
        {
#pragma omp for schedule(dynamic, 4)
            for (int i = 0; i < N; i++)
#pragma omp atomic
                sum++;
#pragma omp barrier
#pragma omp critical
            {
#pragma omp atomic
                sum++;
            }
#pragma omp single
            {
#pragma omp atomic
                sum += 2; /* while others may still come through the critical section */
            }
#pragma omp sections
            {
#pragma omp section
#pragma omp atomic
                sum += 1;
#pragma omp section
#pragma omp atomic
                sum += 2;
            }
#pragma omp for ordered schedule(static, 1)
            for (int i = 0; i < 6; i++)
#pragma omp ordered
                ordered = ordered * 3 % 1001 + i;
        }
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        sum %= 1000003;
    }
    if (rank == 0) printf("sum %ld ordered %ld\n", sum, ordered);
    MPI_Finalize();
    return 0;
}
