/* Sends messages to itself: payload BYTES same|random. Prints how many, and the nanoseconds that they took. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int bytes = argc > 1 ? atoi(argv[1]) : 8, vary = argc > 2 && strcmp(argv[2], "random") == 0;
    int calls = bytes < 4096 ? 200000 : (int)(400000000LL / bytes) + 10;
    unsigned char *data = malloc((size_t)bytes + 8), *to = malloc((size_t)bytes + 8);
    unsigned long x = 88172645463325252UL;
    for (int i = 0; i < bytes; i++) x ^= x << 13, x ^= x >> 7, x ^= x << 17, data[i] = (unsigned char)x;
    double from = MPI_Wtime();
    for (int i = 0; i < calls; i++) {
        if (vary) x ^= x << 13, x ^= x >> 7, x ^= x << 17, memcpy(data, &x, 8);
        MPI_Sendrecv(data, bytes, MPI_BYTE, 0, 0, to, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("%d %.0f\n", calls, (MPI_Wtime() - from) * 1e9);
    MPI_Finalize();
    return 0;
}
