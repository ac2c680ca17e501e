/* Attributes on communicators, datatypes and windows, with callbacks that call
 * MPI themselves, also from MPI_Finalize; the deprecated names too. */
#include "check.h"

static int copies, deletes;

static int copied(MPI_Comm c, int key, void *state, void *in, void *out, int *flag)
{
    int n;
    MPI_Comm_size(c, &n);
    CHECK(*(int *)state == 42 && n == size);
    *(void **)out = in;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

static int deleted(MPI_Comm c, int key, void *value, void *state)
{
    int r;
    MPI_Comm_rank(c, &r);
    deletes++;
    return MPI_SUCCESS;
}

static int type_copied(MPI_Datatype t, int key, void *state, void *in, void *out, int *flag)
{
    int n;
    MPI_Type_size(t, &n);
    *(void **)out = in;
    *flag = n > 0;
    copies++;
    return MPI_SUCCESS;
}

static int last(MPI_Comm c, int key, void *value, void *state)
{
    int flag;
    MPI_Finalized(&flag); /* called inside MPI_Finalize */
    if (rank == 0) printf("attrs: last callback, finalized %d\n", flag);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int key, tkey, wkey, skey, state = 42, value = 7, *got, flag;
    MPI_Comm c;
    MPI_Comm_create_keyval(copied, deleted, &key, &state);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
    for (int i = 0; i < 5; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &c);
        MPI_Comm_get_attr(c, key, &got, &flag);
        CHECK(flag && *got == 7);
        MPI_Comm_free(&c);
    }
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    CHECK(copies == 5 && deletes == 6);
    MPI_Comm_free_keyval(&key);

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &got, &flag);
    CHECK(flag && *got >= 32767);

    MPI_Datatype t, u;
    MPI_Type_create_keyval(type_copied, MPI_TYPE_NULL_DELETE_FN, &tkey, NULL);
    MPI_Type_contiguous(3, MPI_INT, &t);
    MPI_Type_set_attr(t, tkey, &value);
    MPI_Type_dup(t, &u);
    MPI_Type_get_attr(u, tkey, &got, &flag);
    CHECK(flag && *got == 7 && copies == 6);
    MPI_Type_delete_attr(t, tkey);
    MPI_Type_free(&t), MPI_Type_free(&u);
    MPI_Type_free_keyval(&tkey);

    MPI_Win w;
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &wkey, NULL);
    MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_set_attr(w, wkey, &value);
    MPI_Win_get_attr(w, wkey, &got, &flag);
    CHECK(flag && got == &value);
    MPI_Win_get_attr(w, MPI_WIN_SIZE, &got, &flag);
    CHECK(flag && *(MPI_Aint *)got == sizeof value);
    MPI_Win_delete_attr(w, wkey);
    MPI_Win_free(&w);
    MPI_Win_free_keyval(&wkey);

    MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL);
    MPI_Attr_put(MPI_COMM_SELF, key, &value);
    MPI_Attr_get(MPI_COMM_SELF, key, &got, &flag);
    CHECK(flag && got == &value);
    MPI_Attr_delete(MPI_COMM_SELF, key);
    MPI_Keyval_free(&key);

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &skey, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, skey, &value);
    return finish("attrs", copies + deletes);
}
