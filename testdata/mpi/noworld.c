/* A rank that never initialises MPI, as a program is to Tabard that calls another traced API alone: some calls, then what
 * the argument that names its rank says. noworld [rank=kill|exit3|none|child ...] */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void calls(int n)
{
    int major, minor;
    for (int i = 0; i < n; i++) MPI_Get_version(&major, &minor);
}

int main(int argc, char **argv)
{
    const char *rank = getenv("RANK"), *what = "";
    for (int i = 1; i < argc; i++)
        if (rank && strncmp(argv[i], rank, strlen(rank)) == 0 && argv[i][strlen(rank)] == '=')
            what = argv[i] + strlen(rank) + 1;
    if (strcmp(what, "none") == 0) return 0;
    calls(10);
    if (strcmp(what, "exit3") == 0) return 3;
    if (strcmp(what, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(what, "child") == 0) {
        int status = -1;
        if (fork() == 0) return execl(argv[0], argv[0], (char *)NULL);
        wait(&status);
        return status;
    }
    return 0;
}
