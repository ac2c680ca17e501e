/* Datatypes with absolute addresses, rebuilt in each iteration and used with
 * MPI_BOTTOM; the addresses move because the memory is allocated anew. */
#include "check.h"

struct particle {
    double x[3];
    int kind;
};

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    double total = 0;
    for (int step = 0; step < 50; step++) {
        struct particle *p = calloc(10 + step % 3, sizeof *p), q[10];
        MPI_Aint here[2], base;
        MPI_Datatype row, send, recv;
        int lengths[2] = {3, 1};
        MPI_Datatype kinds[2] = {MPI_DOUBLE, MPI_INT};
        for (int i = 0; i < 10; i++) p[i].x[2] = rank + i, p[i].kind = step;
        MPI_Get_address(&p[0].x, &here[0]);
        MPI_Get_address(&p[0].kind, &here[1]);
        MPI_Type_create_struct(2, lengths, here, kinds, &row); /* absolute */
        MPI_Type_create_resized(row, here[0], sizeof *p, &send);
        MPI_Type_commit(&send);
        MPI_Get_address(q, &base);
        here[1] = MPI_Aint_diff(here[1], here[0]);
        here[1] = MPI_Aint_add(base, here[1]);
        here[0] = base;
        MPI_Datatype other;
        MPI_Type_create_struct(2, lengths, here, kinds, &other);
        MPI_Type_create_resized(other, base, sizeof *q, &recv);
        MPI_Type_commit(&recv);
        MPI_Request r;
        MPI_Irecv(MPI_BOTTOM, 10, recv, left, 5, MPI_COMM_WORLD, &r);
        MPI_Send(MPI_BOTTOM, 10, send, right, 5, MPI_COMM_WORLD);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        CHECK(q[9].x[2] == left + 9 && q[4].kind == step);
        total += q[9].x[2];
        MPI_Type_free(&row), MPI_Type_free(&send), MPI_Type_free(&other), MPI_Type_free(&recv);
        free(p);
    }
    return finish("typeloop", total);
}
