/* Probe and matched probe: messages of unknown length from unknown ranks. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    long sum = 0;
    if (rank != 0) {
        for (int i = 0; i < 20; i++) {
            int n = (rank * 7 + i * 3) % 40 + 1, *a = malloc(n * sizeof *a);
            for (int j = 0; j < n; j++) a[j] = rank;
            MPI_Send(a, n, MPI_INT, 0, i % 2, MPI_COMM_WORLD);
            free(a);
        }
    } else {
        for (int i = 0; i < 20 * (size - 1); i++) {
            MPI_Status s;
            MPI_Message m;
            MPI_Request r;
            int n, tag = i < 10 * (size - 1) ? 0 : 1;
            if (tag == 0)
                MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &s);
            else
                MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &m, &s);
            MPI_Get_count(&s, MPI_INT, &n);
            int *a = malloc(n * sizeof *a);
            if (tag == 0) {
                MPI_Recv(a, n, MPI_INT, s.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else if (i % 2) {
                MPI_Mrecv(a, n, MPI_INT, &m, MPI_STATUS_IGNORE);
            } else {
                MPI_Imrecv(a, n, MPI_INT, &m, &r);
                MPI_Wait(&r, MPI_STATUS_IGNORE);
            }
            CHECK(a[0] == s.MPI_SOURCE && a[n - 1] == s.MPI_SOURCE);
            sum += (long)n * a[0];
            free(a);
        }
        MPI_Message m;
        MPI_Status s;
        MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &m, &s);
        CHECK(m == MPI_MESSAGE_NO_PROC);
        MPI_Mrecv(NULL, 0, MPI_INT, &m, &s);
    }
    return finish("probe", sum);
}
