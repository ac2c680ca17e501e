/* Callbacks that end in a jump to a function of MPI, directly and through another function. */
#include <mpi.h>
#include <stdio.h>

#define FAR __attribute__((noinline, noclone, optimize("optimize-sibling-calls")))

static int buffer[4], flag;

FAR static int further(int *where) { return MPI_Initialized(where); }

FAR static void direct(void *in, void *out, int *len, MPI_Datatype *type)
{
    (void)in, (void)out, (void)len, (void)type;
    MPI_Barrier(MPI_COMM_WORLD);
}

FAR static void indirect(void *in, void *out, int *len, MPI_Datatype *type)
{
    (void)in, (void)out, (void)len, (void)type;
    further(&flag);
}

static void reduce(MPI_User_function *f)
{
    MPI_Op op;
    MPI_Op_create(f, 1, &op);
    for (int i = 0; i < 2; i++) MPI_Allreduce(buffer, buffer, 1, MPI_INT, op, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    reduce(direct);
    reduce(indirect);
    /* The library calls MPI_Barrier and others of its own accord, before and while it is known
     * what callbacks do. */
    MPI_Send(buffer, 1, MPI_INT, 1, -6, MPI_COMM_WORLD);
    printf("%p %p %d\n", (void *)direct, (void *)further, flag);
    MPI_Finalize();
    return 0;
}
