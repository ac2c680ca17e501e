/* The sessions model (MPI 4): no MPI_Init, a communicator from a process set. */
#include "check.h"

static int use(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;
    MPI_Errhandler h;
    char name[256];
    int n, length = 0, found = 0;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_get_errhandler(session, &h);
    MPI_Errhandler_free(&h);
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n);
    for (int i = 0; i < n; i++) {
        length = sizeof name;
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
        if (!strcmp(name, "mpi://WORLD")) found = 1;
    }
    if (!found) abort();
    MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
    MPI_Info_free(&info);
    MPI_Session_get_info(session, &info);
    MPI_Info_free(&info);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "tabard.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int sum;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (sum != size * (size - 1) / 2) abort();
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return sum;
}

int main(void)
{
    int sum = use();
    if (rank == 0) printf("sessions on %d ranks: %d\n", size, sum);
    return 0;
}
