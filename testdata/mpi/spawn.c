/* Dynamic processes: the program spawns itself and talks to its children. */
#include "check.h"

int main(int argc, char **argv)
{
    MPI_Comm parent, all, children;
    int errors[3], n, x = 5, remote;
    start(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, errors);
        CHECK(errors[0] == MPI_SUCCESS && errors[1] == MPI_SUCCESS);
        MPI_Comm_remote_size(children, &remote);
        CHECK(remote == 2);
        MPI_Bcast(&x, 1, MPI_INT, rank ? MPI_PROC_NULL : MPI_ROOT, children);
        MPI_Intercomm_merge(children, 0, &all);
    } else {
        MPI_Bcast(&x, 1, MPI_INT, 0, parent);
        CHECK(x == 5);
        MPI_Intercomm_merge(parent, 1, &all);
    }
    MPI_Comm_size(all, &n);
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, all);
    CHECK(x == 5 * n);
    MPI_Comm_free(&all);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_disconnect(&children);
        return finish("spawn", n);
    }
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}
