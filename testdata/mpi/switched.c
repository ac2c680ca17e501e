/* Tracing switched off and on by the program: the Scan calls must not be in
 * the trace, but the communicator made meanwhile must be known later. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int x = 1, y = 0;
    MPI_Comm c;
    MPI_Pcontrol(0);
    MPI_Scan(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Pcontrol(1);
    MPI_Exscan(&x, &y, 1, MPI_INT, MPI_SUM, c);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "TABARD_TRACING", "off");
    MPI_Scan(&x, &y, 1, MPI_INT, MPI_SUM, c);
    MPI_Info_set(info, "TABARD_TRACING", "on");
    MPI_Comm_free(&c);
    MPI_Info_free(&info);
    return finish("switched", y);
}
