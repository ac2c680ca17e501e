/* Ways to come to the end: ends MODE.
 *   late N   the last N ranks sleep before MPI_Finalize
 *   wild     a receive for any message is left open
 *   attr     attributes of the predefined communicators with functions that call MPI
 *   after    the last rank calls MPI after MPI_Finalize
 *   crash    the last rank crashes inside MPI_Finalize */
#include <signal.h>
#include <unistd.h>
#include "check.h"

static int copied, crashes;

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)in, (void)out;
    copied++;
    *flag = 1;
    return MPI_SUCCESS;
}

static int end(MPI_Comm comm, int keyval, void *value, void *extra)
{
    int flag;
    (void)comm, (void)keyval, (void)value, (void)extra;
    MPI_Finalized(&flag);
    if (copied) printf("attributes were copied\n");
    if (crashes) raise(SIGSEGV);
    return MPI_SUCCESS;
}

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    printf("error %d\n", *code);
}

static void late_call(void)
{
    int flag;
    MPI_Finalized(&flag);
}

static void attributes(void)
{
    int world, self;
    MPI_Errhandler h;
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &world, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &self, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, world, &world);
    MPI_Comm_set_attr(MPI_COMM_SELF, self, &self);
    MPI_Comm_create_errhandler(handler, &h);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
    MPI_Errhandler_free(&h);
}

int main(int argc, char **argv)
{
    static int buffer[4096];
    const char *mode = argc > 1 ? argv[1] : "";
    start(&argc, &argv);
    int last = rank == size - 1;
    crashes = last && strcmp(mode, "crash") == 0;
    if (crashes || strcmp(mode, "attr") == 0) attributes();
    if (last && strcmp(mode, "after") == 0) atexit(late_call);
    if (strcmp(mode, "wild") == 0) {
        MPI_Request request;
        MPI_Irecv(buffer, 4096, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(mode, "late") == 0 && rank >= size - (argc > 2 ? atoi(argv[2]) : 1)) sleep(3);
    int result = finish("ends", copied);
    for (int i = 0; i < 4096; i++)
        if (buffer[i]) printf("rank %d: a message went astray\n", rank);
    return result;
}
