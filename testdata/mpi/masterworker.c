/* Master and workers: the master receives from anybody, with any tag. */
#include "check.h"
enum { WORK = 1, STOP = 2, RESULT = 10 };

static long master(int tasks)
{
    long sum = 0, result;
    int next = 0, busy = 0;
    MPI_Status s;
    for (int w = 1; w < size; w++) {
        MPI_Send(&next, 1, MPI_INT, w, WORK, MPI_COMM_WORLD);
        next++, busy++;
    }
    while (busy) {
        MPI_Recv(&result, 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
        CHECK(s.MPI_TAG >= RESULT && s.MPI_SOURCE > 0);
        sum += result;
        if (next < tasks) {
            MPI_Send(&next, 1, MPI_INT, s.MPI_SOURCE, WORK, MPI_COMM_WORLD);
            next++;
        } else {
            MPI_Send(NULL, 0, MPI_INT, s.MPI_SOURCE, STOP, MPI_COMM_WORLD);
            busy--;
        }
    }
    return sum;
}

static void worker(void)
{
    for (;;) {
        int task;
        MPI_Status s;
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
        if (s.MPI_TAG == STOP) return;
        long square = (long)task * task;
        for (volatile int spin = 0; spin < 1000 * (task % 7); spin++) {}
        MPI_Send(&square, 1, MPI_LONG, 0, RESULT + task % 5, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    long sum = 0, n = 300;
    if (rank == 0) {
        sum = master(n);
        CHECK(sum == (n - 1) * n * (2 * n - 1) / 6);
    } else {
        worker();
    }
    return finish("masterworker", sum);
}
