/* Questions to the environment, before, during and after. */
#include "check.h"

int main(int argc, char **argv)
{
    int flag, major, minor, n, provided, sum = 0;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&flag);
    if (flag) return 3;
    MPI_Get_version(&major, &minor);
    MPI_Get_library_version(text, &n);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Query_thread(&provided);
    MPI_Is_thread_main(&flag);
    CHECK(flag && provided >= MPI_THREAD_FUNNELED);
    MPI_Get_processor_name(text, &n);
    CHECK((int)strlen(text) == n);
    double t = MPI_Wtime();
    CHECK(MPI_Wtick() > 0 && MPI_Wtime() >= t);
    MPI_Pcontrol(1);
    MPI_Pcontrol(2, "an argument", 3);
    for (int i = 0; i < 10; i++) {
        int x = i;
        MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
        sum += x;
    }
    finish("env", sum);
    MPI_Finalized(&flag);
    MPI_Get_version(&major, &minor);
    return flag ? 0 : 4;
}
