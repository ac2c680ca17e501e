/* Intercommunicators: create, point-to-point, collectives with MPI_ROOT,
 * remote groups, merge, dup, split. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int odd = rank % 2, local, remote, inter, x, y;
    MPI_Comm half, link, again, merged, part;
    MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - odd, 12, &link);
    MPI_Comm_test_inter(link, &inter);
    MPI_Comm_rank(link, &local);
    MPI_Comm_remote_size(link, &remote);
    CHECK(inter && remote == size / 2);
    MPI_Group g;
    MPI_Comm_remote_group(link, &g);
    MPI_Group_size(g, &x);
    CHECK(x == remote);
    MPI_Group_free(&g);

    for (int step = 0; step < 5; step++) {
        x = rank, y = -1;
        MPI_Sendrecv(&x, 1, MPI_INT, local, 1, &y, 1, MPI_INT, local, 1, link, MPI_STATUS_IGNORE);
        CHECK(y == (rank ^ 1));
        int root = odd ? (local ? MPI_PROC_NULL : MPI_ROOT) : 0;
        y = rank;
        MPI_Bcast(&y, 1, MPI_INT, root, link);
        if (!odd) CHECK(y == 1);
        int all[16];
        MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, link);
        CHECK(all[0] == 1 - odd && all[remote - 1] == 2 * (remote - 1) + 1 - odd);
        MPI_Allreduce(&rank, &y, 1, MPI_INT, MPI_MAX, link); /* the other group's result */
        CHECK(y == all[remote - 1]);
        MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, root, link);
        MPI_Barrier(link);
    }
    MPI_Comm_dup(link, &again);
    MPI_Intercomm_merge(again, odd, &merged);
    MPI_Comm_rank(merged, &x);
    CHECK(x == rank / 2 + odd * (size / 2));
    MPI_Comm_split(link, local % 2, local, &part);
    if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&again);
    MPI_Comm_free(&link);
    MPI_Comm_free(&half);
    return finish("intercomm", remote);
}
