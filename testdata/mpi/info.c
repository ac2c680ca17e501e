/* Info objects: keys, values, order, copies. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Info a, b;
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int n, flag, length, total = 0;
    for (int step = 0; step < 3; step++) {
        MPI_Info_create(&a);
        for (int i = 0; i < 5; i++) {
            snprintf(key, sizeof key, "key%d", i);
            snprintf(value, sizeof value, "value of %d in step %d", i, step);
            MPI_Info_set(a, key, value);
        }
        MPI_Info_delete(a, "key3");
        MPI_Info_dup(a, &b);
        MPI_Info_get_nkeys(b, &n);
        CHECK(n == 4);
        for (int i = 0; i < n; i++) {
            MPI_Info_get_nthkey(b, i, key);
            MPI_Info_get_valuelen(b, key, &length, &flag);
            MPI_Info_get(b, key, sizeof value - 1, value, &flag);
            CHECK(flag && (int)strlen(value) == length);
            total += length;
        }
        MPI_Info_get(b, "absent", sizeof value - 1, value, &flag);
        CHECK(!flag);
#if MPI_VERSION >= 4
        length = 6; /* cut */
        MPI_Info_get_string(b, "key1", &length, value, &flag);
        CHECK(flag && !strcmp(value, "value") && length == 21);
        MPI_Info env;
        MPI_Info_create_env(argc, argv, &env);
        MPI_Info_free(&env);
#endif
        MPI_Info_free(&a);
        MPI_Info_free(&b);
    }
    return finish("info", total);
}
