/* LD_PRELOAD aid: ranks that wait sleep, so that they take no time from those that compute where ranks share cores.
 *   cc -O2 -fPIC -shared -o idle.so idle.c
 * Open MPI yields with mpi_yield_when_idle, MPICH with yield.c. */
#include <unistd.h>

int sched_yield(void)
{
    usleep(50);
    return 0;
}
