/* A rank forks; the child neither calls MPI nor disturbs the parent, whether it
 * exits, is replaced by another program, or outlives a call. */
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int status = -1;
        pid_t p = fork();
        if (p == 0) {
            if (i == 0) _exit(40);
            if (i == 1) execlp("true", "true", NULL);
            void *m = malloc(1 << 20);
            free(m);
            exit(42);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        waitpid(p, &status, 0);
        CHECK(WIFEXITED(status));
        sum += WEXITSTATUS(status);
    }
    return finish("forked", sum);
}
