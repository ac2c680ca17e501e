/* The large-count forms (MPI 4). */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int peer = rank ^ 1;
    MPI_Count n = 5, got, counts[16], size_c, ni, na, nc, nd;
    MPI_Aint displs[16];
    double a[8] = {rank}, b[64] = {0};
    MPI_Status s;
    MPI_Request r[2];
    for (int i = 0; i < 16; i++) counts[i] = 1, displs[i] = i;
    for (int step = 0; step < 5; step++) {
        MPI_Irecv_c(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Isend_c(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
        MPI_Wait(&r[0], &s), MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        MPI_Get_count_c(&s, MPI_DOUBLE, &got);
        CHECK(got == n && b[0] == peer);
        MPI_Sendrecv_c(a, 1, MPI_DOUBLE, peer, 1, b, 2, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &s);
        MPI_Allreduce_c(a, b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        CHECK(b[0] == size * (size - 1) / 2);
        MPI_Allgatherv_c(a, 1, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD);
        CHECK(b[size - 1] == size - 1);
        MPI_Datatype t, u;
        MPI_Aint lengths[2] = {0, 16};
        (void)lengths;
        MPI_Type_vector_c(3, 2, 4, MPI_INT, &t);
        MPI_Type_create_hindexed_c(2, counts, (MPI_Count[]){0, 64}, t, &u);
        MPI_Type_size_c(u, &size_c);
        MPI_Type_get_envelope_c(u, &ni, &na, &nc, &nd, (int[1]){0});
        CHECK(size_c == 48 && nd == 1);
        MPI_Type_free(&t), MPI_Type_free(&u);
    }
    return finish("large", b[1]);
}
