/* Generalized requests: callbacks of the program called inside completion. */
#include "check.h"

static int freed, cancelled;

static int query(void *state, MPI_Status *s)
{
    MPI_Status_set_elements(s, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(s, 0);
    s->MPI_SOURCE = MPI_UNDEFINED;
    s->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int release(void *state) { freed++; return MPI_SUCCESS; }
static int cancel(void *state, int complete) { cancelled++; return MPI_SUCCESS; }

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int n, flag, state = 3;
    MPI_Status s;
    for (int i = 0; i < 5; i++) {
        MPI_Request r;
        MPI_Grequest_start(query, release, cancel, &state, &r);
        MPI_Test(&r, &flag, &s);
        CHECK(!flag);
        MPI_Cancel(&r);
        MPI_Grequest_complete(r);
        MPI_Wait(&r, &s);
        MPI_Get_elements(&s, MPI_INT, &n);
        CHECK(n == 3 && freed == i + 1 && cancelled == i + 1);
    }
    return finish("grequest", freed);
}
