/* Shared-memory and dynamic windows. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm node;
    MPI_Win w;
    long *mine, *theirs, x = -1;
    MPI_Aint bytes, here, there;
    int unit, peer = rank ^ 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Win_allocate_shared(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, node, &mine, &w);
    MPI_Win_shared_query(w, peer, &bytes, &unit, &theirs);
    CHECK(bytes == 4 * sizeof(long) && unit == sizeof(long));
    MPI_Win_lock_all(MPI_MODE_NOCHECK, w);
    for (int i = 0; i < 10; i++) {
        mine[1] = rank + i;
        MPI_Win_sync(w);
        MPI_Barrier(node);
        MPI_Win_sync(w);
        CHECK(theirs[1] == peer + i);
        MPI_Barrier(node);
    }
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
    MPI_Comm_free(&node);

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    for (int i = 0; i < 3; i++) {
        long *box = malloc(8 * sizeof *box);
        box[0] = 50 + rank;
        MPI_Win_attach(w, box, 8 * sizeof *box);
        MPI_Get_address(box, &here);
        MPI_Sendrecv(&here, 1, MPI_AINT, peer, 0, &there, 1, MPI_AINT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, w);
        MPI_Get(&x, 1, MPI_LONG, peer, there, 1, MPI_LONG, w);
        MPI_Win_unlock(peer, w);
        CHECK(x == 50 + peer);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_detach(w, box);
        free(box);
    }
    MPI_Win_free(&w);
    return finish("rmashared", x);
}
