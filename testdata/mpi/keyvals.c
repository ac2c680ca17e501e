/* Attribute callbacks that fail, and free the keyval that they are called for. */
#include "check.h"

static int fails, calls;

static int copied(MPI_Comm c, int key, void *state, void *in, void *out, int *flag)
{
    *(void **)out = in;
    *flag = 1;
    return fails ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int deleted(MPI_Comm c, int key, void *value, void *state) { return fails ? MPI_ERR_OTHER : MPI_SUCCESS; }

static int frees(MPI_Comm c, int key, void *value, void *state)
{
    calls++;
    MPI_Comm_free_keyval(&key);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm c, d;
    int key, none, flag;
    void *value;
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(copied, deleted, &key, NULL);
    for (int i = 0; i < 4; i++) {
        MPI_Comm_set_attr(c, key, &fails);
        fails = 1;
        CHECK(MPI_Comm_set_attr(c, key, &key) != MPI_SUCCESS);
        CHECK(MPI_Comm_delete_attr(c, key) != MPI_SUCCESS);
        CHECK(MPI_Comm_dup(c, &d) != MPI_SUCCESS);
        fails = 0;
        MPI_Comm_dup(c, &d);
        MPI_Comm_get_attr(d, key, &value, &flag);
        CHECK(flag);
        MPI_Comm_free(&d);
        MPI_Comm_delete_attr(c, key);
    }
    MPI_Comm_free_keyval(&key);

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &none, NULL);
    MPI_Comm_set_attr(c, none, &none);
    MPI_Comm_dup(c, &d);
    MPI_Comm_get_attr(d, none, &value, &flag);
    CHECK(!flag);
    MPI_Comm_free(&d);
    MPI_Comm_delete_attr(c, none);
    MPI_Comm_free_keyval(&none);

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, frees, &key, NULL);
    MPI_Comm_set_attr(c, key, NULL);
    MPI_Comm_free(&c);
    CHECK(calls == 1);
    return finish("keyvals", calls);
}
